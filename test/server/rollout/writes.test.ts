import { describe, expect, it } from 'vitest';
import { readNumber } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { EngineRig } from './engine-rig';
import { aRolloutSpec } from './simulation';

/** One stage from ten pods to ten others, which come and go one by one. */
async function oneStage(podEveryMs: number): Promise<EngineRig> {
  const rig = await new EngineRig().start();
  await rig.deploy('web-v1', 10);
  await rig.deploy('web-v2', 0);
  rig.podEveryMs = podEveryMs;
  rig.statusWrites.length = 0;
  await rig.roll(aRolloutSpec('web-v1', 'web-v2', 10, { overConsumptionRatio: 100 }));
  await rig.clock.advance(20_000 + 40 * podEveryMs);
  expect([rig.told.phase, rig.replicas('web-v1'), rig.replicas('web-v2')]).toEqual(['Healthy', 0, 10]);
  return rig;
}

const writesOf = (rig: EngineRig, kind: string, name: string) =>
  rig.statusWrites.filter((write) => write.kind === kind && write.name === name);

describe('writes of a rollout', () => {
  it('[issue 9.3] change a status when stage, phase, gate or verdict change, not with every pod', async () => {
    await using rig = await oneStage(100);
    expect(writesOf(rig, 'RolloutOrchestrator', 'web').length).toBeLessThanOrEqual(6);
    expect(writesOf(rig, 'StagePodAutoscaler', 'web-v2').length).toBeLessThanOrEqual(3);
    expect(writesOf(rig, 'StagePodAutoscaler', 'web-v1').length).toBeLessThanOrEqual(4);
  });

  it('[issue 9.3] that only count come at most once a second for each object, and the last figures are not lost', async () => {
    await using rig = await oneStage(250);
    for (const name of ['web-v1', 'web-v2']) {
      const moments = writesOf(rig, 'StagePodAutoscaler', name).map(({ at }) => at);
      // What ends a stage is written at once: so many writes may be closer together, all others are a second apart.
      const close = moments.filter((at, index) => index > 0 && at - (moments[index - 1] ?? 0) < 1000);
      expect(close.length, JSON.stringify(moments)).toBeLessThanOrEqual(2);
      const spa = rig.get(KINDS.stagePodAutoscaler, name);
      expect(readNumber(spa, 'status', 'actualScale')).toBe(name === 'web-v1' ? 0 : 10);
    }
  });

  it('[issue 9.3] end with the rollout: at rest nothing is written, however long it rests', async () => {
    await using rig = await oneStage(100);
    rig.writes.length = 0;
    await rig.clock.advance(3_600_000);
    expect(rig.writes).toEqual([]);
  });

  it('[rollout 14.2] notices the progress of a stage although it is written late, and its end although nothing moves any more', async () => {
    await using rig = await new EngineRig().start();
    await rig.deploy('web-v1', 4);
    await rig.deploy('web-v2', 0);
    rig.broken.add('web-v2');
    await rig.roll(aRolloutSpec('web-v1', 'web-v2', 4, { overConsumptionRatio: 50, control: { progressDeadlineSeconds: 60 } }));
    await rig.clock.advance(50_000);
    expect(rig.told.phase).toBe('Progressing');
    await rig.clock.advance(15_000);
    expect([rig.told.phase, rig.control('phase')]).toEqual(['Degraded', 'Degraded']);
  });

  it('[issue 13] and no pass begins for counts of a workload that none goes by; for what one goes by each begins', async () => {
    await using rig = await oneStage(100);
    const passesFor = async (status: object): Promise<number> => {
      const before = rig.passes;
      await rig.tell('web-v2', status);
      return rig.passes - before;
    };
    expect(await passesFor({ updatedReplicas: 9, terminatingReplicas: 3, unavailableReplicas: 1 })).toBe(0);
    for (const status of [
      { readyReplicas: 9 },
      { replicas: 11 },
      { availableReplicas: 9 },
      { conditions: [{ type: 'Available', status: 'False' }] },
    ]) {
      expect(await passesFor(status), JSON.stringify(status)).toBeGreaterThan(0);
    }
  });

  it('[issue 13] nor for pods that come; for one that gets ready, one that goes, and where readiness must last, each begins', async () => {
    await using rig = await oneStage(100);
    const labels = { 'serving.knative.dev/revision': 'web-v2' };
    const passesFor = async (name: string, change: { readonly deletionTimestamp?: string; readonly ready?: boolean }): Promise<number> => {
      const before = rig.passes;
      rig.seedPod(
        name,
        labels,
        change.deletionTimestamp === undefined ? {} : { deletionTimestamp: change.deletionTimestamp },
        change.ready,
      );
      await rig.clock.advance(100);
      return rig.passes - before;
    };
    expect(await passesFor('web-v2-a', {})).toBe(0);
    expect(await passesFor('web-v2-a', { ready: true })).toBeGreaterThan(0);
    expect(await passesFor('web-v2-a', { ready: true, deletionTimestamp: '2026-01-01T00:00:00Z' })).toBeGreaterThan(0);
    await rig.roll({ control: { minReadySeconds: 5 } });
    await rig.clock.advance(10_000);
    expect(await passesFor('web-v2-b', { ready: true })).toBeGreaterThan(0);
  });
});

it('[issue 13] a stage begins while the end of the one before is still on its way to the record, which gets both, in order', async () => {
  await using rig = await new EngineRig().start();
  await rig.deploy('web-v1', 10);
  await rig.deploy('web-v2', 0);
  await rig.roll(aRolloutSpec('web-v1', 'web-v2', 10, { overConsumptionRatio: 50 }));
  rig.order.length = 0;
  rig.recordTurns = 500;
  await rig.clock.advance(10_000);
  const completed = rig.order.indexOf('record stage.completed');
  expect(completed).toBeGreaterThan(0);
  expect(rig.order.slice(0, completed), 'replicas of the second stage').toContain('patch Deployment/web-v2');
  expect([...rig.record.values()].map(({ action }) => action)).toEqual(['rollout.started', 'stage.completed', 'rollout.completed']);
});
