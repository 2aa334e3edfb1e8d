import { describe, expect, it } from 'vitest';
import { approvalsOf, attemptOf } from '@/server/rollout/control/control-facts';
import type { EventName } from '@/server/rollout/control/reduce';
import { reduce } from '@/server/rollout/control/reduce';
import type { ControlState, StateName } from '@/server/rollout/control/state';
import { controlState } from '@/server/rollout/control/state';
import { ATTEMPT, becomes, EVENTS, HEALTH, iso, KEPT, NAMES, PAUSE, REJECTION, STATES, VOTE } from './remembered-scene';
import { anEntry } from './simulation';

describe('[issue 9.3] what a rollout remembers', () => {
  const ANYWHERE: readonly EventName[] = ['termsFollowed', 'loosenVoted', 'loosened', 'decidedUnderTerms', 'targetChanged'];
  const PAUSES: readonly EventName[] = ['pauseAsked', 'resumeAsked', 'pauseBegan', 'pauseEnded', 'healthSampled'];
  const ON_WAY: readonly EventName[] = ['stageStarted', 'stageReached', 'voted', 'promoted', 'abortAsked', ...PAUSES];
  const TAKES: Readonly<Record<StateName, readonly EventName[]>> = {
    idle: ANYWHERE,
    stage: [...ANYWHERE, ...ON_WAY, 'progressed'],
    boundary: [...ANYWHERE, ...ON_WAY, 'approved', 'advanced'],
    returning: [...ANYWHERE, 'retryAsked', 'stageStarted', 'stageReached'],
    aborted: [...ANYWHERE, 'retryAsked'],
    done: [...ANYWHERE, 'stageStarted'],
  };

  it.each(NAMES)('%s is moved by what it has a use for alone, and can be read again afterwards', (name) => {
    for (const type of Object.keys(EVENTS) as EventName[]) {
      const state =
        name === 'boundary' && type === 'pauseBegan'
          ? { ...STATES.boundary, pausedAt: undefined }
          : name === 'stage' && type === 'pauseBegan'
            ? { ...STATES.stage, pausedAt: undefined }
            : STATES[name];
      const next = reduce(state, EVENTS[type]);
      expect([type, next !== state], name).toEqual([type, TAKES[name].includes(type)]);
      expect(controlState.parse(JSON.parse(JSON.stringify(next)))).toEqual(JSON.parse(JSON.stringify(next)));
    }
  });

  it('keeps verdict, history and terms as it becomes another state, and forgets of which garbage people knew with another target', () => {
    const moves: readonly (readonly [StateName, EventName, object?])[] = [
      ['stage', 'stageReached'],
      ['stage', 'stageReached', { isLast: true }],
      ['stage', 'abortAsked'],
      ['boundary', 'stageStarted'],
      ['done', 'stageStarted'],
      ['returning', 'stageReached', { isLast: true }],
    ];
    for (const [name, type, change] of moves) expect(becomes(STATES[name], type, change as never), `${name} ${type}`).toMatchObject(KEPT);
    expect(becomes(STATES.stage, 'targetChanged')).toMatchObject({ ...KEPT, seenGarbage: undefined });
  });
});

