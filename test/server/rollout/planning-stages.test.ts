import { describe, expect, it } from 'vitest';
import type { Revisions, TargetRevision } from '@/server/rollout/model';
import { DEFAULT_STAGE_CONFIG } from '@/server/rollout/planning/config';
import type { Scales } from '@/server/rollout/planning/current-scale';
import { currentScaleOf, isEligible, replicasOf, stageSize } from '@/server/rollout/planning/current-scale';
import { nextStage } from '@/server/rollout/planning/next-stage';
import { evaluateOverdue, shiftTraffic } from '@/server/rollout/planning/overdue';

type Counts = Readonly<Record<string, number>>;
const scales = (
  actual: Counts,
  { staged = Object.keys(actual), floor }: { readonly staged?: readonly string[]; readonly floor?: number } = {},
): Scales => ({
  actual: new Map(Object.entries(actual)),
  staged: new Set(staged),
  ...(floor === undefined ? {} : { floor }),
});
const entry = (revisionName: string, percent?: number, more: Partial<TargetRevision> = {}): TargetRevision => ({
  revisionName,
  percent,
  ...more,
});
const TARGET = entry('b', 100, { minScale: 10, maxScale: 20 });
const FROM = entry('a', 100, { minScale: 10, maxScale: 20 });
const conditions = (...types: readonly string[]) => types.map((type) => ({ type, status: 'True' as const }));
const short = (revisions: Revisions = []) =>
  revisions.map(
    ({ revisionName, direction = 'none', percent = '-', targetReplicas = '-' }) =>
      `${revisionName} ${direction} ${percent}% ${targetReplicas}`,
  );

interface Given {
  readonly initial?: Revisions | undefined;
  readonly target?: Revisions;
  readonly stage?: Revisions;
  readonly reached?: Revisions;
  readonly is?: readonly string[];
  readonly scales?: Scales;
  readonly config?: Partial<typeof DEFAULT_STAGE_CONFIG>;
}

function planned(given: Given) {
  const { initial = [FROM], target = [TARGET], stage, reached, is = [], config = {} } = given;
  const spec = { initialRevisions: 'initial' in given ? given.initial : initial, targetRevisions: target, stageTargetRevisions: stage };
  const ro = { spec, status: { conditions: conditions(...is), stageRevisionStatus: reached } };
  return nextStage(ro, { ...DEFAULT_STAGE_CONFIG, ...config }, given.scales ?? scales({ a: 10, b: 0 }));
}

