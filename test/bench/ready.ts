import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { Cluster } from '@/server/kube';
import { realClock } from '@/server/platform';
import { openCluster } from '../support/census';
import { startServerProcess } from '../support/server-process';
import { until } from '../support/until';
import type { Figure } from './figure';
import { aCatalogue, CATALOGUE } from './large-catalogue';
import { percentile } from './measure';
import { metric } from './metric';

const SIZES = [500, 1000, 4000];
/** Applied before, and as which application. */
const WARM = 500;
const WARMED = 'warmed';
const LIMIT_MS = 5 * 60_000;
const APART_MS = 5;
const LOOK_MS = 300;
const REST_MS = 5000;
/** What somebody waits for who asks whether the server can serve. */
const ANSWER_MS = 200;
const LARGEST_S = 20;
const GROWTH = 1.3;
const PROCESSOR = 'process_cpu_seconds_total';

interface Applied {
  readonly seconds: number;
  /** Milliseconds of each answer of /readyz meanwhile. */
  readonly answers: readonly number[];
  /** Milliseconds of processor time of the server, for each object. */
  readonly cpuMs: number;
}

/** Whether the built server answers while it applies a large application to its own cluster, and what each object costs it. */
export async function benchReady(): Promise<readonly Figure[]> {
  await promisify(execFile)(process.execPath, ['scripts/build.mjs']); // building is not applying
  const runs = new Map<number, Applied>();
  for (const size of SIZES) runs.set(size, await applyOnce(size));
  const [smallest, largest] = [SIZES[0] ?? 0, SIZES.at(-1) ?? 0];
  const cost = (size: number) => runs.get(size)?.cpuMs ?? Number.NaN;
  return [
    ...[...runs].flatMap(([size, { seconds, answers }]): readonly Figure[] => [
      {
        what: `one application of ${size} ConfigMaps, until it runs`,
        value: seconds,
        unit: 's',
        ...(size === largest ? { limit: { of: 'value', atMost: LARGEST_S } as const } : {}),
      },
      {
        what: `${size}: longest of ${answers.length} answers of /readyz meanwhile`,
        value: Math.max(...answers),
        unit: 'ms',
        beside: { what: 'p95', value: percentile(answers, 0.95) },
        limit: { of: 'value', atMost: ANSWER_MS },
      },
    ]),
    {
      what: `processor time of the server for each object, ${largest} beside ${smallest}`,
      value: cost(largest),
      unit: 'ms',
      beside: { what: `of ${smallest}`, value: cost(smallest) },
      limit: { of: 'ratio', atMost: GROWTH },
    },
  ];
}

async function applyOnce(size: number): Promise<Applied> {
  await using server = await startServerProcess(['--demonstration', 'off']);
  await using cluster = openCluster(path.join(server.dataDir, 'cluster', 'kubeconfig'));
  const { origin } = server;
  await until('it is ready', async () => (await fetch(`${origin}/readyz`)).ok);
  await realClock.sleep(REST_MS);
  await cluster.create({ ...KINDS.namespace, metadata: { name: 'shop' } });
  // What a process does for the first time costs it more, and would make few objects look dear beside many.
  await cluster.create(aCatalogue(WARM, WARMED));
  await untilRunning(cluster, WARMED);
  const ending = new AbortController();
  const asking = ask(origin, ending.signal);
  const before = await metric(origin, PROCESSOR);
  const startedAt = performance.now();
  await cluster.create(aCatalogue(size));
  await untilRunning(cluster, CATALOGUE.name);
  const seconds = (performance.now() - startedAt) / 1000;
  const used = (await metric(origin, PROCESSOR)) - before;
  ending.abort();
  return { seconds, answers: await asking, cpuMs: (used * 1000) / size };
}

/** Asks one time after the other, as whoever balances load does, only oftener. */
async function ask(origin: string, signal: AbortSignal): Promise<readonly number[]> {
  const answers: number[] = [];
  while (!signal.aborted) {
    const startedAt = performance.now();
    const answer = await fetch(`${origin}/readyz`);
    await answer.text();
    if (!answer.ok) throw new Error(`/readyz answered ${answer.status}`);
    answers.push(performance.now() - startedAt);
    await realClock.sleep(APART_MS);
  }
  return answers;
}

async function untilRunning(cluster: Cluster, name: string): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  for (;;) {
    const status = readString(await cluster.get({ ...CATALOGUE, name }), 'status', 'status');
    if (status === 'running') return;
    if (performance.now() > end) throw new Error(`the application is ${status} after ${LIMIT_MS / 1000} s`);
    await realClock.sleep(LOOK_MS);
  }
}
