import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { createApplicationEngine } from '@/server/application';
import type { Engine } from '@/server/framework';
import type { Cluster } from '@/server/kube';
import { realClock } from '@/server/platform';
import { createRolloutEngine } from '@/server/rollout';
import { liveStatusOf } from '../support/live-status';
import { engineDepsOf } from './engine-deps';
import type { Figure } from './figure';
import { counting, prepare, startInformers, startSimulator } from './ground';
import { forEachAtOnce, timed } from './measure';

const APPLICATIONS = 1000;
const NAMESPACES = 10;
const SETTLE_LIMIT_MS = 10 * 60_000;
/** No key queued or under way for so long counts as settled. */
const QUIET_MS = 2000;

/** What the engines do when they start beside 1000 applications that have settled: nothing, and soon. */
export async function benchRestart(): Promise<readonly Figure[]> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'slipway-bench-'));
  try {
    await using simulator = await startSimulator({ dataDir: folder, nodes: 40 });
    const namespaces = Array.from({ length: NAMESPACES }, (_, at) => `shop-${at}`);
    await prepare(simulator.cluster, namespaces);
    const dispatched = await timed(async () => {
      await using engines = await startEngines(simulator.cluster);
      const applications = Array.from({ length: APPLICATIONS }, (_, at) => anApplication(namespaces[at % NAMESPACES] ?? '', `web-${at}`));
      await forEachAtOnce(applications, 16, (application) => simulator.cluster.create(application));
      await untilRunning(simulator.cluster);
      await untilQuiet(engines.engines);
    });
    const objects = await countObjects(simulator.cluster);
    const counted = counting(simulator.cluster);
    let quietAt = 0;
    const startedAt = performance.now();
    {
      await using engines = await startEngines(counted.cluster);
      quietAt = await untilQuiet(engines.engines);
      const passes = engines.engines
        .flatMap(({ controllers }) => controllers)
        .reduce((sum, controller) => sum + controller.stats().passes, 0);
      if (passes < APPLICATIONS) throw new Error(`${passes} passes cannot have looked at ${APPLICATIONS} applications`);
    }
    return [
      { what: `${APPLICATIONS} new applications, until they run and the engines are quiet`, value: dispatched / 1000, unit: 's' },
      {
        what: `start beside ${APPLICATIONS} settled applications (${objects} objects), until the engines are quiet`,
        value: (quietAt - startedAt) / 1000,
        unit: 's',
        limit: { of: 'value', atMost: 60 },
      },
      { what: 'writes of that start', value: counted.writes(), unit: 'requests', limit: { of: 'value', atMost: 0 } },
      { what: 'reads of single objects of that start', value: counted.requests.get, unit: 'requests' },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function startEngines(cluster: Cluster): Promise<AsyncDisposable & { readonly engines: readonly Engine[] }> {
  const informers = startInformers(cluster);
  const deps = engineDepsOf(cluster, informers);
  const status = liveStatusOf(informers, realClock);
  const engines = [createApplicationEngine(deps, { status }), createRolloutEngine(deps, { status, noRollbackReason: () => null })];
  await Promise.all(engines.map((engine) => engine.start()));
  return {
    engines,
    async [Symbol.asyncDispose]() {
      for (const engine of engines) await engine[Symbol.asyncDispose]();
      await informers[Symbol.asyncDispose]();
    },
  };
}

function anApplication(namespace: string, name: string): KubeObject {
  const properties = { image: 'registry.example.com/shop/web:1.0', ports: [{ port: 8080, expose: true }], cpu: '0.01', memory: '8Mi' };
  return { ...KINDS.application, metadata: { name, namespace }, spec: { components: [{ name, type: 'webservice', properties }] } };
}

/** The moment from which nothing was queued or under way. */
async function untilQuiet(engines: readonly Engine[]): Promise<number> {
  const controllers = engines.flatMap((engine) => engine.controllers);
  let quietSince = performance.now();
  let passes = -1;
  while (performance.now() - quietSince < QUIET_MS) {
    const stats = controllers.map((controller) => controller.stats());
    const done = stats.reduce((sum, { passes }) => sum + passes, 0);
    if (done !== passes || stats.some(({ depth, active }) => depth + active > 0)) quietSince = performance.now();
    passes = done;
    await realClock.sleep(50);
  }
  return quietSince;
}

async function untilRunning(cluster: Cluster): Promise<void> {
  const end = performance.now() + SETTLE_LIMIT_MS;
  for (;;) {
    let running = 0;
    for await (const { items } of cluster.list(KINDS.application)) {
      running += items.filter((application) => readString(application, 'status', 'status') === 'running').length;
    }
    if (running === APPLICATIONS) return;
    if (performance.now() > end) throw new Error(`${running} of ${APPLICATIONS} applications run after ${SETTLE_LIMIT_MS / 1000} s`);
    await realClock.sleep(1000);
  }
}

async function countObjects(cluster: Cluster): Promise<number> {
  let objects = 0;
  for (const kind of Object.values(KINDS)) for await (const { items } of cluster.list(kind)) objects += items.length;
  return objects;
}
