import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { controlState } from '@/server/rollout/control/state';
import type { ScaleRange } from '@/server/rollout/horizontal-autoscaler';
import type { StageBounds, TargetRevision } from '@/server/rollout/model';
import type { Workload } from '@/server/rollout/objects';
import { readWorkload } from '@/server/rollout/objects';
import type { ScaleInput } from '@/server/rollout/scale';
import { isParked, outcomeOf, planScales, toScaleInput } from '@/server/rollout/scale';

const range = (stageMinScale?: number, stageMaxScale?: number): StageBounds => ({ stageMinScale, stageMaxScale });
const entry = (revisionName: string, more: Partial<TargetRevision> = {}): TargetRevision => ({ revisionName, percent: 50, ...more });

/** A Deployment with so many replicas, of which so many are ready; with a range an autoscaler counts. */
function workload(
  name: string,
  replicas: number,
  { ready = replicas, by }: { readonly ready?: number; readonly by?: ScaleRange } = {},
): Workload {
  const deployment = { ...KINDS.deployment, metadata: { name }, spec: { replicas }, status: { readyReplicas: ready } };
  if (by === undefined) return readWorkload(deployment);
  const spec = {
    minReplicas: by.min,
    maxReplicas: by.max,
    scaleTargetRef: { apiVersion: KINDS.deployment.apiVersion, kind: 'Deployment', name },
  };
  return readWorkload(deployment, { ...KINDS.horizontalPodAutoscaler, metadata: { name }, spec });
}

/** What is planned, in short: `old 4>2` is a count, `old 4-8>2-2` a range, `old keeps 4 not 2` a lowering that waits. */
function planned(
  workloads: readonly Workload[],
  bounds: Readonly<Record<string, StageBounds>>,
  more: Partial<ScaleInput> = {},
): readonly string[] {
  const { ranges, writes, waits } = planScales({
    workloads: new Map(workloads.map((one) => [one.revision, one])),
    bounds: new Map(Object.entries(bounds)),
    stage: [entry('new'), entry('old')],
    others: [],
    strategy: 'availability',
    floor: 4,
    ...more,
  });
  const text = ({ min, max }: ScaleRange) => `${min}-${max}`;
  return [
    ...ranges.map(({ revision, from, to }) => `${revision} ${text(from)}>${text(to)}`),
    ...writes.map(({ revision, from, to }) => `${revision} ${from}>${to}`),
    ...waits.map(({ revision, keeps, wished, floor }) => `${revision} keeps ${keeps} not ${wished} for ${floor}`),
  ];
}