describe('the first stage', () => {
  it('[issue 10.7] brings the target in with its part, and takes as much from the last side', () => {
    const { stageTargetRevisions, finish, computed, rolloutStrategy } = planned({ config: { progressiveRolloutStrategy: 'ResourceUtil' } });
    expect(short(stageTargetRevisions)).toEqual(['a down 90% 9', 'b up 10% 1']);
    expect(stageTargetRevisions?.[1]).toMatchObject({ minScale: 10, maxScale: 20, latestRevision: true });
    expect([finish, computed, rolloutStrategy]).toEqual([{ inMinutes: 2 }, true, 'resourceutil']);
  });

  it.each<{ readonly what: string; readonly given: Given; readonly stage: readonly string[] }>([
    { what: 'moves at least one replica', given: { scales: scales({ a: 3 }) }, stage: ['a down 66% 2', 'b up 34% 1'] },
    { what: 'moves by its ratio', given: { config: { overConsumptionRatio: 30 } }, stage: ['a down 70% 7', 'b up 30% 3'] },
    {
      what: 'moves all at once by a whole ratio',
      given: { config: { overConsumptionRatio: 100 } },
      stage: ['a down -% 0', 'b up 100% 10'],
    },
    {
      what: 'lifts the target to its own floor where it carries all',
      given: { config: { overConsumptionRatio: 100 }, scales: scales({ a: 4 }) },
      stage: ['a down -% 0', 'b up 100% 10'],
    },
    {
      what: 'lifts nothing that has more than its floor',
      given: { config: { overConsumptionRatio: 100 }, scales: scales({ a: 14 }) },
      stage: ['a down -% 0', 'b up 100% 14'],
    },
    {
      what: 'leaves other sides as they are',
      given: { initial: [entry('x', 40), entry('a', 60)], scales: scales({ x: 4, a: 6 }) },
      stage: ['x stay 40% -', 'a down 50% 5', 'b up 10% 1'],
    },
    {
      what: 'takes all of a side that has less than its part',
      given: { initial: [entry('x', 95), entry('a', 5)], scales: scales({ x: 19, a: 1 }) },
      stage: ['x stay 95% -', 'a down -% 0', 'b up 5% 1'],
    },
    {
      what: 'leaves out a side that carries nothing',
      given: { initial: [entry('x', 0), FROM], scales: scales({ x: 0, a: 10 }) },
      stage: ['a down 90% 9', 'b up 10% 1'],
    },
    {
      what: 'takes a side that was never staged for its part of its floor',
      given: { scales: scales({ a: 2 }, { staged: [] }) },
      stage: ['a down 90% 9', 'b up 10% 1'],
    },
    {
      what: 'takes from the last side one part at the most, however few replicas its share would need',
      given: { initial: [entry('x', 50), entry('a', 50)], scales: scales({ x: 2, a: 10 }, { staged: [] }) },
      stage: ['x stay 50% -', 'a down 25% 9', 'b up 25% 1'],
    },
    {
      what: 'goes by what the target carries, though it stayed until now',
      given: { initial: [entry('b', 50, { direction: 'stay' }), entry('a', 50)], scales: scales({ a: 2, b: 10 }) },
      stage: ['b up 60% 12', 'a down 40% 8'],
    },
    {
      what: 'goes by no other side that stays',
      given: { initial: [entry('x', 20, { direction: 'stay' }), entry('a', 80)], scales: scales({ x: 10, a: 8 }) },
      stage: ['x stay 20% -', 'a down 70% 7', 'b up 10% 1'],
    },
    {
      what: 'gives the target, and nothing else, what would lack of those that must stay ready',
      given: {
        initial: [entry('x', 50), entry('a', 50)],
        config: { overConsumptionRatio: 100 },
        scales: scales({ x: 1, a: 2 }, { floor: 6 }),
      },
      stage: ['x stay 50% -', 'a down -% 0', 'b up 50% 5'],
    },
    {
      what: 'goes by no fewer than must stay ready',
      given: { scales: scales({ a: 4 }, { floor: 10 }) },
      stage: ['a down 90% 9', 'b up 10% 1'],
    },
  ])('[issue 10.7] $what', ({ given, stage }) => {
    expect(short(planned(given).stageTargetRevisions)).toEqual(stage);
  });

  it('[issue 10.7] is the target at once where nothing is to be moved in steps', () => {
    const at = (given: Given) => {
      const { stageTargetRevisions, finish, computed } = planned(given);
      return [short(stageTargetRevisions), finish, computed];
    };
    const whole = ['b none 100% -'];
    expect(at({ config: { progressiveRolloutEnabled: false } })).toEqual([whole, 'keep', true]);
    expect(at({ initial: undefined })).toEqual([whole, 'keep', true]);
    expect(at({ initial: [entry('a', 0)] })).toEqual([whole, 'keep', true]);
    expect(at({ scales: scales({ a: 0 }) })).toEqual([whole, { inMinutes: 2 }, true]);
    expect(at({ initial: [{ ...TARGET, tag: 'now', url: 'there' }] })).toEqual([whole, { inMinutes: 2 }, true]);
    expect(at({ target: [TARGET, FROM] })).toEqual([['b none 100% -', 'a none 100% -'], 'keep', true]);
    expect(at({ target: [] })).toEqual([[], 'keep', true]);
  });

  it('[issue 10.7] forgets a figure of a side that stays where that is below its floor', () => {
    const initial = [
      entry('x', 40, { minScale: 5, targetReplicas: 4, tag: 'old' }),
      entry('y', 20, { minScale: 2, targetReplicas: 2 }),
      entry('a', 40),
    ];
    const { stageTargetRevisions } = planned({ initial, scales: scales({ x: 4, y: 2, a: 4 }) });
    expect(short(stageTargetRevisions).slice(0, 2)).toEqual(['x stay 40% -', 'y stay 20% 2']);
    expect(stageTargetRevisions?.[0]).toMatchObject({ latestRevision: false, tag: undefined });
  });
});