describe('[rollout 14.3] another target', () => {
  const CLEAN = {
    state: 'boundary',
    stage: 0,
    since: iso(100),
    before: 0,
    percent: 0,
    approvals: [],
    advanced: false,
    votes: [],
    health: { failures: 0, consecutiveErrors: 0 },
  };

  it('begins before its first stage without approvals, votes and samples of the one before', () => {
    for (const name of NAMES) expect(becomes(STATES[name], 'targetChanged'), name).toMatchObject({ ...CLEAN, attempt: { id: 'a-2' } });
  });

  it('stays paused where it comes in the middle of one that is paused, and is not where the one before was over', () => {
    for (const name of ['stage', 'boundary'] as const) {
      expect(becomes(STATES[name], 'targetChanged'), name).toMatchObject(PAUSE);
      expect(becomes(STATES[name], 'targetChanged', { isMidway: false }), name).toMatchObject({
        paused: false,
        pausedBecause: undefined,
        pausedAt: undefined,
      });
    }
    for (const name of ['idle', 'returning', 'aborted', 'done'] as const)
      expect(becomes({ ...STATES[name], ...PAUSE } as never, 'targetChanged'), name).toMatchObject({
        paused: false,
        pausedBecause: undefined,
        pausedAt: undefined,
      });
  });

  it('is the same one anew after an abort, without a pause, and from where the first attempt started', () => {
    const next = becomes({ ...STATES.aborted, attempt: { ...ATTEMPT, full: true } }, 'retryAsked');
    expect(next).toMatchObject({ ...CLEAN, paused: false });
    const { id, target, stable, floor } = ATTEMPT;
    expect(attemptOf(next)).toEqual({
      id,
      kind: 'retry',
      target,
      stable,
      floor,
      startedAt: iso(100),
      course: EVENTS.retryAsked.targets,
      full: false,
      stages: [],
    });
  });
});

describe('[rollout 14.3] a stage', () => {
  it('begins after the one before, with the votes that count for no other, and no samples of before', () => {
    expect(becomes(STATES.boundary, 'stageStarted')).toMatchObject({
      state: 'stage',
      stage: 2,
      before: 50,
      since: iso(100),
      progress: undefined,
      votes: [VOTE],
      health: { failures: 0, consecutiveErrors: 0 },
      ...PAUSE,
    });
    expect(becomes(STATES.stage, 'stageStarted')).toMatchObject({ stage: 2, before: 25, ...PAUSE });
    expect(becomes(STATES.done, 'stageStarted')).toMatchObject({
      stage: 5,
      before: 100,
      paused: false,
      pausedBecause: undefined,
      pausedAt: undefined,
      votes: [],
    });
  });

  it('is planned anew in its place, and follows others in the record', () => {
    const stages = (state: ControlState) => attemptOf(state)?.stages.map(({ index, way, startedAt }) => `${way} ${index} ${startedAt}`);
    expect(stages(becomes(STATES.boundary, 'stageStarted'))).toEqual([`forward 1 ${iso(1)}`, `forward 2 ${iso(100)}`]);
    expect(stages(becomes({ ...STATES.boundary, stage: 0 }, 'stageStarted'))).toEqual([`forward 1 ${iso(100)}`]);
    expect(stages(becomes({ ...STATES.returning, stage: 0 }, 'stageStarted'))).toEqual([`forward 1 ${iso(1)}`, `back 1 ${iso(100)}`]);
  });

  it('notes the gate that it is past, where it was at one', () => {
    const gates = (state: ControlState) => attemptOf(state)?.gates;
    expect(gates(becomes(STATES.boundary, 'stageStarted'))).toEqual([
      { stage: 1, at: iso(100), by: [{ actor: 'ben', at: iso(55), verb: 'approve' }] },
    ]);
    expect(gates(becomes(STATES.boundary, 'stageStarted', { isPastGate: false }))).toBeUndefined();
    for (const name of ['stage', 'done'] as const) expect(gates(becomes(STATES[name], 'stageStarted')), name).toBeUndefined();
  });

  it('ends at a boundary without approvals and votes, with what was ready', () => {
    const reached = becomes(STATES.stage, 'stageReached');
    expect(reached).toMatchObject({
      state: 'boundary',
      stage: 2,
      before: 25,
      percent: 75,
      since: iso(100),
      approvals: [],
      advanced: false,
      votes: [],
      health: HEALTH,
      ...PAUSE,
    });
    expect(attemptOf(reached)?.stages).toMatchObject([{ index: 1, endedAt: iso(100), revisions: [{ revision: 'web-v2', ready: 3 }] }]);
    expect(becomes(STATES.boundary, 'stageReached')).toMatchObject({ stage: 2, before: 50, percent: 75 });
    expect(becomes(STATES.stage, 'stageReached', { isLast: true })).toMatchObject({ state: 'done', stage: 2 });
  });

  it('is one of the way back after an abort, until that is through', () => {
    expect(becomes(STATES.returning, 'stageReached')).toMatchObject({ state: 'returning', stage: 2, ...REJECTION });
    expect(becomes(STATES.returning, 'stageReached', { isLast: true })).toMatchObject({ state: 'aborted', ...REJECTION });
  });
});

