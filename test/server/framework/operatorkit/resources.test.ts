import { describe, expect, it } from 'vitest';
import { Semaphore } from '@/lib/std/semaphore';
import { requeueAfter, settled } from '@/server/framework';
import { exponentialBackOff, permanent, retryWithBackOff, zeroBackOff } from '@/server/framework/operatorkit/back-off';
import { newOutcomeBox, withOutcomeBox } from '@/server/framework/operatorkit/context/pass-outcome';
import { withRunCacheKey } from '@/server/framework/operatorkit/context/run-cache-key';
import { RunContext } from '@/server/framework/operatorkit/context/run-context';
import { FrameworkError, isExecutionFailed, isInvalidConfig, isNoResourceSet, wrapError } from '@/server/framework/operatorkit/errors';
import { CRUDResource } from '@/server/framework/operatorkit/resource/crud-resource';
import { NewPatch } from '@/server/framework/operatorkit/resource/patch';
import { processDelete, processUpdate } from '@/server/framework/operatorkit/resource/process';
import { reconcilerResource } from '@/server/framework/operatorkit/resource/reconciler-resource';
import { wrapWithMetrics } from '@/server/framework/operatorkit/resource/wrapper/metrics-resource';
import { newRetryResource } from '@/server/framework/operatorkit/surface/retry-resource';
import { createMetrics, createRandom } from '@/server/platform';
import { ManualClock } from '@/test/support/manual-clock';
import { silentLog } from '../../../support/silent-log';
import { aConfigMap } from '../fake-store';

const context = RunContext.background();

describe('errors', () => {
  it('[framework R1.3] keep their class through any wrapping', () => {
    const error = wrapError(wrapError(new FrameworkError('noResourceSet', 'none'), 'inner'), 'outer');
    expect(isNoResourceSet(error)).toBe(true);
    expect(isExecutionFailed(error)).toBe(false);
    expect(error.message).toBe('outer: inner: none');
  });

  it('[framework R1.3] differ between packages that share a name', () => {
    expect(isInvalidConfig(new FrameworkError('invalidConfig', 'x', { origin: 'informer' }))).toBe(false);
    expect(isInvalidConfig(new FrameworkError('invalidConfig', 'x'))).toBe(true);
  });

  it('[framework R1.3] keep what was thrown when it was no error', () => {
    expect(wrapError('plain text', 'step').cause).toBe('plain text');
  });
});

describe('back-off', () => {
  it('[framework R1.6] stops at its retries, at its time, and never where both are endless', async () => {
    const clock = new ManualClock();
    const none = exponentialBackOff({ random: () => 0, maxRetries: 0 });
    expect(none.next()).toBe('stop');
    const timed = exponentialBackOff({ random: () => 0, maxElapsed: { ms: 1000, clock } });
    expect(timed.next()).toBe(250);
    await clock.advance(1001);
    expect(timed.next()).toBe('stop');
    timed.reset();
    expect(timed.next()).toBe(250);
  });

  it('[framework R1.6] ends a wait when the signal aborts', async () => {
    const clock = new ManualClock();
    const stopping = new AbortController();
    const failing = retryWithBackOff(() => Promise.reject(new Error('down')), zeroBackOff(5), { clock, signal: stopping.signal });
    stopping.abort(new Error('enough'));
    await expect(failing).rejects.toThrow('enough');
  });

  it('[framework R1.6] yields the inner error of a permanent one', async () => {
    const inner = new Error('never');
    const failing = retryWithBackOff(() => Promise.reject(wrapError(permanent(inner), 'op')), zeroBackOff(5), { clock: new ManualClock() });
    await expect(failing).rejects.toBe(inner);
  });
});

describe('resources', () => {
  it('[framework R3.1] are refused when there is none, also where the list itself is missing', async () => {
    for (const none of [[], undefined, null]) {
      const refused = await processUpdate(context, null, none as never).catch((error: unknown) => error);
      expect(isExecutionFailed(refused)).toBe(true);
      expect(String(refused)).toContain('resources must not be empty');
    }
  });

  it('[framework R7.3] are wrapped without a change of the wrapped one', async () => {
    let reads = 0;
    const ops = {
      name: 'r0',
      getCurrentState: async () => {
        reads++;
        throw new Error('down');
      },
      getDesiredState: async () => null,
      newUpdatePatch: async () => NewPatch(),
      newDeletePatch: async () => NewPatch(),
      applyCreateChange: async () => undefined,
      applyDeleteChange: async () => undefined,
      applyUpdateChange: async () => undefined,
    };
    const plain = new CRUDResource({ logger: silentLog, ops });
    const instant = {
      ...new ManualClock(),
      now: () => new ManualClock().now(),
      sleep: async () => undefined,
      schedule: () => () => undefined,
      hold: () => () => undefined,
    };
    const retried = newRetryResource(
      { logger: silentLog, resource: plain, backOff: zeroBackOff(2) },
      { clock: instant, random: createRandom(1) },
    );
    await expect(retried.ensureCreated(context, null)).rejects.toThrow('down');
    expect(reads).toBe(3);
    await expect(plain.ensureCreated(context, null)).rejects.toThrow('down');
    expect(reads).toBe(4);
  });

  it('[framework R7.4] of a list are each counted under their own name, in their order', async () => {
    const metrics = createMetrics();
    const named = (name: string) => ({ name, ensureCreated: async () => undefined, ensureDeleted: async () => undefined });
    const wrapped = wrapWithMetrics(
      { resources: [named('b'), named('a')], serviceName: 'slip-way' },
      { clock: new ManualClock(), metrics },
    );
    expect(wrapped.map(({ name }) => name)).toEqual(['b', 'a']);
    await processUpdate(context, null, wrapped);
    const text = await metrics.metrics();
    expect(text).toContain('operatorkit_framework_operation_total{service="slipWay",resource="b",operation="EnsureCreated"} 1');
    expect(text).toContain('operatorkit_framework_operation_total{service="slipWay",resource="a",operation="EnsureCreated"} 1');
  });

  it('[design 12.5] a reconciler is one: both verbs are a pass over the key, and the soonest look that is asked for counts', async () => {
    const passes: string[] = [];
    const resourceOf = (name: string, afterMs: number) =>
      reconcilerResource({
        name,
        logger: silentLog,
        shardKey: () => 'shop/web',
        reconcile: async (key, { reconcileId, shardKey }) => {
          passes.push(`${name} ${reconcileId} ${key} by ${shardKey}`);
          return afterMs === 0 ? settled() : requeueAfter(afterMs);
        },
      });
    const box = newOutcomeBox();
    const run = withOutcomeBox(withRunCacheKey(context, 'test', 7), box);
    await processUpdate(run, aConfigMap('a'), [resourceOf('slow', 500), resourceOf('quick', 200), resourceOf('content', 0)]);
    expect(box.outcome).toEqual(requeueAfter(200));
    await processDelete(context, aConfigMap('a'), [resourceOf('slow', 500)]);
    expect(passes).toEqual([
      'slow test-7 shop/a by shop/web',
      'quick test-7 shop/a by shop/web',
      'content test-7 shop/a by shop/web',
      'slow slow shop/a by shop/web',
    ]);
  });
});

describe('lock', () => {
  it('[framework R6.3] serves in the order of asking, also after a failure', async () => {
    const lock = new Semaphore(1);
    const order: number[] = [];
    const first = lock.run(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      order.push(1);
      throw new Error('first');
    });
    const second = lock.run(async () => void order.push(2));
    await expect(first).rejects.toThrow('first');
    await second;
    expect(order).toEqual([1, 2]);
  });
});