describe('the stage after one', () => {
  const first = [
    entry('a', 90, { minScale: 10, targetReplicas: 9, direction: 'down' }),
    entry('b', 10, { minScale: 10, targetReplicas: 1, direction: 'up' }),
  ];
  const following = (given: Given = {}) =>
    planned({ stage: first, reached: first, is: ['StageReady'], scales: scales({ a: 9, b: 1 }), ...given });

  it('[issue 10.7] moves on from what was reached', () => {
    const { stageTargetRevisions, computed, finish } = following();
    expect([short(stageTargetRevisions), computed, finish]).toEqual([['a down 80% 8', 'b up 20% 2'], true, { inMinutes: 2 }]);
  });

  it('[issue 10.7] is not planned while the one before is under way, nor once the last is through', () => {
    for (const is of [[], ['LastStageReady'], ['StageReady', 'LastStageReady']]) {
      expect(following({ is })).toEqual({ stageTargetRevisions: first, rolloutStrategy: 'availability', finish: 'keep', computed: false });
    }
  });

  it('[issue 10.7] brings a target that stayed back, and leaves alone what stays', () => {
    const x = entry('x', 30, { direction: 'stay', targetReplicas: 3, minScale: 4 });
    const reached = [x, entry('b', 20, { direction: 'stay' }), entry('a', 50, { direction: 'down' })];
    const found = following({ stage: reached, reached, scales: scales({ x: 3, b: 2, a: 5 }) }).stageTargetRevisions;
    expect(short(found)).toEqual(['x stay 30% 3', 'b up 30% 3', 'a down 40% 4']);
    expect(found?.[0]).toEqual(x);
  });

  it('[issue 10.7] leaves the old side enough for what it still carries', () => {
    const reached = [entry('a', 90, { direction: 'down' }), entry('b', 10, { direction: 'up' })];
    const found = following({
      stage: reached,
      reached,
      scales: scales({ a: 9, b: 5 }),
      config: { overConsumptionRatio: 20 },
    }).stageTargetRevisions;
    expect(short(found)[0]).toBe('a down 70% 35');
  });

  it('[issue 10.7] keeps a stage where there is no other side to take from', () => {
    const alone = [entry('b', 90, { direction: 'up' })];
    expect(short(following({ stage: alone, reached: alone, scales: scales({ b: 9 }) }).stageTargetRevisions)).toEqual(['b up 90% -']);
  });

  it('[issue 10.7] gives the target no more replicas than there are for its share, nor than it has and one part more', () => {
    const reached = [entry('a', 50, { direction: 'down' }), entry('b', 50, { direction: 'up' })];
    expect(short(following({ stage: reached, reached, scales: scales({ a: 5, b: 5 }) }).stageTargetRevisions)).toEqual([
      'a down 40% 4',
      'b up 60% 6',
    ]);
    expect(short(following({ stage: reached, reached, scales: scales({ a: 5, b: 2 }) }).stageTargetRevisions)).toEqual([
      'a down 40% 4',
      'b up 60% 3',
    ]);
    expect(short(following({ stage: reached, reached, scales: scales({ a: 9, b: 5 }) }).stageTargetRevisions)).toEqual([
      'a down 44% 8',
      'b up 56% 6',
    ]);
  });

  it('[issue 10.7] ends the old side with its last part, and lifts the target to its floor', () => {
    const reached = [
      entry('a', 10, { direction: 'down', targetReplicas: 1 }),
      entry('b', 90, { direction: 'up', minScale: 12, targetReplicas: 9 }),
    ];
    const last = following({ stage: reached, reached, scales: scales({ a: 1, b: 9 }) });
    expect(short(last.stageTargetRevisions)).toEqual(['a down -% 0', 'b up 100% 12']);
  });

  it('[issue 10.7] drains the last other side, wherever the target stands, and lets the others stay', () => {
    const reached = [
      entry('x', 30, { targetReplicas: 3, direction: 'down', latestRevision: true, tag: 't' }),
      entry('b', 20, { direction: 'up' }),
      entry('a', 50),
    ];
    const found = following({ stage: reached, reached, scales: scales({ x: 3, b: 2, a: 5 }) }).stageTargetRevisions;
    expect(short(found)).toEqual(['x stay 30% 3', 'b up 30% 3', 'a down 40% 4']);
    expect(found?.[0]).toMatchObject({ latestRevision: true, tag: 't' });
    const trailing = [entry('a', 80), entry('b', 20)];
    expect(short(following({ stage: trailing, reached: trailing, scales: scales({ a: 8, b: 2 }) }).stageTargetRevisions)).toEqual([
      'a down 70% 7',
      'b up 30% 3',
    ]);
  });
});

