import { describe, expect, it } from 'vitest';
import type { Instant } from '@/lib/std/instant';
import { toKubeTime } from '@/lib/std/instant';
import {
  awaitedDecision,
  endedAt,
  failedBefore,
  formatWithheld,
  isFalse,
  isTrue,
  isUnknown,
  isUnreadyByRollout,
  mergeConditions,
  notAppliedReason,
} from '@/server/application/decide/conditions';
import { failedAt, statusAtEnd } from '@/server/application/decide/status';
import { seenAfter } from './seen';
import { BEFORE, one, plain, planned, told } from './staged-shop';

const NOW = 1_767_225_600_000 as Instant;
const at = toKubeTime(NOW);
const plan = () => planned(seenAfter([], plain('web:1')));

describe('the status of a pass that ended early', () => {
  it.each([
    ['Applied', ['Parsed True', 'Applied False', 'RolledOut Unknown', 'Collected Unknown', 'Ready False'], 'DispatchFailed'],
    ['RolledOut', ['Parsed True', 'Applied True', 'RolledOut False', 'Collected Unknown', 'Ready False'], 'RolloutFailed'],
    ['Collected', ['Parsed True', 'Applied True', 'RolledOut True', 'Collected False', 'Ready False'], 'CollectionFailed'],
  ] as const)('[issue 9] names the step %s, and knows nothing of what comes after it', (step, statuses, reason) => {
    const { values, services, phase } = failedAt(plan(), plain('web:1'), { step, message: 'it broke\n at x' });
    expect(
      Object.entries(values)
        .map(([type, value]) => `${type} ${value?.status}`)
        .sort(),
    ).toEqual([...statuses].sort());
    expect(values[step]).toMatchObject({ reason, message: 'it broke' });
    expect(values.Ready).toEqual(isFalse(reason, 'it broke'));
    expect([services, phase]).toEqual([[], 'unhealthy']);
    const again = failedAt(plan(), told(one(step, 'False', reason, 'it broke after 5 ms')), { step, message: 'it broke after 7 ms' });
    expect(again.values[step]?.message).toBe('it broke after 5 ms');
  });

  it('[issue 10.1] knows nothing of labels where nothing was applied, and leaves them told where it was', () => {
    const object = told(one('Labelled', 'True'));
    const value = isFalse('r', 'm');
    expect([endedAt(object, 'Parsed', value).Labelled, endedAt(object, 'Applied', value).Labelled]).toEqual([
      isUnknown('r', 'm'),
      isUnknown('r', 'm'),
    ]);
    expect([endedAt(object, 'RolledOut', value), endedAt(plain('web:1'), 'Applied', value)].map((values) => 'Labelled' in values)).toEqual([
      false,
      false,
    ]);
    expect(statusAtEnd(object, { step: 'Applied', value })).toEqual({
      values: { ...endedAt(object, 'Applied', value), Parsed: isTrue('Parsed') },
      services: [],
    });
  });

  it('[issue 9] says nothing itself of the steps before it, and of each label why it was withheld', () => {
    expect(Object.keys(endedAt(plain('web:1'), 'RolledOut', isFalse('r', 'm')))).toEqual(['Collected', 'RolledOut', 'Ready']);
    expect(formatWithheld([{ message: 'team: eve may not' }, { message: 'tier: bob may not' }])).toBe(
      'team: eve may not; tier: bob may not',
    );
  });

  it('[issue 9] says before its first step that nothing is known, but for what it has parsed and applied of this very spec', () => {
    const failure = { reason: 'ReconcileFailed', message: 'x' };
    const types = (generation: number) =>
      Object.keys(failedBefore({ ...plain('web:1'), status: { observedGeneration: generation } }, failure));
    expect(types(2)).toEqual(['RolledOut', 'Collected', 'Reconciled', 'Ready']);
    expect(types(1)).toEqual(['Parsed', 'Applied', 'RolledOut', 'Collected', 'Reconciled', 'Ready']);
    expect(failedBefore(plain('web:1'), failure)).toMatchObject({
      Parsed: isUnknown('ReconcileFailed', 'x'),
      Ready: isFalse('ReconcileFailed', 'x'),
    });
  });
});

