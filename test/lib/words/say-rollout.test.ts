import { describe, expect, it } from 'vitest';
import type { RolloutMessage } from '@/lib/words/rollout-message';
import { sayRollout } from '@/lib/words/say-rollout';

// What an operator reads: who is awaited, how many, of which revision, and what a click does. Each line is one that somebody acts on.

const GATE = { id: 'wait.gate', stage: 2, required: 2, given: [], groups: [], opensAt: null } as const;
const CHANGE = { id: 'act.revision-changes', revision: 'web-v2', from: 2, to: 5, exact: 'exactly', percentFrom: 20, percentTo: 50 } as const;
const BLIND = { id: 'wait.blind', of: 'Pod', since: '2026-01-01T00:00:00Z', reason: 'the watch is lost', forbidden: false } as const;
const TAKEN = { id: 'refused.taken', revision: 'web-v2', by: 'other' } as const;
const GROW = { id: 'wait.grow', stage: 2, revision: 'web-v2', least: 3, most: 3, has: 1 } as const;

type Said = readonly [message: RolloutMessage, sentence: string];

const WAITS: readonly Said[] = [
  [GATE, 'waiting for 2 approvals after stage 2'],
  [{ ...GATE, required: 1 }, 'waiting for 1 approval after stage 2'],
  [{ ...GATE, stage: 0, given: ['ann'] }, 'waiting for 1 more approval before stage 1 (1 of 2 given, by ann)'],
  [{ ...GATE, required: 4, given: ['ann', 'bo'] }, 'waiting for 2 more approvals after stage 2 (2 of 4 given, by ann and bo)'],
  [{ ...GATE, groups: ['sre', 'leads'] }, 'waiting for 2 approvals from sre or leads after stage 2'],
  [{ ...GATE, opensAt: '2026-01-01T00:00:00Z' }, 'waiting for 2 approvals after stage 2; the gate opens by itself at 2026-01-01T00:00:00Z'],
  [{ id: 'wait.soak', stage: 3, ms: 600_000, until: '2026-01-01T00:10:00Z' }, 'stage 3 must stay healthy for 10m, until 2026-01-01T00:10:00Z'],
  [{ id: 'wait.paused', by: 'person' }, 'paused by a person; nothing advances until it is resumed'],
  [{ id: 'wait.paused', by: 'policy' }, 'paused by the policy of the rollout; nothing advances until it is resumed'],
  [{ id: 'wait.held', because: 'errors rise' }, 'held: errors rise; nothing advances until it is resumed'],
  [{ id: 'wait.health-unknown', errors: 4, allowed: 3 }, 'health could not be read 4 times in a row, 3 are allowed'],
  [
    BLIND,
    'Pod objects of its namespace were last read at 2026-01-01T00:00:00Z: the watch is lost; it neither goes on nor is aborted by what was known then, and goes on when they can be read again',
  ],
  [
    { ...BLIND, forbidden: true, reason: 'no right' },
    'Pod objects of its namespace may not be read since 2026-01-01T00:00:00Z: no right; it neither goes on nor is aborted by what was known then, and goes on when they can be read again',
  ],
  [
    { id: 'wait.looser-policy', fields: ['gates', 'ratio'], required: 2, given: ['ann'] },
    'a looser policy (gates, ratio) is waiting for 1 more decision to loosen (1 of 2 given, by ann); until then the stricter one applies',
  ],
  [{ id: 'wait.no-target' }, 'no target is asked for'],
  [{ id: 'wait.complete', revision: 'web-v2' }, 'all traffic goes to web-v2'],
  [
    { id: 'wait.aborted', revision: 'web-v2', reason: 'errors', stable: ['web-v1'] },
    'web-v2 was aborted: errors; all traffic goes to web-v1; it waits for a retry or another target',
  ],
  [
    { id: 'wait.aborted', revision: 'web-v1', reason: 'errors', stable: [] },
    'web-v1 was aborted: errors; there is nothing to go back to, its pods are left for inspection; it waits for a retry or another target',
  ],
  [{ id: 'wait.planning' }, 'the next stage is being planned'],
  [{ id: 'wait.stage-reached', stage: 2 }, 'stage 2 is reached'],
  [{ id: 'wait.stage-reached', stage: 'abort' }, 'the abort is reached'],
  [GROW, 'stage 2 wants 3 ready replicas of web-v2, has 1'],
  [{ ...GROW, least: 1, most: 1, has: 0 }, 'stage 2 wants 1 ready replica of web-v2, has 0'],
  [{ ...GROW, most: 6 }, 'stage 2 wants 3 to 6 ready replicas of web-v2, has 1'],
  [{ ...GROW, most: null }, 'stage 2 wants 3 ready replicas of web-v2, has 1'],
  [{ id: 'wait.shrink', stage: 'abort', revision: 'web-v2', most: 0, has: 4 }, 'the abort wants at most 0 replicas of web-v2, has 4'],
  [{ id: 'wait.shrink', stage: 1, revision: 'web-v1', most: 1, has: 4 }, 'stage 1 wants at most 1 replica of web-v1, has 4'],
  [{ id: 'wait.terminating', stage: 1, revision: 'web-v1', pods: 0 }, 'no pod of web-v1 is terminating'],
  [{ id: 'wait.terminating', stage: 1, revision: 'web-v1', pods: 1 }, 'stage 1 waits for 1 terminating pod of web-v1 to go'],
  [{ id: 'wait.terminating', stage: 1, revision: 'web-v1', pods: 2 }, 'stage 1 waits for 2 terminating pods of web-v1 to go'],
  [{ id: 'wait.terminating', stage: 1, revision: 'web-v1', pods: null }, 'stage 1 waits for unknown terminating pods of web-v1 to go'],
  [{ id: 'wait.workload-missing', revision: 'web-v2' }, 'Deployment web-v2 does not exist yet'],
  [{ id: 'wait.workload-unobserved', revision: 'web-v2' }, 'Deployment web-v2 has not been looked at by its controller since it changed'],
  [{ id: 'wait.autoscaler-missing', revision: 'web-v2' }, 'StagePodAutoscaler web-v2 is not there yet'],
  [{ id: 'wait.workload-failed', revision: 'web-v2', why: '2 pods have failed' }, 'Deployment web-v2: 2 pods have failed'],
  [{ id: 'wait.kept', revision: 'web-v2', until: '2026-01-01T00:10:00Z' }, 'web-v2 still serves: its pods are kept until 2026-01-01T00:10:00Z'],
  [{ id: 'wait.floor', revision: 'web-v1', keeps: 1, wished: 0, floor: 4 }, 'web-v1 keeps 1 replica instead of 0, so that 4 stay ready'],
  [{ id: 'wait.stalled', stage: 2, seconds: 600, because: null }, 'stage 2 has made no progress for 600 s'],
  [
    { id: 'wait.stalled', stage: 'abort', seconds: 60, because: GROW },
    'the abort has made no progress for 60 s: stage 2 wants 3 ready replicas of web-v2, has 1',
  ],
  [
    { id: 'wait.unreadable', field: 'spec.control', problem: 'wants a list' },
    'the rollout cannot be read: spec.control wants a list; nothing moves until it is mended',
  ],
  [
    { id: 'wait.annotated', annotation: 'a/paused' },
    'the annotation a/paused holds this rollout: nothing moves and no decision is answered until it is taken away',
  ],
  [{ id: 'wait.ungranted', why: 'the server may not scale: slipway grant shop' }, 'waiting for a grant: the server may not scale: slipway grant shop'],
  [{ id: 'wait.failed', failure: 'no answer' }, 'the engine failed on this rollout and tries again: no answer'],
  [
    { id: 'wait.failed-part', kind: 'StageDecision', name: 'web-x', since: '2026-01-01T00:00:00Z', failure: 'no answer' },
    'the engine fails on StageDecision web-x since 2026-01-01T00:00:00Z, and tries again with growing pauses: no answer',
  ],
  [
    { id: 'wait.application-goes', application: 'web' },
    'application web is being deleted, and this rollout and what it moves go with it; it goes on until then',
  ],
  [
    { ...TAKEN, id: 'wait.taken' },
    'web-v2 belongs to rollout other, and two rollouts cannot scale one revision; nothing moves until one of them names another revision or is deleted',
  ],
  [
    { ...TAKEN, id: 'wait.taken', why: 'application' },
    'web-v2 belongs to application other, and a rollout that this application does not own cannot scale it; nothing moves until it names another revision',
  ],
  [
    { ...TAKEN, id: 'wait.taken', why: 'rights' },
    'other, who wrote this rollout, may not patch Deployment web-v2, so the engine does not scale it for them; nothing moves until they may',
  ],
  [{ id: 'state.stage', stage: 2, revision: 'web-v2', percent: 40 }, 'stage 2 brings web-v2 to 40%'],
  [{ id: 'state.returning', rejected: 'web-v2', stable: ['web-v1'], reason: 'errors' }, 'web-v2 is aborted: errors; web-v1 takes everything back'],
  [{ id: 'state.returning', rejected: 'web-v2', stable: [], reason: 'errors' }, 'web-v2 is aborted: errors'],
];

