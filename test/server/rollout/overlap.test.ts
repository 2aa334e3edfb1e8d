import { expect, it } from 'vitest';
import { toInstant } from '@/lib/std/instant';
import type { Rollout, StageAutoscaler } from '@/server/rollout/model';
import { runStage } from '@/server/rollout/stage/runner';
import { StageTransaction } from '@/server/rollout/stage/transaction';
import { EngineRig } from './engine-rig';
import { anEntry, aRolloutSpec } from './simulation';

const NOW = toInstant(Date.UTC(2026, 0, 1));

/** A stage of a fifth of ten replicas, grown and shrunk; what is left of the old side is the test's. */
function aStage(old: Partial<StageAutoscaler['figures']> & { readonly livePods?: number }, more: Partial<Rollout['spec']> = {}) {
  const { livePods, ...figures } = old;
  const spec = {
    initialRevisions: [{ ...anEntry('web-v1', 10), percent: 100 }],
    targetRevisions: [{ ...anEntry('web-v2', 10), percent: 100 }],
    stageTargetRevisions: [
      { ...anEntry('web-v1', 10), direction: 'down', percent: 80, targetReplicas: 8 },
      { ...anEntry('web-v2', 10), direction: 'up', percent: 20, targetReplicas: 2 },
    ],
    rolloutStrategy: 'availability',
    ...more,
  };
  const autoscalers: readonly StageAutoscaler[] = [
    {
      name: 'web-v1',
      ready: true,
      bounds: { stageMinScale: 8, stageMaxScale: 8 },
      livePods,
      figures: { desiredScale: 8, actualScale: 8, replicasTerminating: 2, ...figures },
    },
    {
      name: 'web-v2',
      ready: true,
      bounds: { stageMinScale: 2, stageMaxScale: 10 },
      livePods: 2,
      figures: { desiredScale: 2, actualScale: 2, replicasTerminating: 0 },
    },
  ];
  const ro: Rollout = {
    name: 'web',
    namespace: 'shop',
    uid: 'ro-1',
    generation: 1,
    spec,
    status: { observedGeneration: 1, conditions: [] },
  };
  const isThrough = (overlap?: boolean) => {
    const options = overlap === undefined ? { now: NOW } : { now: NOW, overlap };
    return runStage(ro, new StageTransaction({ autoscalers }), options).status.stageRevisionStatus !== undefined;
  };
  return { isThrough };
}

it('[rollout 8.8] the runner by itself waits in every stage until the old pods are gone', () => {
  expect(aStage({ livePods: 8 }).isThrough()).toBe(false);
  expect(aStage({ livePods: 8, replicasTerminating: 0 }).isThrough()).toBe(true);
  expect(aStage({ replicasTerminating: 0 }).isThrough()).toBe(true);
});

it('[issue 13] without overlap one that is to go holds the stage also while nobody has seen that it goes', () => {
  expect(aStage({ livePods: 9, replicasTerminating: 0 }).isThrough(false)).toBe(false);
});

it('[issue 13] with overlap a stage is through while old pods terminate, and not while one that is to go stays, ready or not', () => {
  expect(aStage({ livePods: 8 }).isThrough(true)).toBe(true);
  expect(aStage({ livePods: 9 }).isThrough(true)).toBe(false);
  expect(aStage({ livePods: 9, actualScale: 9 }).isThrough(true)).toBe(false);
});

it('[issue 13] with overlap the last stage waits, and so does resourceutil, and so does what nobody counts', () => {
  const last = [
    { ...anEntry('web-v1', 10), direction: 'down', targetReplicas: 0 },
    { ...anEntry('web-v2', 10), direction: 'up', percent: 100, targetReplicas: 2 },
  ].map(({ percent, ...entry }, at) => (at === 0 ? entry : { ...entry, percent }));
  expect(aStage({ livePods: 0, desiredScale: 0, actualScale: 0 }, { stageTargetRevisions: last }).isThrough(true)).toBe(false);
  expect(aStage({ livePods: 8 }, { rolloutStrategy: 'resourceutil' }).isThrough(true)).toBe(false);
  expect(aStage({}).isThrough(true)).toBe(false);
});

it('[issue 13] the next stage is planned without pods that are gone, while the old Deployment goes on counting them', async () => {
  await using rig = await new EngineRig().start();
  await rig.deploy('web-v1', 20);
  await rig.deploy('web-v2', 0);
  await rig.roll(aRolloutSpec('web-v1', 'web-v2', 20, { overConsumptionRatio: 20, control: { gates: 'every-stage' } }));
  await rig.clock.advance(10_000);
  expect([rig.replicas('web-v1'), rig.replicas('web-v2')]).toEqual([16, 4]);
  await rig.tell('web-v1', { replicas: 20, readyReplicas: 20 });
  await rig.decide({ verb: 'approve' });
  expect([rig.replicas('web-v1'), rig.replicas('web-v2')]).toEqual([16, 8]);
});