describe('the floor of ready replicas', () => {
  it.each<{
    readonly what: string;
    readonly fresh: Workload;
    readonly old: Workload;
    readonly more?: Partial<ScaleInput>;
    readonly plan: readonly string[];
  }>([
    { what: 'lets go what the new side makes up for', fresh: workload('new', 2), old: workload('old', 4), plan: ['old 4>2'] },
    {
      what: 'lets go no more than that',
      fresh: workload('new', 2, { ready: 1 }),
      old: workload('old', 4),
      plan: ['old 4>3', 'old keeps 3 not 2 for 4'],
    },
    {
      what: 'lets nothing go that is needed',
      fresh: workload('new', 2, { ready: 0 }),
      old: workload('old', 4),
      plan: ['old keeps 4 not 2 for 4'],
    },
    { what: 'never raises what is below it', fresh: workload('new', 0), old: workload('old', 3), plan: ['old keeps 3 not 2 for 4'] },
    {
      what: 'counts ready ones that are to stay only',
      fresh: workload('new', 1, { ready: 3 }),
      old: workload('old', 4),
      plan: ['old 4>3', 'old keeps 3 not 2 for 4'],
    },
    {
      what: 'is none where room is made first',
      fresh: workload('new', 0),
      old: workload('old', 4),
      more: { strategy: 'resourceutil' },
      plan: ['old 4>2'],
    },
    { what: 'is none where none was noted', fresh: workload('new', 0), old: workload('old', 4), more: { floor: 0 }, plan: ['old 4>2'] },
    { what: 'is lower than what stays anyway', fresh: workload('new', 9), old: workload('old', 4), plan: ['old 4>2'] },
  ])('[issue 10.7] $what', ({ fresh, old, more = {}, plan }) => {
    expect(planned([fresh, old], { old: range(2, 2) }, more)).toEqual(plan);
  });

  it('[issue 10.7] is held by all revisions together, each lowering after the other', () => {
    const workloads = ['a', 'b', 'c'].map((name) => workload(name, 2));
    const bounds = { a: range(0, 0), b: range(0, 0), c: range(0, 0) };
    expect(planned(workloads, bounds, { stage: [], floor: 3 })).toEqual([
      'a 2>0',
      'b 2>1',
      'b keeps 1 not 0 for 3',
      'c keeps 2 not 0 for 3',
    ]);
  });

  it('[issue 10.7] does not count on replicas that a lowering leaves but that are not ready', () => {
    const workloads = [workload('a', 4, { ready: 1 }), workload('b', 4)];
    expect(planned(workloads, { a: range(3, 3), b: range(1, 1) }, { stage: [entry('a'), entry('b')] })).toEqual([
      'a 4>3',
      'b 4>3',
      'b keeps 3 not 1 for 4',
    ]);
  });

  it('[issue 10.7] is not lowered at all while nobody sees what is ready; raising goes on', () => {
    const workloads = [workload('new', 1), workload('old', 9)];
    expect(
      planned(workloads, { new: range(3, 8), old: range(2, 2) }, { isBlind: true, stage: [entry('new', { minScale: 3 }), entry('old')] }),
    ).toEqual(['new 1>3']);
  });
});

describe('a count', () => {
  const of = (replicas: number, bounds: StageBounds, own: Partial<TargetRevision>) =>
    planned([workload('old', replicas)], { old: bounds }, { stage: [entry('old', own)], floor: 0 });

  it.each<{
    readonly what: string;
    readonly replicas: number;
    readonly bounds: StageBounds;
    readonly own: Partial<TargetRevision>;
    readonly plan: readonly string[];
  }>([
    { what: 'is left within its bounds', replicas: 3, bounds: range(2, 5), own: { minScale: 2, maxScale: 5 }, plan: [] },
    { what: 'is raised to its floor', replicas: 1, bounds: range(2, 5), own: { minScale: 2, maxScale: 5 }, plan: ['old 1>2'] },
    {
      what: 'is raised no higher than the stage wants',
      replicas: 1,
      bounds: range(2, 5),
      own: { minScale: 4, maxScale: 5 },
      plan: ['old 1>2'],
    },
    {
      what: 'is raised no higher than its own floor',
      replicas: 1,
      bounds: range(4, 5),
      own: { minScale: 2, maxScale: 5 },
      plan: ['old 1>2'],
    },
    {
      what: 'is lowered to the ceiling of the stage',
      replicas: 9,
      bounds: range(2, 5),
      own: { minScale: 2, maxScale: 8 },
      plan: ['old 9>5'],
    },
    { what: 'is lowered to its own ceiling', replicas: 9, bounds: range(2, 8), own: { minScale: 2, maxScale: 5 }, plan: ['old 9>5'] },
    {
      what: 'has the ceiling of the stage also where it has none',
      replicas: 9,
      bounds: range(2, 5),
      own: { minScale: 2 },
      plan: ['old 9>5'],
    },
    {
      what: 'takes a ceiling of its own of 0 for none',
      replicas: 9,
      bounds: range(2, undefined),
      own: { minScale: 2, maxScale: 0 },
      plan: [],
    },
    { what: 'has no ceiling below its floor', replicas: 1, bounds: range(3, 2), own: { minScale: 3 }, plan: ['old 1>3'] },
    { what: 'is free where nothing bounds it', replicas: 7, bounds: range(), own: {}, plan: [] },
    { what: 'is nothing where it is parked', replicas: 2, bounds: range(0, 0), own: { minScale: 2 }, plan: ['old 2>0'] },
    { what: 'is nothing where it ended', replicas: 2, bounds: range(0, 1), own: { minScale: 2, percent: undefined }, plan: ['old 2>0'] },
  ])('[issue 10.7] $what', ({ replicas, bounds, own, plan }) => {
    expect(of(replicas, bounds, own)).toEqual(plan);
  });

  it('[issue 10.7] of a revision outside the stage goes by the bounds that others name', () => {
    const others = [entry('gone', { minScale: 3 }), entry('gone', { minScale: 9 })];
    expect(planned([workload('gone', 1)], { gone: range(5, 9) }, { others, floor: 0 })).toEqual(['gone 1>3']);
    expect(planned([workload('gone', 1)], { gone: range(5, 9) }, { floor: 0 })).toEqual([]);
  });

  it('[issue 10.7] of a revision in the stage goes by its own entry, whichever comes first and whatever others say', () => {
    const stage = [entry('new', { minScale: 9 }), entry('old', { minScale: 2 })];
    expect(planned([workload('old', 1)], { old: range(5, 9) }, { stage, others: [entry('old', { minScale: 4 })] })).toEqual(['old 1>2']);
    expect(
      planned([workload('gone', 1)], { gone: range(5, 9) }, { others: [entry('new', { minScale: 9 }), entry('gone', { minScale: 2 })] }),
    ).toEqual(['gone 1>2']);
  });

  it('[issue 10.7] that somebody else wrote is gone on from as it was left', () => {
    const bounds = { old: range(2, 8) };
    const stage = [entry('old', { minScale: 2, maxScale: 8 })];
    expect(planned([workload('old', 3)], bounds, { stage, left: new Map([['old', 6]]) })).toEqual(['old 3>6']);
    expect(planned([workload('old', 8)], bounds, { stage, left: new Map([['old', 6]]), floor: 0 })).toEqual(['old 8>6']);
    expect(planned([workload('old', 3)], bounds, { stage, left: new Map([['new', 6]]) })).toEqual([]);
  });

  it('[issue 10.7] is not written where there is no Deployment, and not of one that no stage bounds', () => {
    expect(planned([], { old: range(0, 0) })).toEqual([]);
    expect(planned([workload('stray', 3)], {})).toEqual([]);
  });
});

