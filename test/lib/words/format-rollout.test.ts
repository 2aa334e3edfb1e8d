import { describe, expect, it } from 'vitest';
import { formatRollout } from '@/lib/words/format-rollout';
import type { RolloutMessage } from '@/lib/words/rollout-message';

// What an operator reads: who is awaited, how many, of which revision, and what a click does. Each line is one that somebody acts on.

const GATE = { id: 'wait.gate', stage: 2, required: 2, given: [], groups: [], opensAt: null } as const;
const CHANGE = {
  id: 'act.revision-changes',
  revision: 'web-v2',
  from: 2,
  to: 5,
  exact: 'exactly',
  isReady: false,
  percentFrom: 20,
  percentTo: 50,
} as const;
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
  [
    { ...GATE, opensAt: '2026-01-01T00:00:00Z' },
    'waiting for 2 approvals after stage 2; the gate opens automatically at 2026-01-01T00:00:00Z',
  ],
  [
    { id: 'wait.soak', stage: 3, ms: 600_000, until: '2026-01-01T00:10:00Z' },
    'stage 3 must stay healthy for 10m, until 2026-01-01T00:10:00Z',
  ],
  [{ id: 'wait.paused', by: 'person' }, 'paused by a person; nothing advances until it is resumed'],
  [{ id: 'wait.paused', by: 'policy' }, 'paused by the policy of the rollout; nothing advances until it is resumed'],
  [{ id: 'wait.held', because: 'errors rise' }, 'held: errors rise; nothing advances until it is resumed'],
  [{ id: 'wait.health-unknown', errors: 4, allowed: 3 }, 'health could not be read 4 times in a row (limit 3)'],
  [
    BLIND,
    'Pod objects of its namespace were last read at 2026-01-01T00:00:00Z: the watch is lost; the rollout neither continues nor aborts until they can be read again',
  ],
  [
    { ...BLIND, forbidden: true, reason: 'no right' },
    'Pod objects of its namespace have been unreadable since 2026-01-01T00:00:00Z: no right; the rollout neither continues nor aborts until they can be read again',
  ],
  [
    { id: 'wait.looser-policy', fields: ['gates', 'ratio'], required: 2, given: ['ann'] },
    'a looser policy (gates, ratio) is waiting for 1 more decision to loosen (1 of 2 given, by ann); until then the stricter policy applies',
  ],
  [{ id: 'wait.no-target' }, 'no target revision is set'],
  [{ id: 'wait.complete', revision: 'web-v2' }, 'all traffic goes to web-v2'],
  [
    {
      id: 'wait.complete',
      revision: 'web-v2',
      shares: [
        { revision: 'web-v2', percent: 60 },
        { revision: 'web-v1', percent: 40 },
      ],
    },
    'traffic goes to web-v2 (60%) and web-v1 (40%)',
  ],
  [
    { id: 'wait.aborted', revision: 'web-v2', reason: 'errors', stable: ['web-v1'] },
    'web-v2 was aborted: errors; all traffic goes to web-v1; retry it, or roll out another revision',
  ],
  [
    { id: 'wait.aborted', revision: 'web-v1', reason: 'errors', stable: [] },
    'web-v1 was aborted: errors; there is no revision to return to, its pods are kept for inspection; retry it, or roll out another revision',
  ],
  [{ id: 'wait.planning' }, 'the next stage is being planned'],
  [{ id: 'wait.stage-reached', stage: 2 }, 'stage 2 is reached'],
  [{ id: 'wait.stage-reached', stage: 'abort' }, 'the abort is reached'],
  [GROW, 'stage 2: web-v2 has 1 of 3 ready replicas'],
  [{ ...GROW, least: 1, most: 1, has: 0 }, 'stage 2: web-v2 has 0 of 1 ready replica'],
  [{ ...GROW, most: 6 }, 'stage 2: web-v2 has 1 of 3 to 6 ready replicas'],
  [{ ...GROW, most: null }, 'stage 2: web-v2 has 1 of 3 ready replicas'],
  [{ id: 'wait.shrink', stage: 'abort', revision: 'web-v2', most: 0, has: 4 }, 'the abort: web-v2 still has 4 replicas, at most 0 allowed'],
  [{ id: 'wait.shrink', stage: 1, revision: 'web-v1', most: 1, has: 4 }, 'stage 1: web-v1 still has 4 replicas, at most 1 allowed'],
  [{ id: 'wait.terminating', stage: 1, revision: 'web-v1', pods: 0 }, 'no pod of web-v1 is terminating'],
  [{ id: 'wait.terminating', stage: 1, revision: 'web-v1', pods: 1 }, 'stage 1: 1 pod of web-v1 still terminating'],
  [{ id: 'wait.terminating', stage: 1, revision: 'web-v1', pods: 2 }, 'stage 1: 2 pods of web-v1 still terminating'],
  [{ id: 'wait.terminating', stage: 1, revision: 'web-v1', pods: null }, 'stage 1: unknown pods of web-v1 still terminating'],
  [{ id: 'wait.workload-missing', revision: 'web-v2' }, 'Deployment web-v2 does not exist yet'],
  [{ id: 'wait.workload-unobserved', revision: 'web-v2' }, 'Deployment web-v2 has not been reconciled by its controller since it changed'],
  [{ id: 'wait.autoscaler-missing', revision: 'web-v2' }, 'StagePodAutoscaler web-v2 does not exist yet'],
  [{ id: 'wait.workload-failed', revision: 'web-v2', why: '2 pods have failed' }, 'Deployment web-v2: 2 pods have failed'],
  [
    { id: 'wait.kept', revision: 'web-v2', until: '2026-01-01T00:10:00Z' },
    'web-v2 still serves: its pods are kept until 2026-01-01T00:10:00Z',
  ],
  [{ id: 'wait.floor', revision: 'web-v1', keeps: 1, wished: 0, floor: 4 }, 'web-v1 keeps 1 replica instead of 0, so that 4 stay ready'],
  [{ id: 'wait.stalled', stage: 2, seconds: 600, because: null }, 'stage 2 has made no progress for 600 s'],
  [
    { id: 'wait.stalled', stage: 'abort', seconds: 60, because: GROW },
    'the abort has made no progress for 60 s: stage 2: web-v2 has 1 of 3 ready replicas',
  ],
  [
    { id: 'wait.unreadable', field: 'spec.control', problem: 'must be a list' },
    'the rollout cannot be read: spec.control must be a list; the rollout is stopped until it is fixed',
  ],
  [
    { id: 'wait.annotated', annotation: 'a/paused' },
    'the annotation a/paused pauses this rollout: nothing changes and no decision is evaluated until it is removed',
  ],
  [
    { id: 'wait.ungranted', why: 'the server may not scale: slipway grant shop' },
    'waiting for a grant: the server may not scale: slipway grant shop',
  ],
  [{ id: 'wait.failed', failure: 'no answer' }, 'reconciling this rollout failed and is retried: no answer'],
  [
    { id: 'wait.failed-part', kind: 'StageDecision', name: 'web-x', since: '2026-01-01T00:00:00Z', failure: 'no answer' },
    'reconciling StageDecision web-x has been failing since 2026-01-01T00:00:00Z and is retried with back-off: no answer',
  ],
  [
    { id: 'wait.application-goes', application: 'web' },
    'application web is being deleted, and this rollout with it; it continues until then',
  ],
  [
    { ...TAKEN, id: 'wait.taken' },
    'web-v2 belongs to rollout other, and two rollouts cannot scale one revision; both are stopped until one of them names another revision or is deleted',
  ],
  [
    { ...TAKEN, id: 'wait.taken', why: 'application' },
    'web-v2 belongs to application other, and a rollout that this application does not own cannot scale it; the rollout is stopped until it names another revision',
  ],
  [
    { ...TAKEN, id: 'wait.taken', why: 'rights' },
    'other, who wrote this rollout, may not patch Deployment web-v2, so the engine does not scale it for them; the rollout is stopped until they are allowed to',
  ],
  [{ id: 'state.stage', stage: 2, revision: 'web-v2', percent: 40 }, 'stage 2: web-v2 goes to 40%'],
  [
    { id: 'state.returning', rejected: 'web-v2', stable: ['web-v1'], reason: 'errors' },
    'web-v2 is aborted: errors; web-v1 takes over again',
  ],
  [{ id: 'state.returning', rejected: 'web-v2', stable: [], reason: 'errors' }, 'web-v2 is aborted: errors'],
];

