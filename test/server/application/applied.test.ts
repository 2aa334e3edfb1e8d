import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import {
  currentTracker,
  heldSentence,
  isApplied,
  isHeldFor,
  isLeftAlone,
  mayCollectAfterFailure,
  notAppliedMessage,
  wasApplied,
} from '@/server/application/decide/applied';
import type { RunPlan } from '@/server/application/decide/model';
import { revisionsToPrune } from '@/server/application/decide/revisions';
import { parseApplication } from '@/server/application/spec/parse';
import { configMap, entry, holding, recording, revisionOf, seenAfter } from './seen';
import { one, planned, tracker } from './staged-shop';

const APPLIED = 'web-v1 is applied';
const under = (policies: Readonly<Record<string, object>>, conditions: readonly object[] = [], more: Partial<RunPlan> = {}): RunPlan => {
  const object = holding([configMap('a'), configMap('b')], policies);
  return { ...planned(seenAfter([revisionOf(object)], { ...object, status: { conditions } })), ...more };
};
const says = (...conditions: readonly object[]): KubeObject => ({ ...holding([]), status: { conditions } });
const whole = recording(entry('ConfigMap', 'a'), entry('ConfigMap', 'b'));
const half = recording(entry('ConfigMap', 'a'));

describe('what was applied of a revision', () => {
  const revision = { name: 'web-v1', number: 1, hash: 'h', stored: undefined };

  it('[dispatch 13] is told by its condition, a rejected revision and the status', () => {
    const isIt = (...conditions: readonly object[]) => isApplied(parseApplication(says(...conditions)), revision);
    expect([
      isIt(one('Applied', 'True', 'Applied', APPLIED)),
      isIt(one('Applied', 'True', 'Applied', 'web-v2 is applied')),
      isIt(),
    ]).toEqual([true, false, false]);
    const was = (object: KubeObject) => wasApplied(object, 'web-v1');
    expect(was(says(one('Applied', 'True', 'Applied', APPLIED)))).toBe(true);
    expect(was(says(one('Applied', 'False', 'Rejected', 'x')))).toBe(true);
    expect(was(says(one('Applied', 'False', 'Held', 'x')))).toBe(false);
    expect(was(says())).toBe(false);
    expect(was({ ...says(), status: { latestRevision: { name: 'web-v1' } } })).toBe(true);
    expect(was({ ...says(), status: { latestRevision: { name: 'web-v2' } } })).toBe(false);
  });

  it('[dispatch 13] is told in a sentence while it is not', () => {
    const held = says(one('Applied', 'False', 'PlanMoved', 'moved'));
    expect([heldSentence(held, 'PlanMoved'), heldSentence(held, 'Other'), heldSentence(says(), 'PlanMoved')]).toEqual([
      'moved',
      undefined,
      undefined,
    ]);
    expect([isHeldFor(held, 'PlanMoved', 'moved'), isHeldFor(held, 'PlanMoved', 'else')]).toEqual([true, false]);
    expect([notAppliedMessage(held, 'web-v1'), notAppliedMessage(says(), 'web-v1')]).toEqual(['moved', 'web-v1 is not applied yet']);
  });

  it('[dispatch 13] is in the record of that revision', () => {
    expect(currentTracker(under({}), [tracker('web-v2-shop'), whole])).toBe(whole);
    expect(currentTracker(under({}), [tracker('web-v2-shop')])).toBeUndefined();
  });

  it.each<[string, RunPlan, typeof whole | undefined, boolean]>([
    ['once it is applied', under({ 'apply-once': { enable: true } }, [one('Applied', 'True', 'Applied', APPLIED)]), whole, true],
    ['once it was reached', under({ 'apply-once': { enable: true } }, [], { isUnrecorded: false }), whole, true],
    ['not before', under({ 'apply-once': { enable: true } }), whole, false],
    ['not by a record of a part', under({ 'apply-once': { enable: true } }, [], { isUnrecorded: false }), half, false],
    ['not without a record', under({ 'apply-once': { enable: true } }, [], { isUnrecorded: false }), undefined, false],
    ['not without the policy', under({}, [], { isUnrecorded: false }), whole, false],
    [
      'not where the policy is of rules',
      under({ 'apply-once': { enable: true, rules: [{ selector: {}, strategy: { path: ['x'] } }] } }, [], { isUnrecorded: false }),
      whole,
      false,
    ],
  ])('[dispatch 13] is left alone %s', (_when, plan, held, expected) => {
    expect(isLeftAlone(plan, held)).toBe(expected);
  });

  it('[dispatch G] lets old things go after a failure only by policy, when it is time, and by a whole record', () => {
    const go = { 'garbage-collect': { continueOnFailure: true } };
    expect(mayCollectAfterFailure(under(go), whole)).toBe(true);
    const later = { collect: { kind: 'wait', why: 'x' } } as const;
    expect([under({}), under(go, [], later)].map((plan) => mayCollectAfterFailure(plan, whole))).toEqual([false, false]);
    expect([half, undefined].map((record) => mayCollectAfterFailure(under(go), record))).toEqual([false, false]);
  });
});

describe('revisions that are pruned', () => {
  const revisions = Array.from({ length: 14 }, (_, at) => revisionOf(holding([configMap('a', { at: String(at) })]), {}, at + 1));
  const pruned = (limit: number | undefined, more: object = {}) => {
    const object = holding(
      [configMap('a', { at: '13' })],
      limit === undefined ? {} : { 'garbage-collect': { applicationRevisionLimit: limit } },
    );
    const seen = seenAfter(revisions, object, { latest: 'web-v13', ...more });
    return revisionsToPrune(planned(seen), seen).map(({ name }) => name);
  };

  it('[design 12] are the oldest beyond ten, or as many as the application keeps, and none in use', () => {
    expect(pruned(undefined)).toEqual(['web-v1', 'web-v2']);
    expect(pruned(10)).toEqual(['web-v1', 'web-v2']);
    expect(pruned(11)).toEqual(['web-v1']);
    expect([pruned(12), pruned(50)]).toEqual([[], []]);
    expect(pruned(11, { trackers: [tracker('web-v1-shop')] })).toEqual([]);
    expect(pruned(10, { trackers: [tracker('web-v1-shop')] })).toEqual(['web-v2']);
    expect(pruned(0)).toHaveLength(12);
    expect(pruned(0)).not.toContain('web-v14');
  });
});