describe('[rollout 14.6] an abort', () => {
  it('goes back where there is somewhere to go, as an attempt that nobody promotes any more', () => {
    const promoted = { ...STATES.stage, attempt: { ...ATTEMPT, full: true, course: { targetRevisions: [] } } };
    const back = becomes(promoted, 'abortAsked');
    expect(back).toMatchObject({ state: 'returning', stage: 0, rejected: 'web-v2', reason: 'worse', since: iso(100) });
    expect(attemptOf(back)).toMatchObject({
      full: false,
      course: { targetRevisions: [anEntry('web-v1', 4)] },
      stages: [{ failed: true, endedAt: iso(100) }],
    });
    const stays = becomes(promoted, 'abortAsked', { targets: undefined });
    expect([stays.state, attemptOf(stays)?.course]).toEqual(['aborted', { targetRevisions: [] }]);
  });
});

describe('[rollout 14.3] decisions', () => {
  it('that approve are counted beside those before; that advance or promote end a pause', () => {
    expect(approvalsOf(becomes(STATES.boundary, 'approved'))).toEqual([
      { actor: 'ben', at: iso(55) },
      { actor: 'cat', at: iso(100) },
    ]);
    const unpaused = { paused: false, pausedBecause: undefined };
    expect(becomes(STATES.boundary, 'advanced')).toMatchObject({
      advanced: true,
      ...unpaused,
      health: { failures: 2, consecutiveErrors: 0, sampledAt: iso(40) },
    });
    const promoted = becomes(STATES.boundary, 'promoted');
    expect(promoted).toMatchObject({
      ...unpaused,
      attempt: { full: true, promotedBy: [{ actor: 'ann', verb: 'promote-full', at: iso(50) }] },
    });
    for (const type of ['approved', 'advanced', 'promoted'] as const) {
      expect(becomes(STATES.boundary, type).seenGarbage, type).toBe('g-2');
      expect(becomes(STATES.boundary, type, { garbage: undefined }).seenGarbage, type).toBe('g-1');
    }
  });

  it('that vote count at their own stage, and those of another are dropped', () => {
    const voted = becomes({ ...STATES.boundary, votes: [VOTE, { ...VOTE, stage: 0 }] }, 'voted');
    expect(voted.votes).toEqual([VOTE, { verb: 'advance', stage: 1, actor: 'cat', at: iso(100) }]);
  });

  it('that loosen count for the policy that waits alone, and one that waits no more ends its round', () => {
    const both = { ...STATES.stage, loosenVotes: [...KEPT.loosenVotes, { actor: 'ben', at: iso(1), digest: 'p-0' }] };
    expect(becomes(both, 'loosenVoted').loosenVotes.map(({ actor, digest }) => `${actor} ${digest}`)).toEqual(['ann p-1', 'ben p-1']);
    expect(becomes(STATES.stage, 'termsFollowed')).toMatchObject({
      loosenVotes: KEPT.loosenVotes,
      loosenRound: 2,
      tightened: undefined,
      terms: { ratio: 5 },
    });
    expect(becomes(both, 'termsFollowed')).toMatchObject({ loosenVotes: KEPT.loosenVotes, loosenRound: 3 });
    expect(becomes(both, 'termsFollowed', { waiting: undefined })).toMatchObject({ loosenVotes: [], loosenRound: 3 });
    expect(becomes(STATES.stage, 'loosened')).toMatchObject({ loosenVotes: [], loosenRound: 3, tightened: undefined, terms: undefined });
    expect(becomes({ ...STATES.stage, loosenRound: undefined }, 'loosened')).toMatchObject({ loosenRound: 1 });
  });

  it('that are made under the terms in force take away that one alone may take them back', () => {
    expect(becomes(STATES.stage, 'decidedUnderTerms')).toEqual({ ...STATES.stage, tightened: undefined });
    const untightened = { ...STATES.stage, tightened: undefined };
    expect(becomes(untightened, 'decidedUnderTerms')).toBe(untightened);
  });
});