const REFUSALS: readonly Said[] = [
  [{ ...TAKEN, by: null }, 'web-v2 belongs to a StagePodAutoscaler outside this rollout, and two rollouts cannot scale one revision'],
  [
    { id: 'refused.unreadable', field: 'spec.control', problem: 'must be a list' },
    'the rollout cannot be read: spec.control must be a list',
  ],
  [{ id: 'refused.annotated', annotation: 'a/paused' }, 'the annotation a/paused pauses this rollout'],
  [{ id: 'refused.idle', rollout: 'web' }, 'rollout web is idle: nothing is in progress'],
  [{ id: 'refused.aborting' }, 'the rollout is being aborted'],
  [{ id: 'refused.aborted' }, 'the rollout is already aborted'],
  [{ id: 'refused.under-way', stage: 2, verb: 'approve' }, 'stage 2 is still in progress; no gate is closed'],
  [{ id: 'refused.under-way', stage: 2, verb: 'advance' }, 'stage 2 is still in progress; nothing holds it'],
  [{ id: 'refused.no-gate', because: null }, 'no gate is waiting for approval'],
  [
    { id: 'refused.no-gate', because: { id: 'wait.paused', by: 'person' } },
    'no gate is waiting for approval: paused by a person; nothing advances until it is resumed',
  ],
  [{ id: 'refused.paused-by-policy' }, 'the policy of the rollout pauses it; change the policy'],
  [{ id: 'refused.paused-already' }, 'the rollout is already paused'],
  [{ id: 'refused.not-paused' }, 'the rollout is not paused'],
  [{ id: 'refused.promoted-already' }, 'the rollout is already fully promoted'],
  [{ id: 'refused.nothing-aborted' }, 'there is no aborted rollout to retry'],
  [{ id: 'refused.nothing-looser' }, 'no looser policy is waiting for approval'],
  [{ id: 'refused.no-earlier-revision' }, 'there is no earlier revision to return to'],
  [{ id: 'refused.no-application' }, 'a rollback changes the application, and this rollout has none; change its target instead'],
  [{ id: 'refused.application-goes', application: 'web' }, 'a rollback changes the application, and web is being deleted'],
];

