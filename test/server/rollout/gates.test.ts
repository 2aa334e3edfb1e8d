import { describe, expect, it } from 'vitest';
import type { Instant } from '@/lib/std/instant';
import { toInstant, toIso } from '@/lib/std/instant';
import type { GateInput } from '@/server/rollout/control/gates';
import { evaluateGates, hasGateAt, isGated } from '@/server/rollout/control/gates';
import { isShortOfQuorum, quorumOf, votersOf } from '@/server/rollout/control/quorum';
import { controlState } from '@/server/rollout/control/state';
import { UNDO_WINDOW_MS, undoOf } from '@/server/rollout/control/tightening-undo';
import type { ControlInput } from '@/server/rollout/policy/control-policy';
import { resolvePolicy } from '@/server/rollout/policy/control-policy';
import { requiresApproval } from '@/server/rollout/policy/strictness';

const START = toInstant(Date.UTC(2026, 0, 1));
const later = (ms: number) => toInstant(START + ms);
const revision = (name: string) => ({ revisionName: name, targetReplicas: 4, isLatestRevision: true });
const STABLE = [revision('web-v1')];
const ATTEMPT = { id: 'a', target: [revision('web-v2')], startedAt: toIso(START), stable: STABLE };
const given = (...actors: readonly string[]) => actors.map((actor) => ({ actor, at: toIso(START) }));

/** A rollout that stands after its first stage, at a quarter of the target. */
function boundary(more: Readonly<Record<string, unknown>> = {}, attempt: Readonly<Record<string, unknown>> = {}) {
  const control = controlState.parse({
    state: 'boundary',
    attempt: { ...ATTEMPT, ...attempt },
    stage: 1,
    since: toIso(START),
    before: 0,
    percent: 25,
    ...more,
  });
  if (control.state !== 'boundary') throw new Error(`a boundary was wanted, found ${control.state}`);
  return control;
}

function holdOf(
  policy: ControlInput,
  control = boundary(),
  { now = START, ...more }: Partial<GateInput> & { readonly now?: Instant } = {},
) {
  return evaluateGates({ policy: resolvePolicy(policy), control, pausedBySpec: false, now, ...more });
}

const GATED: ControlInput = { gates: 'every-stage' };

