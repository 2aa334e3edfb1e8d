import { describe, expect, it } from 'vitest';
import type { TrackerEntry } from '@/server/dispatch';
import { planGarbage } from '@/server/dispatch';
import { entry, objectOf, seen, tracker } from './garbage-rig';

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
});
