import { describe, expect, it } from 'vitest';
import type { Revisions } from '@/server/rollout/model';
import { readWorkload } from '@/server/rollout/objects';
import { DEFAULT_STAGE_CONFIG } from '@/server/rollout/planning/config';
import { nextStage } from '@/server/rollout/planning/next-stage';
import { evaluateOverdue, shiftTraffic } from '@/server/rollout/planning/overdue';
import { sameTargets } from '@/server/rollout/planning/retarget';
import { updateSPAForRevUp } from '@/server/rollout/stage/bounds';

const scales = (actual: Readonly<Record<string, number | undefined>>) => ({
  actual: new Map(Object.entries(actual)),
  staged: new Set(Object.keys(actual)),
});

function stageOf(initialRevisions: Revisions, target: Revisions[number], actual: Readonly<Record<string, number>>): Revisions {
  const ro = { spec: { initialRevisions, targetRevisions: [target] }, status: { conditions: [] } };
  return nextStage(ro, DEFAULT_STAGE_CONFIG, scales(actual)).stageTargetRevisions ?? [];
}

describe('defects of the original', () => {
  it('[rollout T7] finds a target that a rollout before left as staying, and does not add it twice', () => {
    const initial = [
      { revisionName: 'a', percent: 60, direction: 'stay', minScale: 6 },
      { revisionName: 'b', percent: 40, direction: 'up', minScale: 4 },
    ];
    const stage = stageOf(initial, { revisionName: 'a', percent: 100, minScale: 10 }, { a: 6, b: 4 });
    expect(stage.map(({ revisionName, direction }) => [revisionName, direction])).toEqual([
      ['a', 'up'],
      ['b', 'down'],
    ]);
  });

  it('[rollout T7] finds a target whose percent was removed, and lets it grow from nothing', () => {
    const initial = [
      { revisionName: 'a', direction: 'down', targetReplicas: 0, minScale: 10 },
      { revisionName: 'b', percent: 100, direction: 'up', minScale: 10 },
    ];
    expect(stageOf(initial, { revisionName: 'a', percent: 100, minScale: 10 }, { a: 0, b: 10 })).toMatchObject([
      { revisionName: 'a', direction: 'up', percent: 10, targetReplicas: 1 },
      { revisionName: 'b', direction: 'down', percent: 90, targetReplicas: 9 },
    ]);
  });

  it('[rollout T17] does not call a pinned older revision the newest', () => {
    const initial = [{ revisionName: 'b', percent: 100, minScale: 4 }];
    const stage = stageOf(initial, { revisionName: 'a', percent: 100, minScale: 4, latestRevision: false }, { b: 4 });
    expect(stage.find(({ revisionName }) => revisionName === 'a')?.latestRevision).toBe(false);
  });

  it('[rollout T18] shifts by the target of the revision that shrinks, wherever it stands in the list', () => {
    const stage = [
      { revisionName: 'a', percent: 50, direction: 'stay' },
      { revisionName: 'b', percent: 40, direction: 'down', targetReplicas: 4 },
      { revisionName: 'c', percent: 10, direction: 'up', targetReplicas: 1 },
    ];
    expect(shiftTraffic(stage, 10, scales({ a: 5, b: 5, c: 1 }))).toMatchObject([{ percent: 50 }, { percent: 32 }, { percent: 18 }]);
  });

  it('[rollout T19] never moves traffic back to the old revision', () => {
    const stage = [
      { revisionName: 'b', percent: 40, direction: 'down', targetReplicas: 4 },
      { revisionName: 'c', percent: 60, direction: 'up', targetReplicas: 6 },
    ];
    expect(shiftTraffic(stage, 10, scales({ b: 1, c: 6 }))).toEqual(stage);
  });

  it('[rollout T20] takes absent figures for what they safely are', () => {
    expect(updateSPAForRevUp({}, { revisionName: 'a', targetReplicas: 2, minScale: 4 }, true)).toEqual({
      stageMinScale: 2,
      stageMaxScale: undefined,
    });
    expect(sameTargets([{ revisionName: 'a' }], [{ revisionName: 'a', percent: 0 }])).toBe(true);
    const stage = stageOf(
      [{ revisionName: 'a', percent: 100 }, { revisionName: 'b' }],
      { revisionName: 'c', percent: 100 },
      { a: 4, b: 0 },
    );
    expect(stage.map(({ revisionName }) => revisionName)).toEqual(['a', 'b', 'c']);
    expect(() => stageOf([{ revisionName: 'a', percent: 100 }], { revisionName: 'c', percent: 100 }, {})).toThrow(
      'the scale of revision a is unknown',
    );
  });

  it('[rollout T21] reads an explicit maximum of 0 on a workload as no maximum', () => {
    const annotations = { 'autoscaling.knative.dev/min-scale': '2', 'autoscaling.knative.dev/max-scale': '0' };
    const workload = readWorkload({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a', annotations } });
    expect([workload.minScale, workload.maxScale]).toEqual([2, undefined]);
  });

  it('[rollout T24] says how much of the deadline is left beside the full period', () => {
    const ro = {
      spec: { stageTargetRevisions: [{ revisionName: 'a', percent: 50 }], targetRevisions: [{ revisionName: 'a', percent: 100 }] },
      status: { conditions: [] },
    };
    expect(evaluateOverdue({ ro, config: DEFAULT_STAGE_CONFIG, scales: scales({ a: 1 }), workloads: [], finishOffsetSeconds: 30 })).toEqual(
      {
        action: 'wait',
        requeueAfterSeconds: 120,
        remainingSeconds: 30,
      },
    );
  });
});
