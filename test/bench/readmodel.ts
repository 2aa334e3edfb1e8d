import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { ListQuery } from '@/lib/contract/lists/list-query';
import { KINDS } from '@/lib/kube/kinds';
import type { Cluster, Informers } from '@/server/kube';
import { createRemoteCluster } from '@/server/kube';
import { createRandom, realClock } from '@/server/platform';
import type { OpenReadModel } from '@/server/readmodel';
import { silentLog } from '../support/silent-log';
import type { Orders, Told } from './application-cluster';
import type { Figure } from './figure';
import { startInformers } from './ground';
import { heapInUse, median, percentile, timed } from './measure';
import { openReadModel } from './open-read-model';
import { measureTurns, turnFigures } from './turns';

const APPLICATIONS = 10_000;
const ROUNDS = 25;
// As often as a live table is computed.
const LOOK_EVERY_MS = 100;
/** What one page shows. */
const SHOWN = 50;

/** What a person may ask of the table: words, filters, orders and pages. */
const QUERIES: readonly ListQuery[] = [
  {},
  { q: 'web-77' },
  { ns: ['shop-3'] },
  { health: ['Current'], sort: 'name' },
  { sort: 'name', desc: true, page: 120 },
  { sort: 'updated', desc: true, size: 200 },
  { labels: 'team in (shop,pay),!retired', owner: ['Kustomization/flux-system/apps', 'none'], sort: 'updated' },
  { q: 'shop:1.0', sort: 'objects', page: 7 },
];

/** The table of 10 000 applications, as the server answers it while the cluster changes. */
export async function benchReadModel(): Promise<readonly Figure[]> {
  const child = fork(path.join(import.meta.dirname, 'application-cluster.ts'), { execArgv: ['--import', 'tsx'] });
  try {
    const { kubeconfig } = await ask(child, { do: 'populate', applications: APPLICATIONS }, 'serving');
    // Over HTTP, so that the watched copies are copies.
    const source = { kind: 'kubeconfig', path: kubeconfig } as const;
    await using remote = createRemoteCluster({ source, clock: realClock, random: createRandom(3), log: silentLog });
    await remote.discovery.resolve(KINDS.application); // loads the client library: megabytes that are no object's
    return await measure(child, remote);
  } finally {
    child.disconnect();
  }
}

async function measure(cluster: ChildProcess, remote: Cluster): Promise<readonly Figure[]> {
  const heapBefore = heapInUse();
  await using informers = startInformers(remote);
  await using readModel = openReadModel(informers);
  let filled: Filled | undefined;
  const turns = await measureTurns(async () => {
    filled = await fill(readModel, informers);
  });
  if (filled === undefined) throw new Error('the read model was not filled');
  const objects = informers.all().reduce((sum, store) => sum + store.health().objects, 0);
  const heapEach = (heapInUse() - heapBefore) / objects;
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await ask(cluster, { do: 'change', round }, 'changed');
    await realClock.sleep(50);
    for (const query of QUERIES) {
      times.push(
        await timed(() => {
          const window = readModel.open({ kind: 'applications', query }, 'all');
          const shown = window?.snapshot().rows.length ?? 0;
          window?.release();
          if (shown === 0) throw new Error(`no application answers ${JSON.stringify(query)}`);
        }),
      );
    }
  }
  return [
    {
      what: `filter, order and page over ${APPLICATIONS} applications, p95`,
      value: percentile(times, 0.95),
      unit: 'ms',
      beside: { what: 'median', value: median(times) },
      limit: { of: 'value', atMost: 150 },
    },
    {
      what: `first page over ${objects} objects that are not read yet`,
      value: filled.firstMs / 1000,
      unit: 's',
      beside: { what: 'the copies complete', value: filled.readMs / 1000 },
    },
    {
      what: 'all rows, drift compared',
      value: turns.seconds,
      unit: 's',
      beside: { what: 'processor time of reading, copies and rows', value: filled.cpuMs / 1000 },
    },
    ...turnFigures('meanwhile', turns),
    { what: 'memory per watched object, rows included', value: heapEach / 1024, unit: 'KB', limit: { of: 'value', atMost: 4 } },
  ];
}

interface Filled {
  /** Until the copies are complete, and until one page is shown. */
  readonly readMs: number;
  readonly firstMs: number;
  readonly cpuMs: number;
}

/** Until every row is there and judged, with a browser that looks at the table from the beginning. */
async function fill(readModel: OpenReadModel, informers: Informers): Promise<Filled> {
  const [startedAt, before] = [performance.now(), process.cpuUsage()];
  const now = () => performance.now() - startedAt;
  const starting = readModel.start();
  const open = (query: ListQuery) => readModel.open({ kind: 'applications', query }, 'all');
  const [shown, healthy, drifting] = [open({}), open({ health: ['Current'] }), open({ drifted: true })];
  const isRead = () => informers.all().every((store) => store.health().synced);
  const isJudged = () => healthy?.snapshot().total === APPLICATIONS && drifting?.snapshot().total === 0;
  let readMs: number | undefined;
  let firstMs: number | undefined;
  for (;;) {
    if (isRead()) readMs ??= now();
    const seen = shown?.snapshot();
    if ((seen?.rows.length ?? 0) >= SHOWN) firstMs ??= now();
    if (readMs !== undefined && seen?.total === APPLICATIONS && seen.freshness.stale === null && isJudged()) break;
    await realClock.sleep(LOOK_EVERY_MS);
  }
  const { user, system } = process.cpuUsage(before);
  for (const window of [shown, healthy, drifting]) window?.release();
  await starting;
  return {
    readMs,
    firstMs: firstMs ?? readMs,
    cpuMs: (user + system) / 1000,
  };
}

async function ask<K extends Told['told']>(cluster: ChildProcess, orders: Orders, awaited: K): Promise<Extract<Told, { told: K }>> {
  cluster.send(orders);
  for (;;) {
    const [message] = (await once(cluster, 'message')) as [Told];
    if (message.told === awaited) return message as Extract<Told, { told: K }>;
  }
}
