import { describe, expect, it } from 'vitest';
import { CHECKING } from '@/components/live/rights';
import { refusalWhileStale } from '@/components/live/staleness';
import { isSameDecision, refusalOf, sharedRefusal, shownActions } from '@/components/rollouts/action-rules';
import { progressOf } from '@/components/rollouts/stage-rail';
import { toDecisionRequest } from '@/lib/contract/acts/rollout-decision';
import { decisionRequest } from '@/lib/contract/requests';
import type { ActionView, StageView } from '@/lib/contract/rollout-rows';
import { DECISION_VERBS, verbIs } from '@/lib/contract/stage-decision';

const action = (rest: Partial<ActionView> = {}): ActionView => ({
  verb: 'approve',
  allowed: true,
  why: null,
  consequences: [],
  replicas: [],
  peak: null,
  needsReason: false,
  stage: 2,
  revision: 'web-v4',
  seen: { rollout: 'r1', garbage: 'g1', policy: null },
  ...rest,
});
const staleness = { since: '2026-11-20T09:00:00Z', reason: 'The watch was lost.' };

describe('what a person may do', () => {
  it.each([
    ['nothing in the way', action(), {}, null, null],
    ['the state refuses first', action({ allowed: false, why: 'It is paused.' }), { approve: 'Not you.' }, staleness, 'It is paused.'],
    ['then the right', action(), { approve: 'Not you.' }, staleness, 'Not you.'],
    ['a right that is being checked waits', action(), 'checking', staleness, CHECKING],
    ['of a state that refuses nothing is checked', action({ allowed: false, why: 'It is paused.' }), 'checking', null, 'It is paused.'],
    ['a state that does not say why is still told', action({ allowed: false, why: null }), {}, null, 'This is not possible now.'],
    ['data that are out of date', action(), {}, staleness, refusalWhileStale(staleness)],
    ['a right that could not be read is left to the server', action(), 'unread', null, null],
  ] as const)('[design 5] %s', (_title, given, rights, stale, refusal) => {
    expect(refusalOf(given, rights as never, stale)).toBe(refusal);
  });

  it.each(DECISION_VERBS)('[design 7] %s on stale data is refused exactly if it counts only for what was seen', (verb) => {
    expect(refusalOf(action({ verb }), 'unread', staleness) !== null).toBe(verbIs(verb, 'restsOnSeen'));
  });

  it.each(DECISION_VERBS)('[issue 14.3] %s is refused with the reason while nobody answers', (verb) => {
    expect(refusalOf(action({ verb }), 'unread', { ...staleness, reason: 'The server does not answer.', isAway: true })).toBe(
      'Actions are blocked: The server does not answer.',
    );
  });

  it.each(DECISION_VERBS)(
    '[design 5] %s is sent with what was seen and the stage exactly if it has to be, and the contract takes it',
    (verb) => {
      const request = toDecisionRequest('uid-1', { action: action({ verb }), garbage: 'g2' }, ' because ');
      expect(decisionRequest.safeParse(request).success).toBe(true);
      expect(request.stage).toBe(verbIs(verb, 'namesStage') ? 2 : undefined);
      expect(request.seen).toEqual(verbIs(verb, 'restsOnSeen') ? { rollout: 'r1', garbage: 'g2' } : undefined);
      expect(request.reason).toBe('because');
    },
  );

  it('[design 5] names nothing that was not seen, and no reason where none is given', () => {
    const unseen = action({ stage: null, revision: null, seen: { rollout: null, garbage: null, policy: null } });
    expect(toDecisionRequest('uid-1', { action: unseen }, '  ')).toEqual({ verb: 'approve', uid: 'uid-1', seen: {} });
  });

  it('[design 5] names everything that was seen, and the plan of the action where the dialog read none itself', () => {
    const seen = { rollout: 'r1', garbage: 'g1', policy: 'p1' };
    expect(toDecisionRequest('uid-1', { action: action({ stage: 0, seen }) })).toEqual({
      verb: 'approve',
      uid: 'uid-1',
      stage: 0,
      revision: 'web-v4',
      seen,
    });
  });

  it.each([
    ['the same', action(), true],
    ['gone', undefined, false],
    ['another stage', action({ stage: 3 }), false],
    ['another revision', action({ revision: 'web-v5' }), false],
    ['another rollout', action({ seen: { rollout: 'r9', garbage: 'g1', policy: null } }), false],
    ['another plan', action({ seen: { rollout: 'r1', garbage: 'g9', policy: null } }), false],
    ['another policy', action({ seen: { rollout: 'r1', garbage: 'g1', policy: 'p9' } }), false],
  ] as const)('[design 5] what a dialog showed is compared with what would be decided now: %s', (_title, current, same) => {
    expect(isSameDecision(action(), current)).toBe(same);
  });
});

