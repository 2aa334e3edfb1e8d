import { describe, expect, it } from 'vitest';
import { getCondition } from '@/lib/kube/condition';
import { readField, readFields } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { ROLLOUT_STATUS_RULES } from '@/server/rollout';
import { EngineRig } from './engine-rig';
import { anEntry } from './simulation';

/** A rollout that begins while the engine cannot scale. */
async function failing(): Promise<EngineRig> {
  const rig = await new EngineRig().start();
  await rig.deploy('web-v1', 4);
  await rig.deploy('web-v2', 0);
  rig.server.addFaults([{ verb: 'create', kind: 'StagePodAutoscaler', code: 500, times: 100_000 }]);
  await rig.roll({ initialRevisions: [anEntry('web-v1', 4)], targetRevisions: [anEntry('web-v2', 4)] });
  await rig.clock.advance(5000);
  return rig;
}

const progressOf = (rollout: KubeObject) => readField(rollout, 'status', 'control', 'progress');
const withoutProgress = (rollout: KubeObject) => ({
  ...readFields(rollout, 'status'),
  control: { ...readFields(rollout, 'status', 'control'), progress: undefined },
});

describe('a pass over a rollout that fails', () => {
  it('[issue 9] is told on the rollout and its page, once, and goes when a pass succeeds', async () => {
    await using rig = await failing();
    expect(getCondition(rig.rollout, 'Reconciled')).toMatchObject({ status: 'False', reason: 'ReconcileFailed', severity: 'Info' });
    expect(rig.told.phase).toBe('Degraded');
    expect(rig.told.waitsFor.message.id).toBe('wait.failed');
    expect(rig.sentence).toMatch(/^reconciling this rollout failed and is retried: ./);
    expect(ROLLOUT_STATUS_RULES[0]?.rows?.[0]?.when).toEqual([{ condition: 'Reconciled', status: 'False' }]);
    rig.server.clearFaults();
    await rig.clock.advance(600_000);
    expect(getCondition(rig.rollout, 'Reconciled')).toBeUndefined();
    expect([rig.replicas('web-v2'), rig.told.phase]).toEqual([4, 'Healthy']);
  });

  it('[issue 9] does not wake itself by telling so: the pauses between its tries grow', async () => {
    await using rig = await failing();
    rig.sent.length = 0;
    rig.statusWrites.length = 0;
    const before = rig.rollout;
    await rig.clock.advance(60_000);
    expect(rig.sent.filter((line) => line.startsWith('create StagePodAutoscaler')).length).toBeLessThan(60);
    // One write, of the score that the stage began with: it only counts, and was therefore kept back for a second. None is about the failure.
    expect(rig.statusWrites.map(({ kind, name }) => `${kind} ${name}`)).toEqual(['RolloutOrchestrator web']);
    expect(progressOf(before)).toBeUndefined();
    expect(progressOf(rig.rollout)).toMatchObject({ score: -3 });
    expect(withoutProgress(rig.rollout)).toEqual(withoutProgress(before));
  });
});