describe('a revision that an autoscaler counts', () => {
  const by = { min: 4, max: 8 };
  const asleep = workload('new', 0, { by });

  it('[issue 10.7] is woken by its minimum, in a range that holds it, and not woken where it is parked', () => {
    const stage = [entry('new', { minScale: 4, maxScale: 8 })];
    expect(planned([asleep], { new: range(2, 8) }, { stage })).toEqual(['new 4-8>2-8', 'new 0>2']);
    expect(planned([asleep], { new: range(4, 8) }, { stage })).toEqual(['new 0>4']);
    expect(planned([asleep], { new: range(0, 0) }, { stage })).toEqual([]);
  });

  it('[issue 10.7] is raised by its range alone', () => {
    const narrow = workload('new', 2, { by: { min: 2, max: 2 } });
    expect(planned([narrow], { new: range(2, 8) }, { stage: [entry('new', { minScale: 4, maxScale: 8 })] })).toEqual(['new 2-2>2-8']);
  });

  it.each<{ readonly what: string; readonly bounds: StageBounds; readonly floor: number; readonly plan: readonly string[] }>([
    { what: 'gives up its floor where that is needed by nobody', bounds: range(1, 8), floor: 0, plan: ['old 4-8>1-8'] },
    { what: 'gives up its ceiling where that is needed by nobody', bounds: range(4, 5), floor: 0, plan: ['old 4-8>4-5'] },
    { what: 'keeps as much of its range as is needed', bounds: range(1, 2), floor: 3, plan: ['old 4-8>3-3', 'old keeps 3 not 2 for 3'] },
    {
      what: 'gives up only as much of its floor as nobody needs',
      bounds: range(1, 8),
      floor: 3,
      plan: ['old 4-8>3-8', 'old keeps 3 not 1 for 3'],
    },
    {
      what: 'gives up only as much of its ceiling as nobody needs',
      bounds: range(4, 5),
      floor: 7,
      plan: ['old 4-8>4-7', 'old keeps 7 not 5 for 7'],
    },
    { what: 'keeps no more than it has', bounds: range(1, 2), floor: 9, plan: ['old 4-8>4-8', 'old keeps 8 not 2 for 9'].slice(1) },
    { what: 'is parked where it is needed by nobody', bounds: range(0, 0), floor: 0, plan: ['old 6>0'] },
    { what: 'is not parked while one of it is needed', bounds: range(0, 0), floor: 1, plan: ['old 4-8>1-1', 'old keeps 1 not 0 for 1'] },
  ])('[issue 10.7] $what', ({ bounds, floor, plan }) => {
    const stage = [entry('old', { minScale: 4, maxScale: 8 })];
    expect(planned([workload('old', 6, { by })], { old: bounds }, { stage, floor })).toEqual(plan);
  });

  it('[issue 10.7] is raised at either end while nobody sees what is ready, and lowered at none', () => {
    const stage = [entry('new', { minScale: 4, maxScale: 8 })];
    const blind = (from: ScaleRange, bounds: StageBounds) =>
      planned([workload('new', 4, { by: from })], { new: bounds }, { stage, isBlind: true });
    expect(blind({ min: 4, max: 4 }, range(4, 8))).toEqual(['new 4-4>4-8']);
    expect(blind({ min: 2, max: 8 }, range(4, 8))).toEqual(['new 2-8>4-8']);
    expect(blind({ min: 4, max: 8 }, range(2, 8))).toEqual([]);
    expect(blind({ min: 4, max: 8 }, range(4, 6))).toEqual([]);
  });

  it('[issue 10.7] counts for the floor by its minimum, however many are ready', () => {
    const fresh = workload('new', 8, { by: { min: 2, max: 8 } });
    expect(planned([fresh, workload('old', 4)], { old: range(1, 1) })).toEqual(['old 4>2', 'old keeps 2 not 1 for 4']);
  });
});