const CONSEQUENCES: readonly Said[] = [
  [{ id: 'act.pause-ends' }, 'The pause ends.'],
  [{ id: 'act.next-stage-unknown' }, 'The next stage is planned once the replicas of all revisions are known.'],
  [{ id: 'act.gates-hold-again' }, 'Gates and soaks after that stage still apply.'],
  [{ id: 'act.health-judged' }, 'Health checks still apply.'],
  [{ id: 'act.nothing-advances' }, 'Nothing advances until it is resumed.'],
  [{ id: 'act.nothing-undone' }, 'Replicas and traffic stay as they are; nothing is undone.'],
  [{ id: 'act.deadlines-stand' }, 'Deadlines are suspended.'],
  [{ id: 'act.set-back' }, 'The application is restored to the named revision, as a new change.'],
  [{ id: 'act.new-revision' }, 'This creates a new revision, which is rolled out with the same stages and gates.'],
  [{ id: 'act.waits-before-first' }, 'It waits for approval before stage 1.'],
  [
    { id: 'act.one-of-many', verb: 'approve', given: 1, required: 2 },
    'This is approval 1 of 2. Nothing moves until 2 people have decided the same.',
  ],
  [
    { id: 'act.one-of-many', verb: 'advance', given: 2, required: 3 },
    'This is decision 2 of 3. Nothing moves until 3 people have decided the same.',
  ],
  [
    { id: 'act.one-of-many', verb: 'loosen', given: 1, required: 2 },
    'This is decision 1 of 2. Nothing changes until 2 people have decided the same.',
  ],
  [{ id: 'act.loosens', fields: ['gates'] }, 'The requested policy takes effect; it loosens gates.'],
  [{ id: 'act.loosens', fields: ['gates', 'ratio'] }, 'The requested policy takes effect; it loosens gates and ratio.'],
  [{ id: 'act.stage-begins', stage: 3 }, 'Stage 3 begins.'],
  [CHANGE, 'web-v2 goes from 2 to 5 replicas and from 20% to 50% of the traffic, by pod ratio.'],
  [{ ...CHANGE, from: 0, isReady: true, percentFrom: null }, 'web-v2 goes from 0 to 5 ready replicas.'],
  [{ ...CHANGE, to: 1, percentFrom: null }, 'web-v2 goes from 2 to 1 replica.'],
  [{ ...CHANGE, percentFrom: 100, percentTo: 100 }, 'web-v2 goes from 2 to 5 replicas and keeps 100% of the traffic, by pod ratio.'],
  [{ ...CHANGE, to: 0, percentFrom: 0, percentTo: 0 }, 'web-v2 goes from 2 to 0 replicas and still gets no traffic.'],
  [{ ...CHANGE, exact: 'atLeast', percentTo: null }, 'web-v2 goes from 2 to at least 5 replicas.'],
  [{ ...CHANGE, exact: 'atMost', percentTo: null }, 'web-v2 goes from 2 to at most 5 replicas.'],
  [{ id: 'act.takes-everything', revision: 'web-v2', stages: 0 }, 'web-v2 takes over completely, without any further gate or soak.'],
  [
    { id: 'act.takes-everything', revision: 'web-v2', stages: 1 },
    'web-v2 takes over completely in 1 stage, without any further gate or soak.',
  ],
  [{ id: 'act.goes-on', gates: true }, 'The rollout continues from where it is. Gates still apply.'],
  [{ id: 'act.goes-on', gates: false }, 'The rollout continues from where it is.'],
  [
    { id: 'act.nowhere-to-go-back', revision: 'web-v1' },
    'There is no revision to return to: web-v1 stops where it is and its pods are kept for inspection.',
  ],
  [{ id: 'act.nothing-moved-yet', revision: 'web-v2' }, 'Nothing has changed yet: web-v2 is rejected and no replica changes.'],
  [{ id: 'act.stable-first', stable: ['web-v1'], rejected: 'web-v2' }, 'web-v1 is scaled up before web-v2 is scaled down.'],
  [{ id: 'act.shared-objects', stable: ['web-v1'] }, 'Shared objects, such as ConfigMaps and Services, return to those of web-v1 at once.'],
  [
    { id: 'act.rejected-ends', rejected: 'web-v2', stable: ['web-v1'], delayMs: 0 },
    'web-v2 is scaled to 0 as soon as web-v1 has its ready replicas.',
  ],
  [
    { id: 'act.rejected-ends', rejected: 'web-v2', stable: ['web-v1'], delayMs: 30_000 },
    'web-v2 still serves for at least 30s, then is scaled to 0 once web-v1 has its ready replicas.',
  ],
  [{ id: 'act.no-rollout-again', rejected: 'web-v2' }, 'web-v2 is not rolled out again until a retry or another change.'],
  [{ id: 'act.starts-over', revision: 'web-v2', stages: 3 }, 'The rollout to web-v2 starts over, in 3 stages.'],
  [{ id: 'act.starts-over', revision: 'web-v2', stages: 0 }, 'The rollout to web-v2 starts over.'],
];

describe('what an operator reads of a rollout', () => {
  it.each(WAITS)('[issue 9.3] why it waits: %o', (message, sentence) => {
    expect(formatRollout(message)).toBe(sentence);
  });

  it.each(REFUSALS)('[issue 9.3] why an act is not possible: %o', (message, sentence) => {
    expect(formatRollout(message)).toBe(sentence);
  });

  it.each(CONSEQUENCES)('[issue 9.3] what a click does: %o', (message, sentence) => {
    expect(formatRollout(message)).toBe(sentence);
  });
});
