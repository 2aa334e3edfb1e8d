import { Panel } from '@/components/ui/panel';
import type { EngineRow } from '@/lib/contract/system-rows';
import { t } from '@/lib/words/catalogue/console/engine';
import { sayNumber } from '@/lib/words/figures';

/** What comparing Helm releases with their charts took since this replica began, and what it was spared. */
export function ChartsPanel({ charts }: { readonly charts: NonNullable<EngineRow['charts']> }) {
  return (
    <Panel title={t.helmReleases} note={t.sinceThisReplicaStarted}>
      <dl className="grid grid-cols-2 gap-4 px-4 py-3 sm:grid-cols-4">
        <Figure term={t.dryRuns} value={charts.dryRuns} />
        <Figure term={t.dryRunsSkippedNothingChanged} value={charts.spared} />
        <Figure term={t.installsUpgradesRollbacksUninstalls} value={charts.acts} />
        <Figure term={t.failedReconciliations} value={charts.failures} />
      </dl>
    </Panel>
  );
}

function Figure({ term, value }: { readonly term: string; readonly value: number }) {
  return (
    <div>
      <dt className="text-ink-3 text-xs">{term}</dt>
      <dd className="font-medium tabular-nums">{sayNumber(value)}</dd>
    </div>
  );
}