const REFUSALS: readonly Said[] = [
  [{ ...TAKEN, by: null }, 'web-v2 belongs to a StagePodAutoscaler that is not of this rollout, and two rollouts cannot scale one revision'],
  [{ id: 'refused.unreadable', field: 'spec.control', problem: 'wants a list' }, 'the rollout cannot be read: spec.control wants a list'],
  [{ id: 'refused.annotated', annotation: 'a/paused' }, 'the annotation a/paused holds this rollout'],
  [{ id: 'refused.idle', rollout: 'web' }, 'rollout web is idle: nothing is under way'],
  [{ id: 'refused.aborting' }, 'the rollout is being aborted'],
  [{ id: 'refused.aborted' }, 'the rollout is aborted already'],
  [{ id: 'refused.under-way', stage: 2, verb: 'approve' }, 'stage 2 is still under way; no gate is closed'],
  [{ id: 'refused.under-way', stage: 2, verb: 'advance' }, 'stage 2 is still under way; there is no hold to advance over'],
  [{ id: 'refused.no-gate', because: null }, 'no gate waits for an approval'],
  [
    { id: 'refused.no-gate', because: { id: 'wait.paused', by: 'person' } },
    'no gate waits for an approval: paused by a person; nothing advances until it is resumed',
  ],
  [{ id: 'refused.paused-by-policy' }, 'the policy of the rollout pauses it; change the policy'],
  [{ id: 'refused.paused-already' }, 'the rollout is paused already'],
  [{ id: 'refused.not-paused' }, 'the rollout is not paused'],
  [{ id: 'refused.promoted-already' }, 'the rollout is promoted fully already'],
  [{ id: 'refused.nothing-aborted' }, 'nothing was aborted that could be tried again'],
  [{ id: 'refused.nothing-looser' }, 'no looser policy waits to be decided'],
  [{ id: 'refused.no-earlier-revision' }, 'there is no earlier revision to go back to'],
  [{ id: 'refused.no-application' }, 'a rollback changes the application, and this rollout has none; change its target instead'],
  [{ id: 'refused.application-goes', application: 'web' }, 'a rollback changes the application, and web is being deleted'],
];