describe('the figures of a plan', () => {
  it('[issue 10.7] come of sides that carry traffic and do not stay', () => {
    expect(
      [entry('a', 10), entry('a', 0), entry('a'), entry('a', 10, { direction: 'stay' }), entry('a', 10, { direction: 'down' })].map(
        isEligible,
      ),
    ).toEqual([true, false, false, false, true]);
    expect(() => currentScaleOf([entry('a', 0)], scales({ a: 3 }))).toThrow('no revision of the rollout has traffic that could be moved');
    expect(() => replicasOf(entry('z', 10), scales({}))).toThrow('the scale of revision z is unknown');
  });

  it.each<{ readonly what: string; readonly of: TargetRevision; readonly at: Scales; readonly replicas: number }>([
    { what: 'what is there', of: entry('a', 50, { minScale: 4 }), at: scales({ a: 3 }), replicas: 3 },
    {
      what: 'its part of its floor, rounded down, where it idles',
      of: entry('a', 55, { minScale: 10 }),
      at: scales({ a: 0 }, { staged: [] }),
      replicas: 5,
    },
    { what: 'the same at its floor', of: entry('a', 50, { minScale: 4 }), at: scales({ a: 4 }, { staged: [] }), replicas: 2 },
    { what: 'what is there above its floor', of: entry('a', 50, { minScale: 4 }), at: scales({ a: 5 }, { staged: [] }), replicas: 5 },
    { what: 'what is there without a floor', of: entry('a', 50), at: scales({ a: 5 }, { staged: [] }), replicas: 5 },
    { what: 'its part of what must stay ready, rounded down', of: entry('a', 50), at: scales({ a: 1 }, { floor: 7 }), replicas: 3 },
    { what: 'what is there above that', of: entry('a', 50), at: scales({ a: 6 }, { floor: 7 }), replicas: 6 },
  ])('[issue 10.7] are $what', ({ of, at, replicas }) => {
    expect(replicasOf(of, at)).toBe(replicas);
  });

  it('[issue 10.7] go by the denser of sides that were staged, and by the sparser where none was', () => {
    const sides = [entry('a', 50), entry('b', 50)];
    const at = (staged: readonly string[], counts: Counts) => {
      const { currentReplicas, currentTraffic, replicas } = currentScaleOf(sides, scales(counts, { staged }));
      return [currentReplicas, currentTraffic, replicas.get('a'), replicas.get('b')];
    };
    expect(at(['a', 'b'], { a: 4, b: 6 })).toEqual([6, 50, 4, 6]);
    expect(at(['a', 'b'], { a: 6, b: 4 })).toEqual([6, 50, 6, 4]);
    expect(at([], { a: 4, b: 6 })).toEqual([4, 50, 4, 6]);
    expect(at([], { a: 6, b: 4 })).toEqual([4, 50, 6, 4]);
  });

  it.each([
    { replicas: 10, traffic: 100, ratio: 10, moves: { replicas: 1, traffic: 10 } },
    { replicas: 3, traffic: 100, ratio: 10, moves: { replicas: 1, traffic: 34 } },
    { replicas: 5, traffic: 50, ratio: 25, moves: { replicas: 2, traffic: 20 } },
    { replicas: 7, traffic: 100, ratio: 50, moves: { replicas: 3, traffic: 43 } },
  ])('[issue 10.7] move $ratio% of $replicas replicas for $traffic% at a time', ({ replicas, traffic, ratio, moves }) => {
    expect(stageSize(replicas, traffic, ratio)).toEqual(moves);
  });
});

