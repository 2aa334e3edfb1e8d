import type { ObjectKey } from '@/lib/kube/object';
import { settled } from '@/server/framework';
import { createController } from '@/server/framework/loop';
import { createMetrics, createRandom, realClock } from '@/server/platform';
import { WorkQueue } from '@/server/platform/queue/work-queue';
import { FakeStore } from '../server/framework/fake-store';
import { silentLog } from '../support/silent-log';
import type { Figure } from './figure';
import { cpuTimed, median, repeated } from './measure';

const RUNS = 5;

/** What the framework adds to each pass, and to each key that waits. */
export async function benchFramework(): Promise<readonly Figure[]> {
  await passes(20_000);
  const small = await medianOf(RUNS * 4, () => passes(1000));
  const large = await medianOf(RUNS, () => passes(100_000));
  const queueSmall = await medianOf(RUNS * 4, () => queued(1000));
  const queueLarge = await medianOf(RUNS, () => queued(100_000));
  return [
    { what: 'processor time added to a no-op reconcile', value: large / 100_000, unit: 'ms', limit: { of: 'value', atMost: 0.1 } },
    {
      what: 'per key, 100 000 keys through a controller',
      value: (large * 1000) / 100_000,
      unit: 'us',
      beside: { what: '1000 keys', value: (small * 1000) / 1000 },
      limit: { of: 'ratio', atMost: 3 },
    },
    {
      what: 'per key, 100 000 keys queued and drained',
      value: (queueLarge * 1000) / 100_000,
      unit: 'us',
      beside: { what: '1000 keys', value: (queueSmall * 1000) / 1000 },
      limit: { of: 'ratio', atMost: 3 },
    },
  ];
}

async function medianOf(runs: number, measurement: () => Promise<number>): Promise<number> {
  return median(await repeated(runs, measurement));
}

const keysOf = (count: number): readonly ObjectKey[] => Array.from({ length: count }, (_, at) => `shop/web-${at}`);

/** So many keys, each enqueued and reconciled once by four workers, in milliseconds of processor time. */
async function passes(count: number): Promise<number> {
  const keys = keysOf(count);
  let left = count;
  let done: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    done = resolve;
  });
  await using controller = createController(
    {
      name: 'bench',
      workers: 4,
      sources: [{ store: new FakeStore() }],
      reconcile: async () => {
        if (--left === 0) done();
        return settled();
      },
    },
    { clock: realClock, log: silentLog, random: createRandom(1), metrics: createMetrics() },
  );
  await controller.start();
  return await cpuTimed(() => {
    for (const key of keys) controller.enqueue(key);
    return finished;
  });
}

/** So many keys added, some with a delay or a priority, and taken out again, in milliseconds of processor time. */
async function queued(count: number): Promise<number> {
  const keys = keysOf(count);
  const queue = new WorkQueue<ObjectKey>({ clock: realClock, random: createRandom(1) });
  const ms = await cpuTimed(async () => {
    for (const [at, key] of keys.entries()) queue.add(key, at % 10 === 0 ? { priority: 'person' } : at % 10 === 1 ? { afterMs: 1 } : {});
    for (let left = count; left > 0; left--) {
      const key = await queue.take();
      if (key !== undefined) queue.done(key);
    }
  });
  queue.close();
  return ms;
}