describe('a gate', () => {
  it.each<[string, ControlInput, number, number, boolean]>([
    ['every stage', GATED, 0, 25, true],
    ['no stage', { gates: 'none' }, 0, 25, false],
    ['no percent', { gates: [] }, 0, 25, false],
    ['the percent that the stage reaches', { gates: [{ atPercent: 25 }] }, 0, 25, true],
    ['a percent that it passes', { gates: [{ atPercent: 10 }] }, 0, 25, true],
    ['a percent that it has not reached', { gates: [{ atPercent: 26 }] }, 0, 25, false],
    ['the percent that the stage before it reached', { gates: [{ atPercent: 25 }] }, 25, 50, false],
    ['one of several', { gates: [{ atPercent: 5 }, { atPercent: 50 }] }, 25, 50, true],
  ])('[rollout 14.2] of %s holds or not at the end of a stage', (_what, policy, before, percent, held) => {
    expect(hasGateAt(resolvePolicy(policy), { stage: 2, before, percent })).toBe(held);
  });

  it('[rollout 14.2] before the first stage is there only where nothing begins by itself', () => {
    const atStart = { stage: 0, before: 0, percent: 0 };
    expect(hasGateAt(resolvePolicy(GATED), atStart)).toBe(false);
    expect(hasGateAt(resolvePolicy({ autoPromotionEnabled: false }), atStart)).toBe(true);
    expect(hasGateAt(resolvePolicy({ autoPromotionEnabled: false }), { ...atStart, stage: 1, percent: 25 })).toBe(false);
  });

  it('[rollout 14.2] holds nothing that was promoted, and nothing that has no side to stay with', () => {
    const end = { stage: 1, before: 0, percent: 25 };
    const policy = resolvePolicy(GATED);
    expect(isGated({ policy, control: boundary() }, end)).toBe(true);
    expect(isGated({ policy, control: boundary({}, { full: true }) }, end)).toBe(false);
    expect(isGated({ policy, control: boundary({}, { stable: [] }) }, end)).toBe(false);
    const returning = controlState.parse({ state: 'returning', attempt: ATTEMPT, rejected: 'web-v2' });
    expect(isGated({ policy, control: returning }, end)).toBe(false);
  });

  it('[rollout 14.2] opens for as many different people as the policy requires, and for no fewer', () => {
    const policy = { ...GATED, approvals: { required: 2, groups: ['sre'] } };
    const hold = (...actors: readonly string[]) => holdOf(policy, boundary({ approvals: given(...actors) }));
    expect(hold()).toMatchObject({
      reason: 'StageGate',
      until: undefined,
      message: { stage: 1, required: 2, given: [], groups: ['sre'], opensAt: null },
    });
    expect(hold('ann', 'ann')).toMatchObject({ reason: 'StageGate', message: { given: ['ann'] } });
    expect(hold('ann', 'ben')).toBeUndefined();
    expect(hold('ann', 'ben', 'cid')).toBeUndefined();
    expect(holdOf(policy, boundary({ advanced: true }))).toBeUndefined();
  });

  it('[rollout 14.2] opens by itself at the end of its time, and not before', () => {
    const policy = { ...GATED, pause: { duration: '10m' } };
    expect(holdOf(policy, boundary(), { now: later(599_999) })).toMatchObject({
      reason: 'StageGate',
      until: later(600_000),
      message: { opensAt: '2026-01-01T00:10:00Z' },
    });
    expect(holdOf(policy, boundary(), { now: later(600_000) })).toBeUndefined();
  });

  it('[rollout 14.5] is told after a pause and before anything else', () => {
    const policy = { ...GATED, requiredSoakTime: '1h' };
    const blind = { of: 'Deployment', kind: 'old', since: START, reason: 'no answer' } as const;
    expect(holdOf(policy, boundary({ paused: true }), { staleKind: blind })?.message).toEqual({ id: 'wait.paused', by: 'person' });
    expect(holdOf(policy, boundary(), { pausedBySpec: true })?.message).toEqual({ id: 'wait.paused', by: 'policy' });
    expect(holdOf(policy, boundary({ paused: true, pausedBecause: 'scaled by hand' }))?.message).toEqual({
      id: 'wait.held',
      because: 'scaled by hand',
    });
    expect(holdOf(policy, boundary(), { staleKind: blind })?.reason).toBe('StageGate');
    expect(holdOf({}, boundary(), { staleKind: blind })?.message).toMatchObject({ id: 'wait.blind', forbidden: false });
    expect(holdOf({}, boundary(), { staleKind: { ...blind, kind: 'forbidden' } })?.message).toMatchObject({ forbidden: true });
  });

  it('[rollout 14.6] stops no abort', () => {
    for (const state of ['returning', 'aborted']) {
      const control = controlState.parse({ state, attempt: ATTEMPT, rejected: 'web-v2' });
      expect(evaluateGates({ policy: resolvePolicy(GATED), control, pausedBySpec: true, now: START })).toBeUndefined();
    }
  });
});

describe('a soak', () => {
  const policy: ControlInput = { requiredSoakTime: '10m' };

  it('[rollout 14.2] lasts its time after each completed stage', () => {
    expect(holdOf(policy, boundary(), { now: later(599_999) })).toMatchObject({ reason: 'SoakTime', until: later(600_000) });
    expect(holdOf(policy, boundary(), { now: later(600_000) })).toBeUndefined();
    expect(holdOf(policy, boundary({ stage: 0, percent: 0 }))).toBeUndefined();
    expect(holdOf({ requiredSoakTime: 0 })).toBeUndefined();
  });

  it('[rollout 14.3] is skipped by whoever promotes, advances or approves', () => {
    expect(holdOf(policy, boundary({}, { full: true }))).toBeUndefined();
    expect(holdOf(policy, boundary({ advanced: true }))).toBeUndefined();
    expect(holdOf(policy, boundary({ approvals: given('ann') }))).toBeUndefined();
    expect(holdOf({ ...policy, approvals: { required: 2 } }, boundary({ approvals: given('ann') }))?.reason).toBe('SoakTime');
  });
});