describe('an overdue stage', () => {
  const stage = [entry('a', 75, { direction: 'down', targetReplicas: 7 }), entry('b', 25, { direction: 'up', targetReplicas: 3 })];
  const available = (revision: string) => ({ revision, replicas: 4, availableReplicas: 4, available: true });
  const ro = (is: readonly string[] = [], stageTargetRevisions: Revisions | undefined = stage) => ({
    spec: { stageTargetRevisions, targetRevisions: [TARGET] },
    status: { conditions: conditions(...is) },
  });
  const overdue = (finishOffsetSeconds: number | undefined, more: Partial<Parameters<typeof evaluateOverdue>[0]> = {}) =>
    evaluateOverdue({
      ro: ro(),
      config: DEFAULT_STAGE_CONFIG,
      scales: scales({ a: 10, b: 3 }),
      workloads: [],
      finishOffsetSeconds,
      ...more,
    });

  it('[issue 10.7] is none before its deadline, and none without one, once ready, or when it is the last', () => {
    expect(overdue(0)).toEqual({ action: 'wait', requeueAfterSeconds: 120, remainingSeconds: 0 });
    expect(overdue(undefined)).toEqual({ action: 'none' });
    expect(overdue(-1, { ro: ro(['Ready']) })).toEqual({ action: 'none' });
    expect(overdue(-1, { ro: ro([], [entry('b', 100)]) })).toEqual({ action: 'none' });
  });

  it('[issue 10.7] moves its share on where every workload of it is available', () => {
    const found = overdue(-1, { workloads: [available('a'), { ...available('x'), available: false }, available('b')] });
    expect(found).toMatchObject({ action: 'shift', requeueAfterSeconds: 120, finishInMinutes: 2 });
    expect(found.action === 'shift' && short(found.stageTargetRevisions)).toEqual(['a down 65% 7', 'b up 35% 3']);
    expect(overdue(-1).action).toBe('shift');
  });

  it.each([
    { what: 'a replica is missing', workload: { revision: 'b', replicas: 4, availableReplicas: 3, available: true }, said: 'b has 3 of 4' },
    {
      what: 'it says that it is not',
      workload: { revision: 'b', replicas: 4, availableReplicas: 4, available: false },
      said: 'b has 4 of 4',
    },
    { what: 'it does not say', workload: { revision: 'b', replicas: 4, availableReplicas: 4 }, said: 'b has 4 of 4' },
    { what: 'it has no replicas', workload: { revision: 'b', replicas: 0, availableReplicas: 0, available: true }, said: 'b has 0 of 0' },
    { what: 'nothing is known of it', workload: { revision: 'b' }, said: 'b has 0 of 0' },
  ])('[issue 10.7] moves nothing on where $what', ({ workload, said }) => {
    expect(() => overdue(-1, { workloads: [available('a'), workload] })).toThrow(`the stage is overdue, but ${said} replicas available`);
  });

  it.each<{ readonly what: string; readonly a: number; readonly ratio: number; readonly moved: readonly string[] }>([
    { what: 'no more than its ratio', a: 14, ratio: 10, moved: ['a down 65% 7', 'b up 35% 3'] },
    { what: 'what the surplus carries', a: 8, ratio: 20, moved: ['a down 66% 7', 'b up 34% 3'] },
    { what: 'nothing without a surplus', a: 7, ratio: 10, moved: ['a down 75% 7', 'b up 25% 3'] },
    { what: 'all that is left', a: 900, ratio: 80, moved: ['a down -% 7', 'b up 100% 3'] },
  ])('[issue 10.7] moves $what', ({ a, ratio, moved }) => {
    expect(short(shiftTraffic(stage, ratio, scales({ a, b: 3 })))).toEqual(moved);
  });

  it('[issue 10.7] needs a side that grows and one that shrinks', () => {
    for (const one of stage)
      expect(() => shiftTraffic([one], 10, scales({ a: 10, b: 3 }))).toThrow('needs a revision that grows and one that shrinks');
  });
});
