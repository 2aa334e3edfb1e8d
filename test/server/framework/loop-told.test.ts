import { describe, expect, it } from 'vitest';
import { settled } from '@/server/framework';
import type { Log } from '@/server/platform';
import { createMetrics } from '@/server/platform';
import { silentLog } from '../../support/silent-log';
import { aConfigMap } from './fake-store';
import { startBench } from './loop-bench';

describe('controller loop', () => {
  it('[framework R7.4] counts every pass as the operation of a resource of operatorkit, and each failure once', async () => {
    const metrics = createMetrics();
    await using bench = await startBench({
      deps: { metrics },
      pass: (_key, count) => {
        if (count < 3) throw new Error('no answer');
        return settled();
      },
    });
    bench.store.put(aConfigMap('a'));
    await bench.clock.advance(100);
    const text = await metrics.metrics();
    const labels = '{service="slipway",resource="test",operation="EnsureCreated"}';
    expect(text).toContain(`operatorkit_framework_operation_total${labels} 3`);
    expect(text).toContain(`operatorkit_framework_operation_error_total${labels} 2`);
    expect(text).toContain('operatorkit_framework_event_count{event="update"} 3');
    expect(text).toContain('operatorkit_controller_errors_total{controller="test"} 2');
  });

  it('[framework L10] names controller, loop, event, object and resource in every line of a pass', async () => {
    const lines: object[] = [];
    const logOf = (fields: object): Log => ({
      ...silentLog,
      debug: (more, message) => void lines.push({ ...fields, ...more, message }),
      child: (more) => logOf({ ...fields, ...more }),
    });
    await using bench = await startBench({
      deps: { log: logOf({}) },
      reconcile: async (_key, { log, reconcileId }) => {
        log.debug({ reconcileId }, 'looked');
        return settled();
      },
    });
    bench.store.put(aConfigMap('a'));
    await bench.clock.settle();
    bench.store.put(aConfigMap('a'));
    await bench.clock.settle();
    const looked = lines.filter((line) => 'message' in line && line.message === 'looked');
    const named = { controller: 'test', event: 'update', object: 'shop/a', resource: 'test', message: 'looked' };
    expect(looked).toEqual([
      { ...named, loop: '0', reconcileId: 'test-0' },
      { ...named, loop: '1', reconcileId: 'test-1' },
    ]);
  });

  it('[framework L6] counts passes by what they came to, and shows the queue', async () => {
    const metrics = createMetrics();
    await using bench = await startBench({
      deps: { metrics },
      pass: (_key, count) => {
        if (count === 1) throw new Error('once');
        return settled();
      },
    });
    bench.store.put(aConfigMap('a'));
    await bench.clock.advance(10);
    const text = await metrics.metrics();
    expect(text).toContain('slipway_controller_passes_total{controller="test",result="failed"} 1');
    expect(text).toContain('slipway_controller_passes_total{controller="test",result="settled"} 1');
    expect(text).toContain('slipway_controller_queue_depth{controller="test"} 0');
    expect(text).toMatch(/slipway_controller_queue_delayed\{controller="test"\} \d/);
  });
});
