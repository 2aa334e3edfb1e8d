import { useQuery } from '@tanstack/react-query';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { t } from '@/lib/words/catalogue/releases/compare';
import { formatList } from '@/lib/words/figures';
import { shortRevision } from '@/lib/words/format-release';
import { Nondeterministic } from '../edit/release-plan-view';
import type { ReleasePlace } from '../release-queries';
import { releaseQueries } from '../release-queries';
import { ContentComparison } from './content-comparison';

interface CommitChangesProps {
  readonly place: ReleasePlace;
  readonly commit: string;
  /** Differs with whatever moves the release or its branch, so that it is rendered again. */
  readonly moment: string;
}

/** What a commit would make of the release, rendered when somebody looks. */
export function CommitChanges({ place, commit, moment }: CommitChangesProps) {
  const comparison = useQuery(releaseQueries.commitComparison(place, { commit, moment }));
  return (
    <section aria-label={t.whatCommitWouldChange(shortRevision(commit))} className="rounded-md border px-3 py-2">
      <QueryView query={comparison} awaits={t.helmRendersTheChartOf} pending={<SkeletonRows rows={3} columns={2} />}>
        {(data) => (
          <div className="space-y-3">
            <p className="text-ink-3 text-xs">
              {t.theChartOfTheCommit(data.from === null ? t.helmHasStoredNothingOf : t.comparedWithStoredRevision(data.from))}
            </p>
            {data.definitions.length === 0 ? null : (
              <p className="text-sm wrap-anywhere">{t.definitionsWouldStay(formatList(data.definitions))}</p>
            )}
            <ContentComparison content={data} />
            {data.nondeterministic.length === 0 ? null : <Nondeterministic places={data.nondeterministic} says={t.getANewName} />}
          </div>
        )}
      </QueryView>
    </section>
  );
}
