import { describe, expect, it } from 'vitest';
import { consequencesOfHeld, toHeldDecision } from '@/components/applications/changes/held-decision';

describe('a decision about what a safety rule holds', () => {
  it('[design 8] names the plan, each object that is held, and how many go', () => {
    const decision = { objects: ['PersistentVolumeClaim/shop/web-uploads'], count: 3 };
    expect(toHeldDecision('uid-1', { digest: 'sha256:77aa', decision }, ' backed up ')).toEqual({
      verb: 'approve',
      uid: 'uid-1',
      reason: 'backed up',
      seen: { garbage: 'sha256:77aa' },
      garbage: decision,
    });
    expect(toHeldDecision('uid-1', { digest: 'd', decision }, '  ')).not.toHaveProperty('reason');
  });

  it.each([
    [1, [{ kind: 'ConfigMap', count: 1 }], '1 object is deleted from the cluster: 1\u00a0ConfigMap.'],
    [
      3,
      [
        { kind: 'ConfigMap', count: 1 },
        { kind: 'PersistentVolumeClaim', count: 2 },
      ],
      '3 objects are deleted from the cluster: 1\u00a0ConfigMap, 2\u00a0PersistentVolumeClaims.',
    ],
  ])('[design 8] of %i objects says how many of which kinds go, that it is for good, and what stops it', (count, going, first) => {
    expect(consequencesOfHeld({ decision: { objects: [], count }, going })).toEqual([
      first,
      'This cannot be undone: neither the objects nor their data can be restored.',
      'The engine computes the plan again first. If anything differs from what is shown, nothing is deleted.',
    ]);
  });
});