const CONSEQUENCES: readonly Said[] = [
  [{ id: 'act.pause-ends' }, 'The pause ends.'],
  [{ id: 'act.next-stage-unknown' }, 'The next stage is planned when the scales of all revisions are known.'],
  [{ id: 'act.gates-hold-again' }, 'Gates and soaks after that stage still apply.'],
  [{ id: 'act.health-judged' }, 'Health checks still apply.'],
  [{ id: 'act.nothing-advances' }, 'Nothing advances until it is resumed.'],
  [{ id: 'act.nothing-undone' }, 'Replicas and traffic stay as they are; nothing is undone.'],
  [{ id: 'act.deadlines-stand' }, 'Deadlines are suspended.'],
  [{ id: 'act.set-back' }, 'The application is set back to the revision named, as a change of its own.'],
  [{ id: 'act.new-revision' }, 'That makes a new revision, which is rolled out by the same stages and gates.'],
  [{ id: 'act.waits-before-first' }, 'It waits for a person before stage 1.'],
  [{ id: 'act.one-of-many', verb: 'approve', given: 1, required: 2 }, 'This is approval 1 of 2. Nothing moves until 2 people have decided the same.'],
  [{ id: 'act.one-of-many', verb: 'advance', given: 2, required: 3 }, 'This is decision 2 of 3. Nothing moves until 3 people have decided the same.'],
  [{ id: 'act.one-of-many', verb: 'loosen', given: 1, required: 2 }, 'This is decision 1 of 2. Nothing changes until 2 people have decided the same.'],
  [{ id: 'act.loosens', fields: ['gates'] }, 'The policy that was asked for is in force from then on: gates lets more through.'],
  [{ id: 'act.loosens', fields: ['gates', 'ratio'] }, 'The policy that was asked for is in force from then on: gates and ratio let more through.'],
  [{ id: 'act.stage-begins', stage: 3 }, 'Stage 3 begins.'],
  [CHANGE, 'web-v2 goes from 2 to 5 replicas and from 20% to 50% of the traffic, by pod ratio.'],
  [{ ...CHANGE, to: 1, percentFrom: null }, 'web-v2 goes from 2 to 1 replica.'],
  [{ ...CHANGE, exact: 'atLeast', percentTo: null }, 'web-v2 goes from 2 to at least 5 replicas.'],
  [{ ...CHANGE, exact: 'atMost', percentTo: null }, 'web-v2 goes from 2 to at most 5 replicas.'],
  [{ id: 'act.takes-everything', revision: 'web-v2', stages: 0 }, 'web-v2 takes over completely, without any further gate or soak.'],
  [{ id: 'act.takes-everything', revision: 'web-v2', stages: 1 }, 'web-v2 takes over completely in 1 stage, without any further gate or soak.'],
  [{ id: 'act.goes-on', gates: true }, 'The rollout goes on from where it is. Gates still apply.'],
  [{ id: 'act.goes-on', gates: false }, 'The rollout goes on from where it is.'],
  [{ id: 'act.nowhere-to-go-back', revision: 'web-v1' }, 'There is no revision to go back to: web-v1 stops where it is and its pods are left for inspection.'],
  [{ id: 'act.nothing-moved-yet', revision: 'web-v2' }, 'Nothing has moved yet: web-v2 is rejected and no replica changes.'],
  [{ id: 'act.stable-first', stable: ['web-v1'], rejected: 'web-v2' }, 'web-v1 is scaled up before web-v2 is scaled down.'],
  [{ id: 'act.shared-objects', stable: ['web-v1'] }, 'Objects that both share, such as ConfigMaps and Services, go back to those of web-v1 at once.'],
  [{ id: 'act.rejected-ends', rejected: 'web-v2', stable: ['web-v1'], delayMs: 0 }, 'web-v2 goes to 0 replicas as soon as web-v1 has its ready replicas.'],
  [
    { id: 'act.rejected-ends', rejected: 'web-v2', stable: ['web-v1'], delayMs: 30_000 },
    'web-v2 still serves for at least 30s, then goes to 0 replicas once web-v1 has its ready replicas.',
  ],
  [{ id: 'act.no-rollout-again', rejected: 'web-v2' }, 'There is no new rollout to web-v2 until a retry or another change.'],
  [{ id: 'act.starts-anew', revision: 'web-v2', stages: 3 }, 'The rollout to web-v2 starts anew, in 3 stages.'],
  [{ id: 'act.starts-anew', revision: 'web-v2', stages: 0 }, 'The rollout to web-v2 starts anew.'],
];

describe('what an operator reads of a rollout', () => {
  it.each(WAITS)('[issue 9.3] why it waits: %o', (message, sentence) => {
    expect(sayRollout(message)).toBe(sentence);
  });

  it.each(REFUSALS)('[issue 9.3] why an act is not possible: %o', (message, sentence) => {
    expect(sayRollout(message)).toBe(sentence);
  });

  it.each(CONSEQUENCES)('[issue 9.3] what a click does: %o', (message, sentence) => {
    expect(sayRollout(message)).toBe(sentence);
  });
});
