'use client';

import type { UseQueryResult } from '@tanstack/react-query';
import { Ago } from '@/components/live/ago';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { rich } from '@/components/ui/words/rich';
import type { ReleaseHistory, WorkView } from '@/lib/contract/release-rows';
import { t } from '@/lib/words/catalogue/releases/decide';

interface UnlockEvidenceProps {
  readonly history: UseQueryResult<ReleaseHistory>;
  readonly work: WorkView | null;
}

/** What tells whether a pending release is stuck: how long it has been pending, whether Helm is at work on it here, and what Helm said last. */
export function UnlockEvidence({ history, work }: UnlockEvidenceProps) {
  return (
    <QueryView query={history} awaits={t.readingWhatHelmStored} pending={<SkeletonRows rows={2} columns={2} />}>
      {({ revisions: [newest] }) => (
        <section aria-label={t.whatIsKnownOfIt} className="rounded-md border px-3 py-2">
          <p className="font-medium">
            {newest === undefined ? t.helmHasStoredNothingOf : t.revisionIs(newest.revision, newest.status)}
            {newest?.storedAt ? rich(t.stored(<Ago at={newest.storedAt} />)) : null}
          </p>
          <p className="text-ink-2">{formatWork(work)}</p>
          {work?.kind === 'here' && work.line !== null ? <p className="text-ink-3 wrap-anywhere">{t.itsLastLine(work.line)}</p> : null}
        </section>
      )}
    </QueryView>
  );
}

function formatWork(work: WorkView | null): string {
  if (work === null) return t.noHelmOfSlipwayHas;
  if (work.kind === 'elsewhere') return t.anotherReplicaActsOnReleases;
  if (work.until === null) return t.helmIsAtWorkOn(work.command);
  if (work.killedBy !== null) return t.helmWasKilledAndNone(work.command, work.killedBy);
  return work.isInherited ? t.helmIsGoneAndNone(work.command) : t.helmHasEndedAndNone(work.command);
}