describe('what bounds bring a revision to', () => {
  it.each<{
    readonly what: string;
    readonly bounds: StageBounds;
    readonly own: Partial<TargetRevision>;
    readonly has: Workload;
    readonly replicas: number;
    readonly to: ScaleRange;
  }>([
    {
      what: 'nothing where it is parked',
      bounds: range(0, 0),
      own: { minScale: 4 },
      has: workload('a', 3),
      replicas: 0,
      to: { min: 0, max: 0 },
    },
    {
      what: 'nothing where it ended',
      bounds: range(0, 1),
      own: { minScale: 4, percent: undefined },
      has: workload('a', 3),
      replicas: 0,
      to: { min: 0, max: 0 },
    },
    {
      what: 'nothing where it is parked, whoever counts it',
      bounds: range(0, 0),
      own: { minScale: 4 },
      has: workload('a', 6, { by: { min: 4, max: 8 } }),
      replicas: 0,
      to: { min: 0, max: 0 },
    },
    { what: 'its floor', bounds: range(2, 8), own: { minScale: 4 }, has: workload('a', 0), replicas: 2, to: { min: 2, max: 2 } },
    { what: 'what it has', bounds: range(2, 8), own: { minScale: 4 }, has: workload('a', 5), replicas: 5, to: { min: 5, max: 5 } },
    { what: 'its ceiling', bounds: range(2, 8), own: { minScale: 4 }, has: workload('a', 9), replicas: 8, to: { min: 8, max: 8 } },
    {
      what: 'what its autoscaler counts, in another range',
      bounds: range(2, 5),
      own: { minScale: 4 },
      has: workload('a', 6, { by: { min: 4, max: 8 } }),
      replicas: 5,
      to: { min: 2, max: 5 },
    },
    {
      what: 'a range that begins at one',
      bounds: range(0, 5),
      own: { minScale: 4 },
      has: workload('a', 0, { by: { min: 4, max: 8 } }),
      replicas: 1,
      to: { min: 1, max: 5 },
    },
    {
      what: 'the ceiling that its autoscaler was made with',
      bounds: range(2),
      own: { minScale: 4 },
      has: workload('a', 3, { by: { min: 4, max: 8 } }),
      replicas: 3,
      to: { min: 2, max: 8 },
    },
  ])('[issue 10.7] is $what', ({ bounds, own, has, replicas, to }) => {
    expect(outcomeOf(bounds, entry('a', own), has)).toEqual({ replicas, range: to });
  });

  it.each<{ readonly bounds: StageBounds; readonly of: TargetRevision | undefined; readonly parked: boolean }>([
    { bounds: range(0, 0), of: entry('a'), parked: true },
    { bounds: range(0, 0), of: undefined, parked: true },
    { bounds: range(0, 1), of: { revisionName: 'a' }, parked: true },
    { bounds: range(0, 1), of: undefined, parked: true },
    { bounds: range(0, 1), of: entry('a', { percent: 0 }), parked: false },
    { bounds: range(0, 2), of: { revisionName: 'a' }, parked: false },
    { bounds: range(1, 1), of: { revisionName: 'a' }, parked: false },
    { bounds: range(1, 0), of: entry('a'), parked: false },
    { bounds: range(), of: undefined, parked: false },
  ])('[issue 10.7] is no replica for what waits for room or ended: $bounds of $of: $parked', ({ bounds, of, parked }) => {
    expect(isParked(bounds, of)).toBe(parked);
  });
});

