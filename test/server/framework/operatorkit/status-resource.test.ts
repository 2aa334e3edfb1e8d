import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { RunContext } from '@/server/framework/operatorkit/context/run-context';
import { processDelete, processUpdate } from '@/server/framework/operatorkit/resource/process';
import type { WantedStatus } from '@/server/framework/operatorkit/surface/status-resource';
import { statusResource } from '@/server/framework/operatorkit/surface/status-resource';
import { KubeApiError } from '@/server/kube';
import { ManualClock } from '@/test/support/manual-clock';
import { silentLog } from '../../../support/silent-log';
import { aConfigMap } from '../fake-store';

function startBench(status?: object) {
  const clock = new ManualClock();
  let stored: KubeObject | undefined = { ...aConfigMap('web'), ...(status ? { status } : {}) };
  const writes: unknown[] = [];
  let wanted: WantedStatus = {};
  const resource = statusResource({
    name: 'status',
    clock,
    logger: silentLog,
    cluster: {
      get: async () => {
        if (stored === undefined) throw new KubeApiError({ code: 404, reason: 'NotFound', message: 'gone' });
        return stored;
      },
      update: async (object, options) => {
        writes.push(options?.subresource);
        stored = object;
        return object;
      },
    },
    desired: () => wanted,
  });
  return {
    clock,
    writes,
    status: () => stored?.status,
    run: (next: WantedStatus) => {
      wanted = next;
      return processUpdate(RunContext.background(), aConfigMap('web'), [resource]);
    },
    runDeletion: () => processDelete(RunContext.background(), aConfigMap('web'), [resource]),
    remove: () => {
      stored = undefined;
    },
  };
}

const READY = { type: 'Ready', status: 'True', reason: 'Up', message: '3 of 3' } as const;

describe('status resource', () => {
  it('[framework L12] writes the status subresource when it differs, and never when it does not', async () => {
    const bench = startBench({ kept: 1 });
    await bench.run({ replicas: 3, conditions: [READY] });
    await bench.clock.advance(5000);
    await bench.run({ replicas: 3, conditions: [READY] });
    expect(bench.writes).toEqual(['status']);
    expect(bench.status()).toEqual({ kept: 1, replicas: 3, conditions: [{ ...READY, lastTransitionTime: '2026-01-01T09:00:00Z' }] });
  });

  it('[framework L12] moves the time of a condition only with its status, and leaves conditions of others alone', async () => {
    const other = { type: 'Foreign', status: 'False', lastTransitionTime: '2025-01-01T00:00:00Z' };
    const bench = startBench({ conditions: [other] });
    await bench.run({ conditions: [READY] });
    await bench.clock.advance(5000);
    await bench.run({ conditions: [{ ...READY, message: '4 of 4' }] });
    expect(bench.status()).toEqual({ conditions: [other, { ...READY, message: '4 of 4', lastTransitionTime: '2026-01-01T09:00:00Z' }] });
    await bench.run({ conditions: [{ ...READY, status: 'False' }] });
    expect(bench.status()).toEqual({ conditions: [other, { ...READY, status: 'False', lastTransitionTime: '2026-01-01T09:00:05Z' }] });
  });

  it('[framework L12] writes nothing about an object that is gone or on its way out', async () => {
    const bench = startBench();
    await bench.runDeletion();
    bench.remove();
    await bench.run({ conditions: [READY] });
    expect(bench.writes).toEqual([]);
  });
});