describe('[rollout 14.3] a pause', () => {
  it('is asked for with why, and ended with that', () => {
    expect(becomes(STATES.stage, 'pauseAsked')).toMatchObject({ paused: true, pausedBecause: 'by ben' });
    expect(becomes(STATES.stage, 'resumeAsked')).toMatchObject({ paused: false, pausedBecause: undefined, pausedAt: iso(60) });
    expect(becomes(STATES.stage, 'pauseBegan').pausedAt).toBe(iso(60));
    expect(becomes({ ...STATES.stage, pausedAt: undefined }, 'pauseBegan').pausedAt).toBe(iso(100));
  });

  it.each([
    ['began after', 10, 60, 50],
    ['began before', 80, 60, 100],
    ['begins after the end', 10, 130, 10],
  ])('that %s counts for no deadline that runs since %s s', (_when, since, pausedAt, moved) => {
    const paused = { pausedAt: iso(pausedAt) };
    expect(becomes({ ...STATES.boundary, ...paused, since: iso(since) }, 'pauseEnded')).toMatchObject({
      pausedAt: undefined,
      since: iso(moved),
    });
    const inStage = becomes({ ...STATES.stage, ...paused, progress: { score: 1, at: iso(since) } }, 'pauseEnded');
    expect(inStage).toMatchObject({ pausedAt: undefined, since: STATES.stage.since, progress: { score: 1, at: iso(moved) } });
  });

  it('moves nothing where it never began, where nothing was noted, and where that cannot be read', () => {
    expect(becomes({ ...STATES.boundary, pausedAt: undefined }, 'pauseEnded')).toEqual({ ...STATES.boundary, pausedAt: undefined });
    expect(becomes({ ...STATES.stage, progress: undefined }, 'pauseEnded').progress).toBeUndefined();
    expect(becomes({ ...STATES.boundary, since: '' }, 'pauseEnded').since).toBe('');
  });
});

describe('[rollout 14.7] a sample of health', () => {
  const sampled = (state: ControlState, sample: 'healthy' | 'failing' | 'unreadable') => becomes(state, 'healthSampled', { sample });

  it('that fails counts, and begins the soak of a boundary anew', () => {
    expect(sampled(STATES.boundary, 'failing')).toMatchObject({
      since: iso(100),
      health: { failures: 3, consecutiveErrors: 0, sampledAt: iso(100) },
    });
    expect(sampled(STATES.stage, 'failing')).toMatchObject({ since: iso(10), health: { failures: 3 } });
  });

  it('that cannot be read counts in a row, which a healthy one ends without another trace', () => {
    expect(sampled(STATES.stage, 'unreadable')).toMatchObject({ health: { failures: 2, consecutiveErrors: 4, sampledAt: iso(100) } });
    expect(sampled(STATES.stage, 'healthy')).toEqual({ ...STATES.stage, health: { ...HEALTH, consecutiveErrors: 0 } });
    const well = { ...STATES.stage, health: { failures: 2, consecutiveErrors: 0 } };
    expect(sampled(well, 'healthy')).toBe(well);
  });

  it('says how far a stage has got where it moved on', () => {
    expect(becomes(STATES.stage, 'progressed')).toEqual({ ...STATES.stage, progress: { score: 3, at: iso(100) } });
  });
});
