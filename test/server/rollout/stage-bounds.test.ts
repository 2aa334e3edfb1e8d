import { describe, expect, it } from 'vitest';
import type { SpaFigures, StageBounds, TargetRevision } from '@/server/rollout/model';
import type { EffectiveBoundsInput } from '@/server/rollout/stage/bounds';
import {
  applyBounds,
  createBaseStagePodAutoscaler,
  effectiveBounds,
  isStageScaleDownReady,
  isStageScaleUpReady,
  scaleDownLimit,
  scaleUpNeed,
  updateSPAForRevDown,
  updateSPAForRevUp,
} from '@/server/rollout/stage/bounds';

const range = (stageMinScale: number | undefined, stageMaxScale: number | undefined): StageBounds => ({ stageMinScale, stageMaxScale });
const figures = (desiredScale: number | undefined, actualScale: number | undefined): SpaFigures => ({ desiredScale, actualScale });
/** A revision whose own range is 4 to 8. */
const web = (more: Partial<TargetRevision>): TargetRevision => ({ revisionName: 'web-v1', minScale: 4, maxScale: 8, ...more });

describe('the floor and the ceiling of a side that grows', () => {
  it.each<{ readonly of: string; readonly given: TargetRevision; readonly bounds: StageBounds }>([
    { of: 'a part of its floor', given: web({ targetReplicas: 2, percent: 50 }), bounds: range(2, 8) },
    { of: 'nothing yet', given: web({ targetReplicas: 0, percent: 10 }), bounds: range(0, 8) },
    { of: 'a part without a share', given: web({ targetReplicas: 2 }), bounds: range(2, 8) },
    { of: 'as much as its floor', given: web({ targetReplicas: 4, percent: 50 }), bounds: range(4, 8) },
    { of: 'more than its floor', given: web({ targetReplicas: 6, percent: 75 }), bounds: range(4, 8) },
    { of: 'all of it', given: web({ targetReplicas: 2, percent: 100 }), bounds: range(4, 8) },
    { of: 'a share by traffic', given: web({ percent: 50 }), bounds: range(4, 8) },
    {
      of: 'a part where it has no floor',
      given: { revisionName: 'web-v1', targetReplicas: 2, percent: 50 },
      bounds: range(undefined, undefined),
    },
    {
      of: 'nothing where it has no floor',
      given: { revisionName: 'web-v1', targetReplicas: 0, percent: 10 },
      bounds: range(undefined, undefined),
    },
  ])('[issue 10.7] are its own, the floor no higher than its target until it carries all: $of', ({ given, bounds }) => {
    expect(updateSPAForRevUp(range(0, 0), given, true)).toEqual(bounds);
  });
});

describe('the floor and the ceiling of a side that shrinks', () => {
  it.each<{ readonly of: string; readonly given: TargetRevision; readonly bounds: StageBounds }>([
    { of: 'less than its floor', given: web({ targetReplicas: 3, percent: 40 }), bounds: range(3, 3) },
    { of: 'as much as its floor', given: web({ targetReplicas: 4, percent: 50 }), bounds: range(4, 4) },
    { of: 'more than its floor', given: web({ targetReplicas: 6, percent: 75 }), bounds: range(4, 6) },
    { of: 'as much as its ceiling', given: web({ targetReplicas: 8, percent: 90 }), bounds: range(4, 8) },
    { of: 'more than its ceiling', given: web({ targetReplicas: 9, percent: 90 }), bounds: range(4, 8) },
    { of: 'a share by traffic', given: web({ percent: 50 }), bounds: range(4, 8) },
    { of: 'no replica', given: web({ targetReplicas: 0, percent: 5 }), bounds: range(0, 1) },
    { of: 'no share', given: web({ targetReplicas: 3 }), bounds: range(0, 1) },
    {
      of: 'a part where it has no ceiling',
      given: { revisionName: 'a', minScale: 2, targetReplicas: 900, percent: 50 },
      bounds: range(2, 900),
    },
    {
      of: 'a part where it has no floor',
      given: { revisionName: 'a', maxScale: 5, targetReplicas: 3, percent: 50 },
      bounds: range(undefined, 3),
    },
    {
      of: 'nothing of what may have nothing',
      given: web({ minScale: 0, maxScale: 0, targetReplicas: 0, percent: 5 }),
      bounds: range(0, 0),
    },
  ])('[issue 10.7] come down to its target once the new side is ready: $of', ({ given, bounds }) => {
    expect(updateSPAForRevDown(range(7, 7), given, true)).toEqual(bounds);
  });

  it('[issue 10.7] stay as they are until the new side is ready, also where all of it is to go', () => {
    for (const given of [web({ targetReplicas: 3, percent: 40 }), web({}), web({ targetReplicas: 0, percent: 0 })]) {
      expect(updateSPAForRevDown(range(7, 7), given, false)).toEqual(range(7, 7));
    }
    expect(updateSPAForRevDown(range(7, 7), web({ revisionName: ' ' }), true)).toEqual(range(7, 7));
  });
});