describe('the conditions of an application', () => {
  it('[issue 9] keep the time of what stays, get that of now where they turn, and leave those of others', () => {
    const foreign = { type: 'Theirs', status: 'True' };
    const object = told(one('Ready', 'True'), foreign, one('Parsed', 'True'), one('Applied', 'True'), one('Reconciled', 'False'), {
      type: 'Collected',
      status: 'True',
    });
    expect(
      mergeConditions(
        object,
        { Ready: isFalse('a', 'b'), Parsed: isTrue('Parsed'), RolledOut: isTrue('RolledOut'), Collected: isTrue('Collected') },
        NOW,
      ),
    ).toEqual([
      { type: 'Parsed', ...isTrue('Parsed'), lastTransitionTime: BEFORE },
      one('Applied', 'True'),
      { type: 'RolledOut', ...isTrue('RolledOut'), lastTransitionTime: at },
      { type: 'Collected', ...isTrue('Collected'), lastTransitionTime: at },
      { type: 'Ready', ...isFalse('a', 'b'), lastTransitionTime: at },
      foreign,
    ]);
  });

  it.each([
    ['approve', one('Collected', 'False', 'Held')],
    ['change', one('Applied', 'False', 'PlanMoved')],
    ['grant', one('Applied', 'False', 'NotGranted')],
    ['grant', one('Collected', 'False', 'NotGranted')],
    [undefined, one('Collected', 'Unknown', 'Held')],
    [undefined, one('Ready', 'False', 'Held')],
    [undefined, { type: 'Applied', status: 'False' }],
  ])('[dispatch 13] wait for somebody to %s at %o', (verb, condition) => {
    const found = awaitedDecision(told({ type: 'Parsed', status: 'True' }, condition));
    expect(found).toEqual(verb === undefined ? undefined : { verb, why: 'm' });
  });

  it('[dispatch 13] give the reason where they have no message', () => {
    expect(awaitedDecision(told({ type: 'Collected', status: 'False', reason: 'Held' }))).toEqual({ verb: 'approve', why: 'Held' });
    expect(notAppliedReason(told({ type: 'Parsed', status: 'False' }))).toEqual({ reason: 'Parsed', message: 'Parsed', isRetried: false });
    expect(notAppliedReason(told({ type: 'Parsed', status: 'False', reason: 'Invalid' }))?.message).toBe('Invalid');
  });

  it('[issue 9] tell why nothing is applied, and whether that is tried again', () => {
    expect(notAppliedReason(told(one('Parsed', 'True'), one('Applied', 'Unknown')))).toBeUndefined();
    const reasons = [
      one('Reconciled', 'False'),
      one('Parsed', 'False'),
      one('Applied', 'False', 'DispatchFailed'),
      one('Applied', 'False', 'Held'),
    ];
    expect(reasons.map((condition) => notAppliedReason(told(condition))?.isRetried)).toEqual([true, false, true, false]);
    expect(notAppliedReason(told(one('Applied', 'False', 'a'), one('Parsed', 'False', 'p'), one('Reconciled', 'False', 'f')))?.reason).toBe(
      'f',
    );
    expect(notAppliedReason(told(one('Ready', 'False')))).toBeUndefined();
  });

  it('[rollout 13] tell whether it is not ready only by its rollout', () => {
    const ready = [
      one('Ready', 'False', 'RollingOut'),
      one('Ready', 'False', 'Rejected'),
      one('Ready', 'True', 'RollingOut'),
      one('Ready', 'False', 'Held'),
    ];
    expect(ready.map((condition) => isUnreadyByRollout(told(condition)))).toEqual([true, true, false, false]);
    expect([isUnreadyByRollout(told()), isUnreadyByRollout(told({ type: 'Ready', status: 'False' }))]).toEqual([false, false]);
  });
});
