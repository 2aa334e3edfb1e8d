import { Ago } from '@/components/live/ago';
import { ColumnsMenu } from '@/components/live/table/columns-menu';
import { asSentence } from '@/components/ui/as-sentence';
import type { Column } from '@/components/ui/data/data-table';
import { DataTable } from '@/components/ui/data/data-table';
import { Panel } from '@/components/ui/panel';
import { Sentence } from '@/components/ui/time/sentence';
import { rich } from '@/components/ui/words/rich';
import type { ControllerView } from '@/lib/contract/system-rows';
import { formatDuration } from '@/lib/std/duration';
import { t } from '@/lib/words/catalogue/console/engine';
import { formatNumber } from '@/lib/words/figures';
import { formatNamespaces } from '@/lib/words/format-object';
import { KeyLink } from './key-link';
import { formatLatency } from './latency';

/** A key that waits longer than this is worth a look. */
const LONG_WAIT_MS = 30_000;

type Row = ControllerView & { readonly key: string };

/** What each controller has to do, how fast it does it, and what failed last. */
export function ControllersPanel({ controllers }: { readonly controllers: readonly ControllerView[] }) {
  const rows = controllers.map((controller): Row => ({ ...controller, key: controller.name }));
  const columns = controllers.some(isWaiting) ? [...COLUMNS, WAITING_COLUMN] : COLUMNS;
  return (
    <Panel
      title={t.controllers}
      note={t.ratesOverTheLastMinute}
      actions={<ColumnsMenu id={t.controllers} columns={columns} isOneOfSeveral />}
    >
      <DataTable label={t.controllers} rows={rows} columns={columns} card={(row) => <ControllerCard controller={row} />} />
    </Panel>
  );
}

const isWaiting = ({ waitsFor }: ControllerView) => waitsFor.length > 0;

const COLUMNS: readonly Column<Row>[] = [
  { id: 'name', head: t.controller, className: 'min-w-36 wrap-anywhere', cell: (row) => <span className="font-medium">{row.name}</span> },
  { id: 'depth', head: t.queue, numeric: true, className: 'whitespace-nowrap', cell: (row) => <Depth controller={row} /> },
  { id: 'active', head: t.active, numeric: true, cell: (row) => row.active },
  { id: 'oldest', head: t.oldestKey, className: 'min-w-28 @6xl:min-w-36', cell: (row) => <Oldest controller={row} /> },
  { id: 'passes', head: t.reconcilesMin, numeric: true, cell: (row) => row.passesPerMinute },
  { id: 'errors', head: t.errorsMin, numeric: true, cell: (row) => <Errors count={row.failuresPerMinute} /> },
  { id: 'p50', head: t.p50, numeric: true, className: 'whitespace-nowrap', cell: (row) => formatLatency(row.tookMs?.p50) },
  { id: 'p95', head: t.p95, numeric: true, className: 'whitespace-nowrap', cell: (row) => formatLatency(row.tookMs?.p95) },
  { id: 'p99', head: t.p99, numeric: true, className: 'whitespace-nowrap', cell: (row) => formatLatency(row.tookMs?.p99) },
  {
    id: 'error',
    head: t.lastError,
    className: 'min-w-44 max-w-md @6xl:min-w-64 wrap-anywhere',
    cell: (row) => <LastError controller={row} />,
  },
];

/** Only where something waits: a controller that has not started has failed at nothing. */
const WAITING_COLUMN: Column<Row> = {
  id: 'waiting',
  head: t.waitingFor,
  className: 'min-w-44 max-w-md wrap-anywhere @6xl:min-w-64',
  cell: (row) => <WaitsFor controller={row} />,
};

interface ControllerCardProps {
  readonly controller: ControllerView;
}

function ControllerCard({ controller }: ControllerCardProps) {
  const { name, depth, deferred, active, passesPerMinute, failuresPerMinute, tookMs } = controller;
  return (
    <div className="space-y-1 wrap-anywhere">
      <p className="flex justify-between gap-3">
        <span className="min-w-0 font-medium">{name}</span>
        <span className="shrink-0 text-ink-3">{t.queuedActive(depth, deferred > 0 ? t.onOtherShards(deferred) : '', active)}</span>
      </p>
      {controller.oldest ? <p className="text-xs">{rich(t.oldest(<Oldest controller={controller} />))}</p> : null}
      <p className="text-ink-3 text-xs">{rich(t.reconcilesMinErrorsMin(passesPerMinute, <Errors count={failuresPerMinute} />))}</p>
      <p className="text-ink-3 text-xs">
        {t.p50P95P99(formatLatency(tookMs?.p50), formatLatency(tookMs?.p95), formatLatency(tookMs?.p99))}
      </p>
      {isWaiting(controller) ? (
        <div className="text-xs">
          <WaitsFor controller={controller} />
        </div>
      ) : null}
      {controller.lastError ? (
        <p className="text-xs">
          <span className="text-ink-3">{t.lastErrorTitle}</span> <LastError controller={controller} />
        </p>
      ) : null}
    </div>
  );
}

/** What waits here; what waits for whoever acts on its shard is told beside it. */
function Depth({ controller: { depth, deferred } }: { readonly controller: ControllerView }) {
  return (
    <>
      {formatNumber(depth)}
      {deferred > 0 ? <span className="text-ink-3"> {t.onOtherShardsWith(deferred)}</span> : null}
    </>
  );
}

function Oldest({ controller: { oldest } }: { readonly controller: ControllerView }) {
  if (oldest === null) return <span className="text-ink-3">–</span>;
  return (
    <>
      <KeyLink to={oldest} />{' '}
      <span className={oldest.waitedMs > LONG_WAIT_MS ? 'text-warn' : 'text-ink-3'}>{t.for(formatDuration(oldest.waitedMs))}</span>
    </>
  );
}

const formatHeld = (kind: string, namespaces: readonly string[] | undefined) =>
  namespaces === undefined ? t.notStartedObjectsCannotBe(kind) : t.waitingInObjectsCannotBe(formatNamespaces(namespaces), kind);

/** The rights that must come before it starts. */
function WaitsFor({ controller: { waitsFor } }: { readonly controller: ControllerView }) {
  if (waitsFor.length === 0) return <span className="text-ink-3">–</span>;
  return (
    <ul className="space-y-0.5">
      {waitsFor.map(({ kind, reason, namespaces }) => (
        <li key={kind}>
          <span className="text-warn">{formatHeld(kind, namespaces)}</span>{' '}
          <span className="text-ink-2">
            <Sentence text={asSentence(reason)} />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** What failed last. */
function LastError({ controller: { lastError } }: Pick<ControllerCardProps, 'controller'>) {
  if (lastError === null) return <span className="text-ink-3">–</span>;
  return (
    <span className="text-ink-2">
      <KeyLink to={lastError} />: <Sentence text={lastError.message} />{' '}
      <span className="text-ink-3">
        <Ago at={lastError.at} />
      </span>
    </span>
  );
}

function Errors({ count }: { readonly count: number }) {
  return <span className={count > 0 ? 'font-medium text-warn' : undefined}>{formatNumber(count)}</span>;
}
