'use client';

import { useQuery } from '@tanstack/react-query';
import { useChoices } from '@/components/live/address/choices';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { SelectBox } from '@/components/ui/form/field';
import type { ReleaseHistory } from '@/lib/contract/release-rows';
import { t } from '@/lib/words/catalogue/releases/compare';
import type { ReleasePlace } from '../release-queries';
import { releaseQueries } from '../release-queries';
import { ContentComparison } from './content-comparison';

interface RevisionComparisonProps {
  readonly place: ReleasePlace;
  /** Newest first. */
  readonly revisions: ReleaseHistory['revisions'];
}

/** How any two stored revisions differ; the newest and the one before it until somebody chooses. */
export function RevisionComparison({ place, revisions }: RevisionComparisonProps) {
  const { chosen, choose } = useChoices();
  const [newest, former] = revisions;
  // Helm keeps ten: one that a link names may be gone by now.
  const named = (side: 'from' | 'to') => revisions.find(({ revision }) => String(revision) === chosen.get(side))?.revision;
  const from = named('from') ?? former?.revision ?? 0;
  const to = named('to') ?? newest?.revision ?? 0;
  const comparison = useQuery({ ...releaseQueries.comparison(place, { from, to }), enabled: from !== to });
  const options = revisions.map(({ revision, status }) => (
    <option key={revision} value={revision}>
      {t.revision(revision, status)}
    </option>
  ));
  return (
    <section aria-label={t.twoRevisionsCompared} className="space-y-3 border-t px-4 py-3">
      <div className="flex flex-wrap items-center gap-2 text-ink-3">
        <span>{t.whatChangedFrom}</span>
        <SelectBox label={t.theOlderRevision} value={from} onChange={(event) => choose({ from: event.target.value })}>
          {options}
        </SelectBox>
        <span>{t.to}</span>
        <SelectBox label={t.theNewerRevision} value={to} onChange={(event) => choose({ to: event.target.value })}>
          {options}
        </SelectBox>
      </div>
      {from === to ? (
        <p className="text-ink-3">{t.chooseTwoRevisionsThatAre}</p>
      ) : (
        <QueryView query={comparison} awaits={t.comparingWhatHelmStoredOf} pending={<SkeletonRows rows={3} columns={2} />}>
          {(data) => <ContentComparison content={data} />}
        </QueryView>
      )}
    </section>
  );
}
