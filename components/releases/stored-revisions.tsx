'use client';

import { useQuery } from '@tanstack/react-query';
import { Ago } from '@/components/live/ago';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import type { ReleaseHistory } from '@/lib/contract/release-rows';
import { t } from '@/lib/words/catalogue/releases/releases';
import { RevisionComparison } from './compare/revision-comparison';
import type { ReleasePlace } from './release-queries';
import { releaseQueries } from './release-queries';

/** What Helm stored of a release, newest first, and how two of that differ. */
export function StoredRevisions({ place, stored }: { readonly place: ReleasePlace; readonly stored: string }) {
  const history = useQuery(releaseQueries.history(place, stored));
  return (
    <QueryView
      query={history}
      awaits={t.readingWhatHelmStored}
      pending={<SkeletonRows rows={3} columns={4} />}
      isEmpty={(data) => data.revisions.length === 0}
      empty={<p className="px-4 py-6 text-ink-3">{t.helmHasStoredNoRevisionOf}</p>}
    >
      {(data) => (
        <>
          <ol className="max-h-[420px] divide-y overflow-y-auto">
            {data.revisions.map((one) => (
              <Revision key={one.revision} one={one} />
            ))}
          </ol>
          {data.revisions.length > 1 ? <RevisionComparison place={place} revisions={data.revisions} /> : null}
        </>
      )}
    </QueryView>
  );
}

function Revision({
  one: { revision, status, storedAt, chart, chartVersion, appVersion, description },
}: {
  readonly one: ReleaseHistory['revisions'][number];
}) {
  return (
    <li className="px-4 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-medium">{t.revisionOf(revision)}</span>
        <span className={status === 'failed' ? 'text-bad' : status === 'deployed' ? 'text-good' : 'text-ink-3'}>{status}</span>
        {chart === null ? null : (
          <span>
            {chart} <span className="text-ink-3">{chartVersion}</span>
          </span>
        )}
        {appVersion ? <span className="text-ink-3">{t.appOf(appVersion)}</span> : null}
        <span className="ml-auto text-ink-3 text-xs">
          <Ago at={storedAt} />
        </span>
      </div>
      {description ? <p className="mt-0.5 text-ink-3 text-xs wrap-anywhere">{description}</p> : null}
    </li>
  );
}
