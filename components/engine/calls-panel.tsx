import { Ago } from '@/components/live/ago';
import { ColumnsMenu } from '@/components/live/table/columns-menu';
import type { Column } from '@/components/ui/data/data-table';
import { DataTable } from '@/components/ui/data/data-table';
import { Panel } from '@/components/ui/panel';
import { rich } from '@/components/ui/words/rich';
import type { CallsView } from '@/lib/contract/system-rows';
import { t } from '@/lib/words/catalogue/console/engine';
import { formatNumber } from '@/lib/words/figures';
import { formatLatency } from './latency';

type Row = CallsView['verbs'][number] & { readonly key: string };

/** What this process asked of the API server in the last minute, and how that was answered. */
export function CallsPanel({ calls }: { readonly calls: CallsView }) {
  const rows = calls.verbs.map((verb): Row => ({ ...verb, key: verb.verb }));
  const total = rows.reduce((sum, row) => sum + totalOf(row), 0);
  return (
    <Panel
      title={t.apiCalls}
      note={t.inTheLastMinute(total)}
      actions={rows.length === 0 ? undefined : <ColumnsMenu id={t.apiCalls} columns={COLUMNS} isOneOfSeveral />}
    >
      {rows.length === 0 ? (
        <p className="px-4 py-2.5 text-ink-3">{t.noAPICallsInThe}</p>
      ) : (
        <DataTable label={t.apiCalls} rows={rows} columns={COLUMNS} card={(row) => <CallsCard row={row} />} />
      )}
      <p className="flex flex-wrap gap-x-4 gap-y-1 border-line border-t px-4 py-2.5 text-ink-3 text-xs">
        <Slowest slowest={calls.slowest} />
        <Throttled throttled={calls.throttled} />
      </p>
    </Panel>
  );
}

const COLUMNS: readonly Column<Row>[] = [
  { id: 'verb', head: t.verb, cell: (row) => <span className="font-medium">{row.verb}</span> },
  { id: 'total', head: t.callsMin, numeric: true, cell: totalOf },
  { id: 'ok', head: t.of2xx3xx, numeric: true, cell: (row) => row.ok },
  { id: 'refused', head: t.of4xx, numeric: true, cell: (row) => row.refused },
  { id: 'failed', head: t.of5xx, numeric: true, cell: (row) => <Bad count={row.failed} /> },
  { id: 'unanswered', head: t.noAnswer, numeric: true, cell: (row) => <Bad count={row.unanswered} /> },
];

function CallsCard({ row }: { readonly row: Row }) {
  return (
    <p className="flex justify-between gap-3">
      <span className="font-medium">{row.verb}</span>
      <span className="text-ink-3 text-xs">
        {rich(
          t.min4xx5xxWithoutAnswer({
            totalOf: totalOf(row),
            refused: row.refused,
            bad: <Bad count={row.failed} />,
            bad2: <Bad count={row.unanswered} />,
          }),
        )}
      </span>
    </p>
  );
}

function Slowest({ slowest }: Pick<CallsView, 'slowest'>) {
  if (slowest === null) return null;
  return (
    <span>
      {rich(t.slowest(<span className="text-ink-2">{slowest.what}</span>, formatLatency(slowest.tookMs), <Ago at={slowest.at} />))}
    </span>
  );
}

function Throttled({ throttled: { calls, longestMs } }: Pick<CallsView, 'throttled'>) {
  if (calls === 0) return <span>{t.noneWaitedForTheRate}</span>;
  return <span className="text-warn">{t.waitedForTheRateLimit(calls, formatLatency(longestMs))}</span>;
}

function Bad({ count }: { readonly count: number }) {
  return <span className={count > 0 ? 'font-medium text-warn' : undefined}>{formatNumber(count)}</span>;
}

function totalOf({ ok, refused, failed, unanswered }: Row): number {
  return ok + refused + failed + unanswered;
}
