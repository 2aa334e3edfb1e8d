import { describe, expect, it } from 'vitest';
import { AppError } from '@/lib/contract/app-error';
import { createController } from '@/server/framework/loop';
import { SlowRetryError } from '@/server/framework/reconciler';
import { KubeApiError, KubeTransportError } from '@/server/kube';
import { createRandom } from '@/server/platform';
import { ManualClock } from '@/test/support/manual-clock';
import { silentLog } from '../../support/silent-log';
import { aConfigMap, FakeStore } from './fake-store';

/** Waits between the passes of an hour, each of which fails alike, and whether a change ends the last of them. */
async function waitsAfter(error: Error): Promise<{ readonly waits: readonly number[]; readonly woken: boolean }> {
  const clock = new ManualClock();
  const store = new FakeStore();
  const at: number[] = [];
  const reconcile = async () => {
    at.push(clock.now());
    throw error;
  };
  await using controller = createController(
    { name: 'test', sources: [{ store }], reconcile },
    { clock, log: silentLog, random: createRandom(3) },
  );
  void controller.start();
  await clock.settle();
  store.put(aConfigMap('a'));
  await clock.advance(60 * 60_000);
  const waits = at.slice(1).map((time, index) => time - (at[index] ?? 0));
  const before = at.length;
  store.put(aConfigMap('a'));
  await clock.settle();
  return { waits, woken: at.length === before + 1 };
}

describe('an object that fails by what it says', () => {
  it.each([
    ['the API server refuses it', new Error('apply web', { cause: new KubeApiError({ code: 422, reason: 'Invalid', message: 'no' }) })],
    ['we refuse to write it', new Error('apply web', { cause: new AppError('invalid', 'no') })],
    ['a retry costs much', new SlowRetryError('uninstall web')],
  ])('[issue 10, 4] is tried again after 5 s, doubling to 10 min, and at once when it changes: %s', async (_who, error) => {
    const { waits, woken } = await waitsAfter(error);
    const nominal = [5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 480_000, 480_000];
    for (const [index, wanted] of nominal.entries()) {
      expect(waits[index]).toBeGreaterThanOrEqual(wanted);
      expect(waits[index]).toBeLessThanOrEqual(wanted * 1.25);
    }
    expect(woken).toBe(true);
  });

  it.each([
    ['does not answer', new KubeTransportError('patch web got no answer')],
    ['has too much to do', new KubeApiError({ code: 429, reason: 'TooManyRequests', message: 'later' })],
    [
      'fails by itself',
      new Error('apply web', {
        cause: new KubeApiError({ code: 500, reason: 'InternalError', message: 'etcdserver: mvcc: database space exceeded' }),
      }),
    ],
  ])('[issue 10.6] waits no longer than half a minute for a server that %s, however long that takes', async (_how, error) => {
    const { waits } = await waitsAfter(error);
    expect(waits[0]).toBeLessThan(10);
    expect(Math.max(...waits)).toBeGreaterThan(20_000);
    expect(Math.max(...waits)).toBeLessThanOrEqual(30_000);
  });

  it('[issue 10.6] leaves a server alone for as long as it asks by Retry-After, a minute at most', async () => {
    const busy = (retryAfterSeconds: number) =>
      new KubeApiError({ code: 429, reason: 'TooManyRequests', message: 'later', details: { retryAfterSeconds } });
    expect((await waitsAfter(busy(7))).waits[0]).toBe(7_000);
    expect((await waitsAfter(busy(86_400))).waits[0]).toBe(60_000);
  });

  it('[issue 10, 4] any other failure keeps its own pace, beginning at 5 ms', async () => {
    const { waits } = await waitsAfter(new KubeApiError({ code: 409, reason: 'Conflict', message: 'later' }));
    expect(waits[0]).toBeLessThan(10);
  });
});