describe('what counts go by', () => {
  const attempt = { id: 'a', target: [], startedAt: '', stable: [entry('kept', { minScale: 3 })], floor: 6 };
  const bounds = range(1, 2);

  /** A rollout as far as its counts go by it. */
  function inputOf(more: Readonly<Record<string, unknown>> = {}, scaledByHand: Parameters<typeof toScaleInput>[1] = []) {
    const spec = {
      rolloutStrategy: 'resourceutil',
      initialRevisions: [entry('from', { minScale: 1 })],
      targetRevisions: [entry('to', { minScale: 2 })],
    };
    const view = {
      ro: { rollout: { spec: { ...spec, stageTargetRevisions: [entry('now', { minScale: 4 })] } } },
      control: controlState.parse({ state: 'boundary', attempt, stage: 1, since: '', before: 0, percent: 25 }),
      workloads: new Map(),
      autoscalers: [{ name: 'now', bounds, figures: {}, ready: true }],
      pods: [],
      ...more,
    };
    return toScaleInput(view as unknown as Parameters<typeof toScaleInput>[0], scaledByHand); // what is looked at of a rollout
  }

  it('[issue 10.7] are its stage, then its ends, the floor that was noted, and no less than it sees', () => {
    const { stage, others, floor, strategy, isBlind, bounds: found } = inputOf();
    expect([stage.map(({ revisionName }) => revisionName), others.map(({ revisionName }) => revisionName)]).toEqual([
      ['now'],
      ['to', 'from', 'kept'],
    ]);
    expect([floor, strategy, isBlind, [...found]]).toEqual([6, 'resourceutil', false, [['now', bounds]]]);
    expect(inputOf({ staleKind: { of: 'Pod', kind: 'old', since: 0, reason: '' } }).isBlind).toBe(true);
  });

  it('[issue 10.7] are nothing where a rollout has nothing yet', () => {
    const { stage, others, floor, strategy } = inputOf({ ro: { rollout: { spec: {} } }, control: controlState.parse({ state: 'idle' }) });
    expect([stage, others, floor, strategy]).toEqual([[], [], 0, 'availability']);
  });

  it('[issue 10.7] are counts as they were left, of what an autoscaler does not count', () => {
    const byHand = (revision: string, left?: number) => ({
      revision,
      from: '',
      to: '',
      id: '',
      by: 'kubectl',
      ...(left === undefined ? {} : { left }),
    });
    expect([...(inputOf({}, [byHand('now', 0), byHand('to')]).left ?? [])]).toEqual([['now', 0]]);
  });
});
