import { Ago, Elapsed } from '@/components/live/ago';
import { Badge } from '@/components/ui/badge';
import { Panel } from '@/components/ui/panel';
import { Sentence } from '@/components/ui/time/sentence';
import { rich } from '@/components/ui/words/rich';
import type { EngineRow } from '@/lib/contract/system-rows';
import { t } from '@/lib/words/catalogue/console/engine';
import { formatNumber } from '@/lib/words/figures';

type Charts = NonNullable<EngineRow['charts']>;

/** What comparing Helm releases with their charts took since this replica began, what it was spared, and how old its copies of repositories are. */
export function ChartsPanel({ charts }: { readonly charts: Charts }) {
  return (
    <Panel title={t.helmReleases} note={t.sinceThisReplicaStarted}>
      <dl className="grid grid-cols-2 gap-4 px-4 py-3 sm:grid-cols-4">
        <Figure term={t.dryRuns} value={charts.dryRuns} />
        <Figure term={t.dryRunsSkippedNothingChanged} value={charts.dryRunsSkipped} />
        <Figure term={t.installsUpgradesRollbacksUninstalls} value={charts.acts} />
        <Figure term={t.failedReconciliations} value={charts.failures} />
      </dl>
      {charts.mirrors.length === 0 ? null : (
        <ul aria-label={t.repositoriesOfCharts} className="max-h-72 divide-y overflow-y-auto border-t">
          {charts.mirrors.map((mirror) => (
            <MirrorLine key={mirror.id} mirror={mirror} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

const MIRROR_TONE = { fetched: 'good', cloning: 'busy', unavailable: 'bad' } as const;

/** Until a repository can be fetched again, releases stay at the last commit that it had. */
function MirrorLine({ mirror: { id, state, why, failures, fetchedAt, nextAt } }: { readonly mirror: Charts['mirrors'][number] }) {
  const standing = state === 'ready' ? 'fetched' : failures === 0 && fetchedAt === null ? 'cloning' : 'unavailable';
  return (
    <li className="px-4 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge tone={MIRROR_TONE[standing]}>{t.mirror[standing]}</Badge>
        <span className="min-w-0 wrap-anywhere">{id}</span>
        <span className="ml-auto text-ink-3 text-xs">
          {fetchedAt === null ? t.neverFetched : rich(t.fetchedAgo(<Ago at={fetchedAt} />))},{' '}
          {nextAt === null ? t.fetchingNow : rich(t.nextIn(<Elapsed until={nextAt} />))}
        </span>
      </div>
      {why === null || state === 'ready' ? null : (
        <p className="mt-0.5 text-ink-2 text-xs wrap-anywhere">
          <Sentence text={why} />
        </p>
      )}
    </li>
  );
}

function Figure({ term, value }: { readonly term: string; readonly value: number }) {
  return (
    <div>
      <dt className="text-ink-3 text-xs">{term}</dt>
      <dd className="font-medium tabular-nums">{formatNumber(value)}</dd>
    </div>
  );
}