describe('the actions that are shown', () => {
  const verbs = (allowed: readonly string[], activity: Parameters<typeof shownActions>[1]) =>
    shownActions(
      DECISION_VERBS.map((verb) => action({ verb, allowed: allowed.includes(verb) })),
      activity,
    ).map(({ verb }) => verb);

  it.each([
    ['a rollout under way', ['pause', 'abort'], 'rolling-out', ['approve', 'advance', 'promote-full', 'pause', 'abort', 'rollback']],
    ['a paused one offers to resume', ['resume', 'abort'], 'paused', ['approve', 'advance', 'promote-full', 'resume', 'abort', 'rollback']],
    ['an aborted one shows only what can be done', ['retry', 'rollback'], 'aborted', ['rollback', 'retry']],
    ['one that rests shows only what can be done', ['rollback'], 'idle', ['rollback']],
  ] as const)('[design 9] %s', (_title, allowed, activity, shown) => {
    expect(verbs(allowed, activity)).toEqual(shown);
  });
});

describe('the cursor of the stage rail', () => {
  const stage = (index: number, state: StageView['state'], replicas: number): StageView => ({
    index,
    way: 'forward',
    state,
    gate: 'none',
    percent: 0,
    entries: [{ revision: 'new', percent: 0, replicas, direction: 'up', exact: 'exactly', observed: null }],
    startedAt: null,
    finishedAt: null,
  });
  const stages = [stage(1, 'done', 2), stage(2, 'current', 6), stage(3, 'planned', 10)];
  const rollout = (actual: number | null) => ({ stages, to: 'new', revisions: [{ revision: 'new', actual }] }) as const;

  it.each([
    [1, 4, 1],
    [2, 2, 0],
    [2, 4, 0.5],
    [2, 9, 1],
    [2, 1, 0],
    [2, null, 0],
    [3, 9, 0],
  ])('[design 9] stage %i with %s replicas there stands at %d', (index, actual, progress) => {
    const found = stages[index - 1];
    expect(found && progressOf(found, rollout(actual))).toBe(progress);
  });
});

describe('the cursor on the way back', () => {
  it('[design 9] moves as the replicas of what was sent back go', () => {
    const entry = (replicas: number) =>
      ({ revision: 'new', percent: 0, replicas, direction: 'down', exact: 'exactly', observed: null }) as const;
    const base = { gate: 'none', percent: 0, startedAt: null, finishedAt: null } as const;
    const forward: StageView = { ...base, index: 1, way: 'forward', state: 'done', entries: [entry(4)] };
    const back: StageView = { ...base, index: 1, way: 'back', state: 'current', entries: [entry(0)] };
    const at = (actual: number) => progressOf(back, { stages: [forward, back], to: 'new', revisions: [{ revision: 'new', actual }] });
    expect([at(4), at(1), at(0)]).toEqual([0, 0.75, 1]);
  });
});

describe('what stands for all to read', () => {
  it.each([
    ['nothing is refused', [null, null], null],
    ['nothing is to be decided', [], null],
    ['some are', ['Ask for the role approver.', null], null],
    ['they wait for the rights', [CHECKING, CHECKING], null],
    ['they are for different reasons', ['Ask for the role approver.', 'It is out of date.'], null],
    ['all are, for one reason', ['Ask for the role approver.', 'Ask for the role approver.'], 'Ask for the role approver.'],
  ])('[design 8] when %s', (_when, refusals, sentence) => {
    expect(sharedRefusal(refusals)).toBe(sentence);
  });
});
