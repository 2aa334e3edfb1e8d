'use client';

import { Anchor, ArrowRight, History } from 'lucide-react';
import Link from 'next/link';
import { useListUrl } from '@/components/live/address/list-url';
import { Ago } from '@/components/live/ago';
import { METADATA_COLUMNS } from '@/components/live/filters/metadata-columns';
import { ListPanel } from '@/components/live/list-panel';
import { RowCard } from '@/components/live/table/row-card';
import { buttonVariants } from '@/components/ui/button';
import type { Column } from '@/components/ui/data/data-table';
import { Empty } from '@/components/ui/data/empty';
import { Meter } from '@/components/ui/meter';
import { PageHead } from '@/components/ui/page-head';
import { ActivityMark, Health } from '@/components/ui/status/status';
import { HEALTH_STYLE } from '@/components/ui/status/tone';
import { ShortSentence } from '@/components/ui/time/sentence';
import { rich } from '@/components/ui/words/rich';
import { HEALTH_STATUSES } from '@/lib/contract/health';
import type { RolloutRow } from '@/lib/contract/rollout-rows';
import { t } from '@/lib/words/catalogue/delivery/rollouts';
import { rolloutQueries } from './rollout-queries';

const HEALTH_FILTER = {
  label: t.health,
  any: t.anyHealth,
  options: HEALTH_STATUSES.map((health) => ({ id: health, word: HEALTH_STYLE[health].word })),
};

const COLUMNS: readonly Column<RolloutRow>[] = [
  { id: 'name', head: t.rollout, sort: 'name', cell: (row) => <RolloutName row={row} /> },
  { id: 'health', head: t.health, sort: 'phase', cell: (row) => <Health health={row.health} /> },
  { id: 'activity', head: t.activity, sort: 'activity', cell: (row) => <ActivityMark activity={row.activity} /> },
  { id: 'revisions', head: t.revisionTitle, cell: (row) => <FromTo row={row} /> },
  { id: 'stage', head: t.stage, sort: 'progress', className: 'w-40', cell: (row) => <StageCell row={row} /> },
  {
    id: 'sentence',
    head: t.now,
    className: 'max-w-56 @7xl:max-w-80',
    cell: (row) => <ShortSentence text={row.sentence} />,
  },
  {
    id: 'startedAt',
    head: t.startedTitle,
    sort: 'started',
    numeric: true,
    className: 'text-ink-3',
    cell: (row) => <Ago at={row.startedAt} />,
  },
  ...METADATA_COLUMNS,
];

/** Every rollout one may see. */
export function RolloutsScreen() {
  const url = useListUrl();
  return (
    <>
      <PageHead
        title={t.rollouts}
        actions={
          <Link href="/rollouts/history" className={buttonVariants({ look: 'secondary', size: 'md' })}>
            <History size={14} aria-hidden /> {t.history}
          </Link>
        }
      />
      <ListPanel
        noun={t.rolloutsInline}
        url={url}
        rows={rolloutQueries.list(url.query)}
        columns={COLUMNS}
        marked="rollouts"
        filter={HEALTH_FILTER}
        hrefOf={(row) => `/rollouts/${row.key}`}
        card={(row) => <RolloutCard row={row} />}
        of="rollouts"
        empty={(isFiltered) => <NoRollouts filtered={isFiltered} />}
      />
    </>
  );
}

function NoRollouts({ filtered }: { readonly filtered: boolean }) {
  if (filtered) return <Empty title={t.noRolloutMatches}>{t.changeTheSearchOrThe}</Empty>;
  return (
    <Empty icon={<Anchor size={17} aria-hidden />} title={t.noRolloutsYet}>
      {rich(t.aRolloutBeginsWhenAn(<code className="font-mono text-xs">rollout</code>))}
    </Empty>
  );
}

function RolloutName({ row }: { readonly row: RolloutRow }) {
  return (
    <>
      {row.name} <span className="font-normal text-ink-3">{row.ns}</span>
    </>
  );
}

function FromTo({ row }: { readonly row: RolloutRow }) {
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap align-top">
      {row.from && row.from !== row.to ? (
        <>
          <span title={row.from} className="max-w-40 truncate text-ink-3">
            {row.from}
          </span>
          <ArrowRight size={12} aria-label={t.to} className="text-ink-3" />
        </>
      ) : null}
      <span title={row.to} className="max-w-40 truncate">
        {row.to}
      </span>
    </span>
  );
}

function StageCell({ row }: { readonly row: RolloutRow }) {
  if (row.stage.count === 0) return <span className="text-ink-3">–</span>;
  return (
    <div className="flex items-center gap-2 text-accent">
      <Meter percent={row.percent} label={t.ofPlannedByPodRatio(row.percent, row.to)} className="w-16 shrink-0" />
      <span className="whitespace-nowrap text-ink-3 text-xs">
        {row.stage.index}/{row.stage.count}
      </span>
    </div>
  );
}

function RolloutCard({ row }: { readonly row: RolloutRow }) {
  return (
    <RowCard name={<RolloutName row={row} />} mark={<Health health={row.health} className="text-xs" />} sentence={row.sentence}>
      <div className="mt-1.5 flex items-center gap-3 text-xs">
        <ActivityMark activity={row.activity} />
        {row.stage.count === 0 ? null : <StageCell row={row} />}
      </div>
    </RowCard>
  );
}
