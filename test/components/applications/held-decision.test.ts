import { describe, expect, it } from 'vitest';
import { toHeldDecision } from '@/components/applications/held-decision';

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
});
