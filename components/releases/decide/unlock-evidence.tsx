'use client';

import type { UseQueryResult } from '@tanstack/react-query';
import { Ago } from '@/components/live/ago';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import type { ReleaseHistory, WorkView } from '@/lib/contract/release-rows';

interface UnlockEvidenceProps {
  readonly history: UseQueryResult<ReleaseHistory>;
  readonly work: WorkView | null;
}

/** What tells whether a pending release is stuck: how long it has been pending, whether Helm is at work on it here, and what Helm said last. */
export function UnlockEvidence({ history, work }: UnlockEvidenceProps) {
  return (
    <QueryView query={history} awaits="Reading what Helm stored." pending={<SkeletonRows rows={2} columns={2} />}>
      {({ revisions: [newest] }) => (
        <section aria-label="What is known of it" className="rounded-md border px-3 py-2">
          <p className="font-medium">
            {newest === undefined ? 'Helm has stored nothing of it' : `Revision ${newest.revision} is ${newest.status}`}
            {newest?.storedAt ? (
              <>
                {', stored '}
                <Ago at={newest.storedAt} />
              </>
            ) : null}
          </p>
          <p className="text-ink-2">{sayWork(work)}</p>
          {work?.kind === 'here' && work.line !== null ? <p className="text-ink-3 wrap-anywhere">{`Its last line: ${work.line}`}</p> : null}
        </section>
      )}
    </QueryView>
  );
}

function sayWork(work: WorkView | null): string {
  if (work === null) return 'No Helm of Slipway has worked on it since this server started';
  if (work.kind === 'elsewhere') return 'Another replica acts on releases, and knows whether Helm is at work on it; it is asked before anything is written';
  return work.until === null ? `helm ${work.command} is at work on it now` : `helm ${work.command} has ended, and none is at work on it`;
}
