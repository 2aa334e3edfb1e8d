'use client';

import { useQuery } from '@tanstack/react-query';
import { Age, Ago } from '@/components/live/ago';
import { ColumnsMenu } from '@/components/live/table/columns-menu';
import type { Column } from '@/components/ui/data/data-table';
import { DataTable } from '@/components/ui/data/data-table';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { Panel } from '@/components/ui/panel';
import { HealthMark } from '@/components/ui/status/status';
import { rich } from '@/components/ui/words/rich';
import type { ObjectPage } from '@/lib/contract/object-address';
import { objectPageHref } from '@/lib/contract/object-address';
import type { PodRow, PodsPage } from '@/lib/contract/pod-rows';
import { t } from '@/lib/words/catalogue/objects/pods';
import { formatList, formatNumber } from '@/lib/words/figures';
import { formatPodState, formatReady, lastExitOf, restartsOf, sumOf } from '@/lib/words/format-pod';
import { objectQueries } from '../object-queries';
import { Amount } from './amount';
import { explainUnmeasured } from './explain-unmeasured';
import { useReadAgain } from './use-read-again';

interface PodsPanelProps {
  readonly at: ObjectPage;
  readonly isExpected: boolean;
  /** Says that they could not be read also where there may be none. */
  readonly tellsFailure?: boolean;
  /** What a live view beside it tells of the object; when it changes, the pods are read again at once. */
  readonly changed?: unknown;
}

/** The pods of an object: how each stands, how often it started anew and why, where it runs, and what it uses beside what it asks for. */
export function PodsPanel({ at, isExpected, tellsFailure = false, changed }: PodsPanelProps) {
  const pods = useQuery(objectQueries.pods(at));
  useReadAgain(pods, changed);
  // What has no pods by its nature gets no panel that says so.
  const isNone = pods.data === undefined ? !(tellsFailure && pods.isError) : pods.data.pods.length === 0 && pods.data.hidden.length === 0;
  if (!isExpected && isNone) return null;
  return (
    <Panel
      title={t.pods}
      note={pods.data ? formatPods(pods.data) : undefined}
      actions={pods.data && pods.data.pods.length > 0 ? <ColumnsMenu id={t.pods} columns={COLUMNS} isOneOfSeveral /> : undefined}
    >
      <QueryView query={pods} awaits={t.readingThePodsOf(at.name)} pending={<SkeletonRows rows={3} columns={6} />}>
        {(page) => <Pods page={page} />}
      </QueryView>
    </Panel>
  );
}

function formatPods({ pods, more }: PodsPage): string {
  const restarts = pods.reduce((sum, pod) => sum + restartsOf(pod), 0);
  const all = formatNumber(pods.length + more);
  return restarts === 0 ? all : `${all}, ${t.restartsAfter(restarts)}`;
}

function Pods({ page: { pods, more, hidden, unmeasured } }: { readonly page: PodsPage }) {
  const notes = [
    more > 0 ? t.morePodsAreNotShown(more) : null,
    hidden.length > 0 ? t.youMayNotReadPods(formatList(hidden)) : null,
    pods.length > 0 ? (unmeasured ?? explainUnmeasured(pods)) : null,
  ].flatMap((note) => note ?? []);
  return (
    <>
      {pods.length === 0 ? (
        <p className="px-4 py-3 text-ink-3">{t.noPodRunsHereNow}</p>
      ) : (
        <DataTable label={t.pods} rows={pods} columns={COLUMNS} hrefOf={hrefOf} card={(pod) => <PodCard pod={pod} />} />
      )}
      {notes.map((note) => (
        <p key={note} className="border-t px-4 py-2 text-ink-3 text-xs">
          {note}
        </p>
      ))}
    </>
  );
}

const hrefOf = ({ ns, name }: PodRow) => objectPageHref({ group: '', named: 'pods', ns, name });

const COLUMNS: readonly Column<PodRow>[] = [
  { id: 'name', head: t.pod, cell: (pod) => <PodName pod={pod} /> },
  { id: 'state', head: t.state, cell: (pod) => <span className="wrap-anywhere">{formatPodState(pod)}</span> },
  { id: 'ready', head: t.ready, numeric: true, cell: formatReady },
  { id: 'restarts', head: t.restarts, numeric: true, cell: (pod) => <Restarts pod={pod} /> },
  { id: 'exit', head: t.lastExit, className: 'text-ink-2', cell: (pod) => <LastExit pod={pod} /> },
  {
    id: 'node',
    head: t.node,
    className: 'text-ink-2 wrap-anywhere',
    cell: ({ node }) => node ?? <span className="text-ink-3">{t.noneYet}</span>,
  },
  { id: 'cpu', head: t.cpu, cell: (pod) => <PodAmount pod={pod} of="cpu" /> },
  { id: 'memory', head: t.memory, cell: (pod) => <PodAmount pod={pod} of="memory" /> },
  { id: 'age', head: t.age, className: 'text-ink-3 whitespace-nowrap', cell: ({ createdAt }) => <Age at={createdAt} /> },
];

function PodName({ pod: { name, health } }: { readonly pod: PodRow }) {
  return (
    <span className="inline-flex items-start gap-2 wrap-anywhere">
      <span className="mt-[3px] inline-flex shrink-0">
        <HealthMark health={health} />
      </span>
      {name}
    </span>
  );
}

function Restarts({ pod }: { readonly pod: PodRow }) {
  const restarts = restartsOf(pod);
  return <span className={restarts > 0 ? 'font-medium text-warn' : 'text-ink-3'}>{formatNumber(restarts)}</span>;
}

function LastExit({ pod: { containers } }: { readonly pod: PodRow }) {
  const exit = lastExitOf(containers);
  if (exit === null) return <span className="text-ink-4">–</span>;
  return (
    <>
      {exit.how} <span className="whitespace-nowrap text-ink-3 text-xs">{exit.at ? <Ago at={exit.at} /> : null}</span>
    </>
  );
}

function PodAmount({ pod: { containers }, of }: { readonly pod: PodRow; readonly of: 'cpu' | 'memory' }) {
  return <Amount of={of} used={sumOf(containers, 'usage')[of]} asked={sumOf(containers, 'requests')[of]} />;
}

const AMOUNTS = [
  { of: 'cpu', name: t.cpu },
  { of: 'memory', name: t.memory },
] as const;

function PodCard({ pod }: { readonly pod: PodRow }) {
  return (
    <>
      <p className="font-medium">
        <PodName pod={pod} />
      </p>
      <p className="mt-0.5 text-ink-2 text-xs">
        {rich(
          t.readyRestarts({
            podState: formatPodState(pod),
            ready: formatReady(pod),
            restarts: <Restarts pod={pod} />,
            count: restartsOf(pod),
            part: pod.node ? t.onAfter(pod.node) : '',
          }),
        )}
      </p>
      <p className="text-ink-3 text-xs">{rich(t.lastExitRich(<LastExit pod={pod} />))}</p>
      <dl className="mt-1 grid grid-cols-2 gap-x-6">
        {AMOUNTS.map(({ of, name }) => (
          <div key={of} className="min-w-0">
            <dt className="text-2xs text-ink-3">{name}</dt>
            <dd>
              <PodAmount pod={pod} of={of} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