describe('health that cannot be read', () => {
  const errors = (consecutiveErrors: number) => boundary({ health: { failures: 0, consecutiveErrors } });

  it('[rollout 14.2] holds after more failed readings than the policy allows, and only where health is watched', () => {
    const policy: ControlInput = { autoAbort: { failureLimit: 1, consecutiveErrorLimit: 2 } };
    expect(holdOf(policy, errors(2))).toBeUndefined();
    expect(holdOf(policy, errors(3))).toMatchObject({ reason: 'HealthUnknown', message: { errors: 3, allowed: 2 } });
    expect(holdOf({ autoAbort: { consecutiveErrorLimit: 2 } }, errors(3))).toBeUndefined();
  });
});

describe('the people of a decision', () => {
  const vote = (verb: string, actor: string, stage = 1) => ({ verb, actor, stage, at: toIso(START) });

  it('[design 14] count once each, by verb, at the stage where the rollout is', () => {
    const control = boundary({
      approvals: given('ann', 'ann', 'ben'),
      votes: [vote('advance', 'ann'), vote('advance', 'ann'), vote('promote-full', 'ben'), vote('advance', 'cid', 0)],
    });
    expect(votersOf('approve', control)).toEqual(['ann', 'ben']);
    expect(votersOf('advance', control)).toEqual(['ann']);
    expect(votersOf('promote-full', control)).toEqual(['ben']);
  });

  it('[design 14] are enough with the one who decides now, and not before', () => {
    expect(isShortOfQuorum({ required: 1, given: [] })).toBe(false);
    expect(isShortOfQuorum({ required: 2, given: [] })).toBe(true);
    expect(isShortOfQuorum({ required: 2, given: ['ann'] })).toBe(false);
    expect(isShortOfQuorum({ required: 3, given: ['ann'] })).toBe(true);
  });

  it('[design 14] are asked for by what leads on and what loosens, of that policy alone, and by nothing else', () => {
    const loosenVotes = [
      { actor: 'ann', at: '', digest: 'one' },
      { actor: 'ann', at: '', digest: 'one' },
      { actor: 'ben', at: '', digest: 'other' },
    ];
    const ro = { policy: resolvePolicy({ approvals: { required: 2 } }), loosening: { digest: 'one' } };
    const quorum = (verb: Parameters<typeof quorumOf>[0]) =>
      quorumOf(verb, { control: boundary({ loosenVotes }), ro } as unknown as Parameters<typeof quorumOf>[1]); // what is looked at of a rollout
    expect(quorum('loosen')).toEqual({ required: 2, given: ['ann'] });
    for (const verb of ['approve', 'advance', 'promote-full'] as const) expect(quorum(verb)).toEqual({ required: 2, given: [] });
    for (const verb of ['pause', 'resume', 'abort', 'retry', 'rollback'] as const) expect(quorum(verb)).toBeUndefined();
  });

  it.each<[string, ControlInput, boolean]>([
    ['every stage', GATED, true],
    ['a percent', { gates: [{ atPercent: 50 }] }, true],
    ['no percent', { gates: [] }, false],
    ['none', { gates: 'none' }, false],
    ['nothing', {}, false],
    ['a first gate', { autoPromotionEnabled: false }, true],
    ['two people', { approvals: { required: 2 } }, true],
    ['one person', { approvals: { required: 1 } }, false],
    ['a group', { approvals: { groups: ['sre'] } }, true],
    ['no group', { approvals: { groups: [] } }, false],
    ['somebody else', { approvals: { allowSelf: false } }, true],
    ['time', { requiredSoakTime: '1h', minReadySeconds: 60 }, false],
  ])('[design 14] are asked by a policy that needs %s, or not', (_what, control, asks) => {
    expect(requiresApproval({ ratio: 10, overlap: true, control })).toBe(asks);
  });
});

describe('taking a stricter policy back', () => {
  it('[issue 9] is possible for a quarter of an hour, and no longer', () => {
    const from = { ratio: 10, overlap: true, control: GATED };
    const tightened = { from, by: 'ann', at: toIso(START) };
    expect(UNDO_WINDOW_MS).toBe(900_000);
    expect(undoOf(tightened, later(899_999))).toEqual({ by: 'ann', until: later(900_000), from });
    expect(undoOf(tightened, later(900_000))).toBeUndefined();
    expect(undoOf({ ...tightened, at: 'some day' }, START)).toBeUndefined();
    expect(undoOf(undefined, START)).toBeUndefined();
  });
});
