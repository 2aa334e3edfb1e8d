import { describe, expect, it } from 'vitest';
import type { ControlState } from '@/server/rollout/control/state';
import { controlState, emptyControl, withHandled, withHistory } from '@/server/rollout/control/state';

const at = '2026-01-01T09:00:00Z';
const revisions = [{ revisionName: 'web-v2', percent: 100, minScale: 2, maxScale: 4 }];
const stages = [
  {
    index: 1,
    way: 'back',
    startedAt: at,
    endedAt: at,
    failed: true,
    revisions: [
      { revision: 'web-v1', direction: 'up', percent: 75, replicas: 3, exact: 'atLeast', ready: 2 },
      { revision: 'web-v2', direction: 'down', percent: 25, replicas: 1, exact: 'atMost', ready: 1 },
    ],
  },
  { index: 2, way: 'forward', revisions: [] },
];
const by = ['approve', 'advance', 'promote-full'].map((verb) => ({ actor: 'ann', verb, at }));
const gates = [{ stage: 1, at, by }];
const past = ['completed', 'aborted', 'superseded'].map((outcome) => ({
  id: 'a0',
  kind: 'retry',
  from: ['web-v0'],
  to: 'web-v1',
  startedAt: at,
  endedAt: at,
  outcome,
  stages,
  gates,
}));
const terms = { ratio: 25, overlap: true, control: { gates: 'every-stage' } };
const common = {
  phase: 'Paused',
  message: 'waits',
  seenGarbage: 'g1',
  handled: ['d1'],
  history: [{ id: 'h1', at, actor: 'ann', action: 'decision.pause', message: 'because' }],
  past,
  terms,
  tightened: { from: terms, by: 'ben', at },
  loosenVotes: [{ actor: 'ann', at, digest: 'p1' }],
  loosenRound: 3,
};
const attempt = {
  id: 'a1',
  kind: 'rollback',
  target: revisions,
  startedAt: at,
  stable: revisions,
  floor: 2,
  course: { initialRevisions: revisions, targetRevisions: revisions },
  full: true,
  promotedBy: by,
  stages,
  gates,
};
const pause = { paused: true, pausedBecause: 'ann said so', pausedAt: at };
const votes = ['advance', 'promote-full'].map((verb) => ({ verb, stage: 1, actor: 'ann', at }));
const health = { failures: 2, consecutiveErrors: 1, sampledAt: at };
const going = { ...common, ...pause, attempt, stage: 1, since: at, before: 25, votes, health };
const rejection = { rejected: 'web-v2', reason: 'errors', since: at };

describe('what is remembered of a rollout', () => {
  it.each([
    { state: 'idle', ...common },
    { state: 'stage', ...going, progress: { score: 4, at } },
    { state: 'boundary', ...going, percent: 50, approvals: [{ actor: 'ann', at }], advanced: true },
    { state: 'returning', ...common, ...rejection, attempt, stage: 2 },
    { state: 'aborted', ...common, ...rejection, attempt },
    { state: 'done', ...common, attempt, stage: 4 },
  ])('[rollout 14] is read as it was written: $state', (stored) => {
    expect(controlState.parse(stored)).toEqual(stored);
  });

  it('[rollout 14] has nobody’s approval, vote, decision or pause where none is written, and no failure', () => {
    const begun = { id: 'a1', target: revisions, startedAt: at };
    const held = { phase: 'Progressing', message: '', handled: [], history: [], past: [], loosenVotes: [] };
    const attempted = { ...begun, kind: 'rollout', stable: [], floor: 0, full: false, stages: [] };
    const unheld = { ...held, paused: false, attempt: attempted, stage: 1, since: at, before: 0, votes: [] };
    const unsampled = { failures: 0, consecutiveErrors: 0 };
    const least = { attempt: begun, stage: 1, since: at };
    expect(controlState.parse({ state: 'stage', ...least })).toEqual({ state: 'stage', ...unheld, health: unsampled });
    expect(controlState.parse({ state: 'boundary', ...least, health: {} })).toEqual({
      state: 'boundary',
      ...unheld,
      health: unsampled,
      percent: 0,
      approvals: [],
      advanced: false,
    });
    expect(emptyControl()).toEqual({ state: 'idle', ...held });
  });

  it.each([
    { state: 'gone' },
    { state: 'stage', attempt: { id: 'a1', target: revisions, startedAt: at }, stage: 1 },
    { state: 'boundary', attempt: { id: 'a1', target: revisions, startedAt: at }, stage: '1', since: at },
    { state: 'boundary', attempt: { id: 'a1', target: revisions, startedAt: at }, stage: 1, since: at, approvals: [{ at }] },
    { state: 'aborted', attempt: { id: 'a1', target: revisions, startedAt: at } },
  ])('[issue 9.3] is not read where it cannot be: %j', (stored) => {
    expect(controlState.safeParse(stored).success).toBe(false);
  });

  it('[rollout 14] tells each thing that happened once, and the newest twenty', () => {
    const entry = (id: number) => ({ id: `h${id}`, at, actor: 'ann', action: 'decision.pause', message: `${id}` });
    const told = (state: ControlState) => state.history.map(({ message }) => message);
    const once = withHistory(withHistory(emptyControl(), entry(1)), { ...entry(1), message: 'again' });
    expect(told(once)).toEqual(['1']);
    const many = Array.from({ length: 30 }, (_, index) => entry(index)).reduce(withHistory<ControlState>, emptyControl());
    expect(told(many)).toEqual(Array.from({ length: 20 }, (_, index) => `${index + 10}`));
  });

  it('[rollout 14.2] knows the newest fifty decisions that had their effect, each once', () => {
    const uids = Array.from({ length: 60 }, (_, index) => `d${index}`);
    const full = uids.reduce(withHandled<ControlState>, emptyControl());
    expect(full.handled).toEqual(uids.slice(10));
    expect(withHandled(full, 'd20').handled).toEqual([...uids.slice(10).filter((uid) => uid !== 'd20'), 'd20']);
  });
});
