import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { readString } from '@/lib/kube/fields';
import { createApplicationEngine } from '@/server/application';
import type { Engine } from '@/server/framework';
import type { Cluster } from '@/server/kube';
import { realClock } from '@/server/platform';
import { createRolloutEngine } from '@/server/rollout';
import { liveStatusOf } from '../support/live-status';
import { engineDepsOf } from './engine-deps';
import type { Figure } from './figure';
import { prepare, startInformers, startSimulator } from './ground';
import { aCatalogue, CATALOGUE } from './large-catalogue';
import { cpuTimed } from './measure';
import { openReadModel } from './open-read-model';
import type { Turns } from './turns';
import { measureTurns, turnFigures } from './turns';

const SIZES = [500, 1000, 4000];
const LIMIT_MS = 10 * 60_000;
/** The largest is to run within this time. */
const LARGEST_S = 20;
/** How much more an object may cost in the largest than in the smallest. */
const GROWTH = 1.3;

/** Whether one large application lets everybody else have their turn while it is applied: embedded cluster, engines and read model in one process, as the product runs them. */
export async function benchApply(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  const costs: number[] = [];
  for (const size of SIZES) {
    const { turns, cpuMs } = await applyOnce(size);
    costs.push(cpuMs / size);
    const what = `one application of ${size} ConfigMaps`;
    figures.push(
      {
        what: `${what}, until it runs`,
        value: turns.seconds,
        unit: 's',
        beside: { what: 'processor time of the process', value: cpuMs / 1000 },
        ...(size === SIZES.at(-1) ? { limit: { of: 'value', atMost: LARGEST_S } as const } : {}),
      },
      ...turnFigures(what, turns),
    );
  }
  return [
    ...figures,
    {
      what: `processor time of each object, ${SIZES.at(-1)} beside ${SIZES[0]}`,
      value: costs.at(-1) ?? Number.NaN,
      unit: 'ms',
      beside: { what: `of ${SIZES[0]}`, value: costs[0] ?? Number.NaN },
      limit: { of: 'ratio', atMost: GROWTH },
    },
  ];
}

async function applyOnce(size: number): Promise<{ readonly turns: Turns; readonly cpuMs: number }> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'slipway-bench-'));
  try {
    await using simulator = await startSimulator({ dataDir: folder });
    await prepare(simulator.cluster, ['shop']);
    await using _engines = await startServer(simulator.cluster);
    let turns: Turns | undefined;
    const cpuMs = await cpuTimed(async () => {
      turns = await measureTurns(async () => {
        await simulator.cluster.create(aCatalogue(size));
        await untilRunning(simulator.cluster);
      });
    });
    if (turns === undefined) throw new Error('no turn was measured');
    return { turns, cpuMs };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function startServer(cluster: Cluster): Promise<AsyncDisposable> {
  const informers = startInformers(cluster);
  const status = liveStatusOf(informers, realClock);
  const readModel = openReadModel(informers, status);
  const deps = engineDepsOf(cluster, informers);
  const engines: readonly Engine[] = [
    createApplicationEngine(deps, { status }),
    createRolloutEngine(deps, { status, noRollbackReason: () => null }),
  ];
  await Promise.all([readModel.start(), ...engines.map((engine) => engine.start())]);
  // Somebody looks at it all along.
  const window = readModel.open({ kind: 'applications', query: {} }, 'all');
  return {
    async [Symbol.asyncDispose]() {
      window?.release();
      for (const engine of engines) await engine[Symbol.asyncDispose]();
      await readModel[Symbol.asyncDispose]();
      await informers[Symbol.asyncDispose]();
    },
  };
}

async function untilRunning(cluster: Cluster): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  for (;;) {
    const application = await cluster.get(CATALOGUE);
    if (readString(application, 'status', 'status') === 'running') return;
    if (performance.now() > end)
      throw new Error(`the application is ${readString(application, 'status', 'status')} after ${LIMIT_MS / 1000} s`);
    await realClock.sleep(100);
  }
}
