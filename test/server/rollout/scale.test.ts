import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { ScaleRange } from '@/server/rollout/horizontal-autoscaler';
import type { StageBounds, TargetRevision } from '@/server/rollout/model';
import type { Workload } from '@/server/rollout/objects';
import { readWorkload } from '@/server/rollout/objects';
import type { ScalePlan } from '@/server/rollout/scale';
import { planScales } from '@/server/rollout/scale';

const workload = (name: string, ready: number, range: ScaleRange): [string, Workload] => {
  const { apiVersion, kind } = KINDS.deployment;
  const spec = { minReplicas: range.min, maxReplicas: range.max, scaleTargetRef: { apiVersion, kind, name } };
  const hpa = { ...KINDS.horizontalPodAutoscaler, metadata: { name }, spec };
  return [
    name,
    readWorkload(
      { ...KINDS.deployment, metadata: { name }, spec: { replicas: Math.max(ready, range.min) }, status: { readyReplicas: ready } },
      hpa,
    ),
  ];
};

describe('ranges', () => {
  const own = { minScale: 4, maxScale: 8 };
  const up = { revisionName: 'new', percent: 50, ...own };
  const down = { revisionName: 'old', percent: 50, targetReplicas: 2, direction: 'down', ...own };
  const gone = { ...down, percent: undefined, targetReplicas: 0 };
  it.each<[string, number, TargetRevision, StageBounds, ScalePlan]>([
    [
      'holds the old minimum until the new side has as many',
      0,
      down,
      { stageMinScale: 2, stageMaxScale: 2 },
      plan([4, 4], undefined, { keeps: 4, wished: 2 }),
    ],
    [
      'lowers as far as the new side is ready',
      1,
      down,
      { stageMinScale: 2, stageMaxScale: 2 },
      plan([3, 3], undefined, { keeps: 3, wished: 2 }),
    ],
    ['lowers at once where enough is ready', 2, down, { stageMinScale: 2, stageMaxScale: 2 }, plan([2, 2])],
    [
      'counts no more of the new side than its minimum, which is all that is certain',
      6,
      down,
      { stageMinScale: 1, stageMaxScale: 1 },
      plan([2, 2], undefined, { keeps: 2, wished: 1 }),
    ],
    ['parks by a count', 9, gone, { stageMinScale: 0, stageMaxScale: 1 }, plan(undefined, [5, 0])],
    ['does not park what is needed', 1, gone, { stageMinScale: 0, stageMaxScale: 1 }, plan([3, 3], undefined, { keeps: 3, wished: 0 })],
  ])('[rollout 13.2] %s', (title, ready, entryOfOld, bounds, expected) => {
    const newRange = title.startsWith('parks') ? { min: 4, max: 8 } : { min: 2, max: 8 };
    const workloads = new Map([workload('new', ready, newRange), workload('old', 5, { min: 4, max: 8 })]);
    const planned = planScales({
      workloads,
      bounds: new Map([['old', bounds]]),
      stage: [up, entryOfOld],
      others: [],
      strategy: 'availability',
      floor: 4,
    });
    expect(planned).toEqual(expected);
  });

  it('[rollout 13.2] grants the same room once, however many are to go in one pass', () => {
    const names = ['a', 'b', 'c'];
    const workloads = new Map(names.map((name) => workload(name, 4, { min: 4, max: 8 })));
    const bounds = new Map(names.map((name) => [name, { stageMinScale: 0, stageMaxScale: 1 }]));
    const planned = planScales({ workloads, bounds, stage: [], others: [], strategy: 'availability', floor: 6 });
    expect(planned.writes).toEqual([{ revision: 'a', from: 4, to: 0 }]);
    expect(planned.ranges.map(({ revision, to }) => [revision, to])).toEqual([
      ['b', { min: 2, max: 2 }],
      ['c', { min: 4, max: 4 }],
    ]);
  });

  it('[rollout 13.2] writes nothing where nothing changes, and no range that begins at zero', () => {
    const workloads = new Map([workload('new', 4, { min: 4, max: 8 })]);
    const of = (bounds: StageBounds, entry: TargetRevision) =>
      planScales({ workloads, bounds: new Map([['new', bounds]]), stage: [entry], others: [], strategy: 'resourceutil', floor: 0 });
    expect(of({ stageMinScale: 4, stageMaxScale: 8 }, up)).toEqual({ ranges: [], writes: [], waits: [] });
    expect(of({ stageMinScale: 0, stageMaxScale: 8 }, up).ranges).toEqual([
      { revision: 'new', from: { min: 4, max: 8 }, to: { min: 1, max: 8 } },
    ]);
    expect(of({}, { revisionName: 'new', percent: 50 }).ranges).toEqual([
      { revision: 'new', from: { min: 4, max: 8 }, to: { min: 1, max: 8 } },
    ]);
  });
});

function plan(
  range?: readonly [number, number],
  count?: readonly [number, number],
  wait?: { readonly keeps: number; readonly wished: number },
): ScalePlan {
  return {
    ranges: range ? [{ revision: 'old', from: { min: 4, max: 8 }, to: { min: range[0], max: range[1] } }] : [],
    writes: count ? [{ revision: 'old', from: count[0], to: count[1] }] : [],
    waits: wait ? [{ id: 'wait.floor', revision: 'old', ...wait, floor: 4 }] : [],
  };
}
