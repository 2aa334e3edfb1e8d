import { expect, it } from 'vitest';
import type { RequeueAfterMs } from '@/server/embedded/controllers/key-queue';
import { KeyQueue } from '@/server/embedded/controllers/key-queue';
import { KubeApiError } from '@/server/kube';
import { ManualClock } from '@/test/support/manual-clock';
import { silentLog } from '../../../support/silent-log';

function aQueue(work: (key: string) => Promise<RequeueAfterMs>, workers = 1) {
  const clock = new ManualClock();
  return { clock, queue: new KeyQueue({ name: 'test', clock, log: silentLog, workers, work }) };
}

it('[cluster K] a key that is added many times before its turn runs once, one added meanwhile runs once more', async () => {
  const seen: string[] = [];
  const { clock, queue } = aQueue(async (key) => {
    seen.push(key);
    if (seen.length === 1) for (const again of ['a', 'a', 'a']) queue.add(again);
    return undefined;
  });
  for (const key of ['a', 'b', 'a']) queue.add(key);
  await clock.settle();
  expect(seen).toEqual(['a', 'b', 'a']);
});

it('[cluster K] one key is never worked on twice at a time, several keys are', async () => {
  const active = new Set<string>();
  let most = 0;
  const { clock, queue } = aQueue(async (key) => {
    expect(active.has(key)).toBe(false);
    active.add(key);
    most = Math.max(most, active.size);
    await new Promise((resolve) => setImmediate(resolve));
    queue.add('a');
    active.delete(key);
    return undefined;
  }, 3);
  for (const key of ['a', 'b', 'c', 'd']) queue.add(key);
  await new Promise((resolve) => setImmediate(resolve));
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(most).toBe(3);
  await queue[Symbol.asyncDispose]();
  await clock.settle();
});

it('[cluster K] of two delays the earlier counts, and a pass may ask to be repeated', async () => {
  const seen: number[] = [];
  const { clock, queue } = aQueue(async () => {
    seen.push(clock.now());
    return seen.length < 3 ? 1000 : undefined;
  });
  const start = clock.now();
  queue.addAfter('a', 500);
  queue.addAfter('a', 200);
  queue.addAfter('a', 900);
  await clock.advance(5000);
  expect(seen.map((at) => at - start)).toEqual([200, 1200, 2200]);
});

it('[cluster K] a failure comes back after a growing wait, a lost race at once', async () => {
  const seen: number[] = [];
  let error: Error = new KubeApiError({ code: 409, reason: 'Conflict', message: 'conflict' });
  const { clock, queue } = aQueue(async () => {
    seen.push(clock.now());
    if (seen.length === 2) error = new Error('broken');
    if (seen.length < 5) throw error;
    return undefined;
  });
  const start = clock.now();
  queue.add('a');
  await clock.settle();
  expect(seen).toHaveLength(2);
  await clock.advance(1000);
  const waits = seen.map((at) => at - start);
  expect(waits).toHaveLength(5);
  expect((waits[4] ?? 0) - (waits[3] ?? 0)).toBeGreaterThan((waits[3] ?? 0) - (waits[2] ?? 0));
});

it('[cluster K] disposing lets the pass under way end and starts no other', async () => {
  const seen: string[] = [];
  const { clock, queue } = aQueue(async (key) => {
    seen.push(`${key} begins`);
    await new Promise((resolve) => setImmediate(resolve));
    seen.push(`${key} ends`);
    return 10;
  });
  queue.add('a');
  queue.add('b');
  await new Promise((resolve) => setImmediate(resolve));
  await queue[Symbol.asyncDispose]();
  queue.add('c');
  await clock.advance(100);
  expect(seen).toEqual(['a begins', 'a ends']);
});
