'use client';

import { useQuery } from '@tanstack/react-query';
import { Ago } from '@/components/live/ago';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import type { ReleaseHistory, RevisionCause } from '@/lib/contract/release-rows';
import { t } from '@/lib/words/catalogue/releases/releases';
import { formatList } from '@/lib/words/figures';
import { formatOutcome } from '@/lib/words/format-reconcile';
import { shortRevision } from '@/lib/words/format-release';
import { RELEASE_DONE_WORD } from '@/lib/words/releases/verb-words';
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
  one: { revision, status, storedAt, chart, chartVersion, appVersion, description, cause },
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
      <Cause cause={cause} />
      {description ? <p className="mt-0.5 text-ink-3 text-xs wrap-anywhere">{description}</p> : null}
    </li>
  );
}

/** What made a revision: the loop, the people with their reason, and the commit of the chart. */
function Cause({ cause }: { readonly cause: RevisionCause | null }) {
  if (cause === null) return <p className="mt-0.5 text-ink-3 text-xs">{t.nothingOnRecord}</p>;
  const { outcome, by, commit, users, verb, reason } = cause;
  const people = verb === null ? null : t.verbBy(RELEASE_DONE_WORD[verb], formatList(users));
  return (
    <div className="mt-0.5 text-ink-2 text-xs">
      <p className="wrap-anywhere">
        {t.outcomeBy(formatOutcome(outcome), by)}
        {people === null ? null : <span className="font-medium">{people}</span>}
      </p>
      {commit === null ? null : (
        <p className="wrap-anywhere">
          <code title={commit.commit}>{shortRevision(commit.commit)}</code> {t.subjectOf(commit.subject, commit.author)}
        </p>
      )}
      {reason ? <p className="mt-1 border-line-strong border-l-2 pl-2.5 wrap-anywhere">{reason}</p> : null}
    </div>
  );
}
