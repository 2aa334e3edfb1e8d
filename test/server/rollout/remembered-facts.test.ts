import { describe, expect, it } from 'vitest';
import { pastAfter, withGatePassed, withStageEnded, withStageStarted } from '@/server/rollout/control/attempts';
import {
  abortOf,
  approvalsOf,
  attemptOf,
  completedOf,
  isPausedByPerson,
  isPromoted,
  pausedAtOf,
  pausedBecauseOf,
  reachedOf,
  stableOf,
  votesOf,
} from '@/server/rollout/control/control-facts';
import type { AttemptRecord, ControlState, StateName, StateOf } from '@/server/rollout/control/state';
import { ATTEMPT, at, iso, NAMES, NOW, PAUSE, PLANNED, READY, STATES, VOTE } from './remembered-scene';

describe('[issue 9.3] what is asked of a state', () => {
  const told = <Told>(of: (state: ControlState) => Told) => NAMES.map((name) => of(STATES[name]));

  it('is told of those that have it', () => {
    expect(told((state) => attemptOf(state)?.id)).toEqual([undefined, 'a-1', 'a-1', 'a-1', 'a-1', 'a-1']);
    expect(attemptOf({ ...STATES.idle, attempt: ATTEMPT } as ControlState)).toBeUndefined();
    expect(told((state) => stableOf(state).length)).toEqual([0, 1, 1, 1, 1, 1]);
    expect(told(completedOf)).toEqual([0, 1, 1, 1, 0, 4]);
    expect(told((state) => abortOf(state)?.rejected)).toEqual([undefined, undefined, undefined, 'web-v2', 'web-v2', undefined]);
    expect(told(reachedOf).map(({ before, percent }) => [before, percent])).toEqual([
      [0, 0],
      [25, 25],
      [25, 50],
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
    expect(told(approvalsOf).map(({ length }) => length)).toEqual([0, 0, 1, 0, 0, 0]);
    expect(told((state) => votesOf(state).length)).toEqual([0, 1, 1, 0, 0, 0]);
    expect(votesOf({ ...STATES.boundary, stage: 2 })).toEqual([]);
  });

  it('is paused only on the way forward', () => {
    const all = (of: (state: ControlState) => unknown) => NAMES.map((name) => of({ ...STATES[name], ...PAUSE } as ControlState));
    expect(all(isPausedByPerson)).toEqual([false, true, true, false, false, false]);
    expect(all(pausedBecauseOf)).toEqual([undefined, 'by eve', 'by eve', undefined, undefined, undefined]);
    expect(all(pausedAtOf)).toEqual([undefined, iso(60), iso(60), undefined, undefined, undefined]);
    expect(pausedBecauseOf({ ...STATES.boundary, paused: false })).toBeUndefined();
  });

  it('is promoted where somebody sent it to the end and it is not on its way back', () => {
    const full = (name: StateName) => isPromoted({ ...STATES[name], attempt: { ...ATTEMPT, full: true } } as ControlState);
    expect(NAMES.map(full)).toEqual([false, true, true, false, false, true]);
    expect(isPromoted(STATES.stage)).toBe(false);
  });
});

describe('[design 13 J] the record of an attempt', () => {
  const many = Array.from({ length: 50 }, (_, index) => ({ index, way: 'back' as const, revisions: [] }));

  it('holds fifty stages and fifty gates at the most, the newest', () => {
    const { stages } = withStageStarted({ ...ATTEMPT, stages: many }, { index: 1, way: 'forward', stage: PLANNED, at: NOW });
    expect([stages.length, stages[0]?.index, stages.at(-1)?.way]).toEqual([50, 1, 'forward']);
    const gates = many.map(({ index }) => ({ stage: index + 100, at: iso(0), by: [] }));
    const passed = withGatePassed({ ...STATES.boundary, attempt: { ...ATTEMPT, gates } }, NOW).gates;
    expect([passed?.length, passed?.[0]?.stage, passed?.at(-1)?.stage]).toEqual([50, 101, 1]);
  });

  it('names who went past a gate: who promoted it, else who advanced it, else who approved it, and each gate once', () => {
    const votes = [VOTE, { ...VOTE, verb: 'advance' as const, actor: 'cat' }];
    const by = (change: Partial<StateOf<'boundary'>>) =>
      withGatePassed({ ...STATES.boundary, votes, ...change }, NOW)
        .gates?.at(-1)
        ?.by.map(({ actor, verb }) => `${actor} ${verb}`);
    const promotedBy = [{ actor: 'dan', verb: 'promote-full' as const, at: iso(9) }];
    expect([
      by({}),
      by({ advanced: true }),
      by({ advanced: true, attempt: { ...ATTEMPT, full: true, promotedBy } }),
      by({ attempt: { ...ATTEMPT, full: true } }),
    ]).toEqual([['ben approve'], ['cat advance'], ['dan promote-full'], []]);
    const again = {
      ...ATTEMPT,
      gates: [
        { stage: 0, at: iso(1), by: [] },
        { stage: 1, at: iso(2), by: [] },
      ],
    };
    expect(withGatePassed({ ...STATES.boundary, attempt: again }, NOW).gates?.map((gate) => `${gate.stage} ${gate.at}`)).toEqual([
      `0 ${iso(1)}`,
      `1 ${iso(100)}`,
    ]);
  });

  it('ends the stage under way once, after those before it', () => {
    const before = { index: 0, way: 'forward' as const, endedAt: iso(1), revisions: [] };
    const ended = withStageEnded({ ...ATTEMPT, stages: [before, ...ATTEMPT.stages] }, { failed: false, ready: new Map(), at: NOW });
    expect(ended.stages).toEqual([before, { ...ATTEMPT.stages[0], endedAt: iso(100), revisions: [{ ...PLANNED[0], ready: 0 }] }]);
    expect(withStageEnded(ended, { failed: true, ready: READY, at: at(200) })).toBe(ended);
    const none = { ...ATTEMPT, stages: [] };
    expect(withStageEnded(none, { failed: true, ready: READY, at: NOW })).toBe(none);
  });

  it('is kept of the last two that are over, with how each ended', () => {
    const outcome = (name: StateName, change: object = {}) => pastAfter({ ...STATES[name], ...change } as ControlState, NOW).at(-1);
    expect(NAMES.map((name) => outcome(name)?.outcome)).toEqual([undefined, 'superseded', 'superseded', 'aborted', 'aborted', 'completed']);
    const { id, from, to, endedAt, gates } = outcome('stage') ?? {};
    expect({ id, from, to, endedAt, gates }).toEqual({
      id: `a-1/${iso(0)}`,
      from: ['web-v1'],
      to: 'web-v2',
      endedAt: iso(100),
      gates: undefined,
    });
    const stages = [
      { index: 1, way: 'forward', endedAt: iso(1), revisions: [] },
      { index: 2, way: 'forward', endedAt: iso(7), revisions: [] },
    ];
    expect(outcome('done', { attempt: { ...ATTEMPT, stages, gates: [] } })).toMatchObject({ endedAt: iso(7), gates: [] });
    expect('gates' in (outcome('stage') ?? {})).toBe(false);
    const past = ['x', 'y', 'z'].map((one) => ({ ...(outcome('done') as AttemptRecord), id: one }));
    expect(pastAfter({ ...STATES.done, past } as ControlState, NOW).map((one) => one.id)).toEqual(['z', `a-1/${iso(0)}`]);
    expect(pastAfter({ ...STATES.idle, past } as ControlState, NOW)).toEqual(past);
  });
});
