import { describe, expect, it } from 'vitest';
import type { GarbageContext, TrackerEntry } from '@/server/dispatch';
import { planGarbage } from '@/server/dispatch';
import { allThere, entry, objectOf, seen, tracker } from './garbage-rig';

const RECORDED = entry('ConfigMap', 'a');

/** By what a decision names a plan, where this is recorded of its object and that is there. */
function digestOf(recorded: Partial<TrackerEntry> & { readonly plannedUid?: string }, uid: string | undefined) {
  const one = { ...RECORDED, ...recorded } as TrackerEntry;
  const object = objectOf({ ...RECORDED, uid: uid ?? '' } as TrackerEntry);
  return planGarbage(tracker('old', [one]), undefined, seen({ kind: 'present', object })).digest;
}

describe('the digest by which a decision names what goes', () => {
  const asPlanned = digestOf({ uid: 'first' }, 'first');

  it('[issue 9, 6] is the same where this server made an object anew meanwhile, in place of what was planned', () => {
    expect(digestOf({ uid: 'second', plannedUid: 'first' }, 'second')).toBe(asPlanned);
    expect(digestOf({ uid: 'second' }, 'second')).not.toBe(asPlanned);
  });

  it('[issue 9, 6] is another where somebody else did, and again another where they did so twice', () => {
    const [second, third] = [digestOf({ uid: 'first' }, 'second'), digestOf({ uid: 'first' }, 'third')];
    expect(new Set([asPlanned, second, third]).size).toBe(3);
    expect(digestOf({ uid: 'second', plannedUid: 'first' }, 'first')).not.toBe(asPlanned);
  });

  it('[issue 14.1] is another where a rule says otherwise of what an object owns, and the same once the object went', () => {
    const planned = (propagation: 'orphan' | 'cascading' | undefined, context: GarbageContext = allThere) => {
      const rules = [{ selector: { resourceNames: ['a'] }, strategy: 'onAppUpdate' as const, ...(propagation ? { propagation } : {}) }];
      return planGarbage(tracker('old', [RECORDED]), undefined, { ...context, policy: { rules } }).digest;
    };
    const [orphan, cascading, none] = [planned('orphan'), planned('cascading'), planned(undefined)];
    expect(new Set([orphan, cascading, none]).size).toBe(3);
    expect(planned('orphan', seen({ kind: 'absent' }))).toBe(orphan);
    // Where no rule says so, the digest is as it is without rules.
    expect(none).toBe(planGarbage(tracker('old', [RECORDED]), undefined, allThere).digest);
  });
});