describe('a side that grows is ready', () => {
  it.each<{ readonly at: SpaFigures; readonly given: TargetRevision; readonly ready: boolean }>([
    { at: figures(2, 2), given: web({ targetReplicas: 2 }), ready: true },
    { at: figures(3, 3), given: web({ targetReplicas: 2 }), ready: true },
    { at: figures(1, 2), given: web({ targetReplicas: 2 }), ready: false },
    { at: figures(2, 1), given: web({ targetReplicas: 2 }), ready: false },
    { at: figures(4, 4), given: web({ targetReplicas: 6 }), ready: true },
    { at: figures(3, 4), given: web({ targetReplicas: 6 }), ready: false },
    { at: figures(undefined, 4), given: web({ targetReplicas: 2 }), ready: false },
    { at: figures(4, undefined), given: web({ targetReplicas: 2 }), ready: false },
    { at: figures(9, 4), given: web({}), ready: true },
    { at: figures(9, 8), given: web({}), ready: true },
    { at: figures(9, 3), given: web({}), ready: false },
    { at: figures(9, 9), given: web({}), ready: false },
    { at: figures(undefined, 5), given: web({}), ready: false },
    { at: figures(5, undefined), given: web({}), ready: false },
    { at: figures(0, 0), given: { revisionName: 'a', targetReplicas: 2 }, ready: true },
    { at: figures(0, 0), given: { revisionName: 'a' }, ready: true },
  ])('[issue 10.7] once what is wanted and what is there have reached its target: $at of $given: $ready', ({ at, given, ready }) => {
    expect(isStageScaleUpReady(at, given)).toBe(ready);
  });

  it('[issue 10.7] by a target as far as its floor goes, or by its own range', () => {
    expect(scaleUpNeed(web({ targetReplicas: 3 }))).toEqual({ kind: 'atLeast', replicas: 3 });
    expect(scaleUpNeed(web({ targetReplicas: 7 }))).toEqual({ kind: 'atLeast', replicas: 4 });
    expect(scaleUpNeed(web({}))).toEqual({ kind: 'within', min: 4, max: 8 });
  });
});

describe('a side that shrinks is down', () => {
  it.each<{ readonly at: SpaFigures; readonly given: TargetRevision; readonly ready: boolean }>([
    { at: figures(3, 3), given: web({ targetReplicas: 3 }), ready: true },
    { at: figures(2, 0), given: web({ targetReplicas: 3 }), ready: true },
    { at: figures(4, 3), given: web({ targetReplicas: 3 }), ready: false },
    { at: figures(3, 4), given: web({ targetReplicas: 3 }), ready: false },
    { at: figures(undefined, 0), given: web({ targetReplicas: 3 }), ready: false },
    { at: figures(0, undefined), given: web({ targetReplicas: 3 }), ready: false },
    { at: figures(8, 8), given: web({}), ready: true },
    { at: figures(8, 9), given: web({}), ready: false },
  ])('[issue 10.7] once neither what is wanted nor what is there is above its limit: $at of $given: $ready', ({ at, given, ready }) => {
    expect(isStageScaleDownReady(at, given)).toBe(ready);
  });

  it('[issue 10.7] by its target, else by its own ceiling', () => {
    expect([scaleDownLimit(web({ targetReplicas: 3 })), scaleDownLimit(web({})), scaleDownLimit({ revisionName: 'a' })]).toEqual([
      3, 8, 2_147_483_647,
    ]);
  });
});

describe('what an autoscaler applies', () => {
  it.each<{ readonly of: string; readonly given: EffectiveBoundsInput; readonly min: number; readonly max: number }>([
    { of: 'its own', given: { own: { minScale: 2, maxScale: 5 } }, min: 2, max: 5 },
    { of: 'those of the cluster', given: { own: {}, clusterDefaults: { minScale: 1, maxScale: 9 } }, min: 1, max: 9 },
    { of: 'its own first', given: { own: { minScale: 2, maxScale: 5 }, clusterDefaults: { minScale: 1, maxScale: 9 } }, min: 2, max: 5 },
    { of: 'none', given: { own: {} }, min: 0, max: 0 },
    { of: 'no floor where nobody reaches it', given: { own: { minScale: 2, maxScale: 5 }, unreachable: true }, min: 0, max: 5 },
    { of: 'lower ones of a stage', given: { own: { minScale: 4, maxScale: 8 }, stage: range(2, 3) }, min: 2, max: 3 },
    { of: 'no higher ones of a stage', given: { own: { minScale: 2, maxScale: 5 }, stage: range(4, 8) }, min: 2, max: 5 },
    {
      of: 'of a stage only what it sets',
      given: { own: { minScale: 4, maxScale: 8 }, stage: range(undefined, undefined) },
      min: 4,
      max: 8,
    },
    { of: 'no ceiling of a stage where it has none', given: { own: { minScale: 4 }, stage: range(2, 3) }, min: 2, max: 0 },
  ])('[issue 10.7] are $of', ({ given, min, max }) => {
    expect(effectiveBounds(given)).toEqual({ min, max });
  });

  it.each([
    { desired: 1, min: 2, max: 5, scale: 2 },
    { desired: 2, min: 2, max: 5, scale: 2 },
    { desired: 3, min: 2, max: 5, scale: 3 },
    { desired: 5, min: 2, max: 5, scale: 5 },
    { desired: 6, min: 2, max: 5, scale: 5 },
    { desired: 6, min: 2, max: 0, scale: 6 },
    { desired: 0, min: 0, max: 1, scale: 0 },
  ])('[issue 10.7] keep a scale of $desired within $min and $max, where 0 is no ceiling', ({ desired, min, max, scale }) => {
    expect(applyBounds(desired, { min, max })).toBe(scale);
  });
});

it('[issue 10.7] a new autoscaler belongs to its rollout, names its revision, and has the bounds of that', () => {
  expect(createBaseStagePodAutoscaler({ name: 'web', namespace: 'shop', uid: 'ro-1' }, web({ targetReplicas: 2 }))).toEqual({
    metadata: {
      name: 'web-v1',
      namespace: 'shop',
      labels: { 'serving.knative.dev/revision': 'web-v1', 'serving.knative.dev/service': 'web' },
      ownerReferences: [
        {
          apiVersion: 'serving.knative.dev/v1',
          kind: 'RolloutOrchestrator',
          name: 'web',
          uid: 'ro-1',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: range(4, 8),
  });
});
