import { describe, expect, it } from 'vitest';
import { heldPair, toHeldDecision } from '@/components/applications/held-decision';
import type { RevisionRow } from '@/lib/contract/application-rows';
import { garbage } from '@/test/support/fixture/trackers';

const revision = (number: number, tracker: string | null): RevisionRow => ({
  name: `web-v${number}`,
  number,
  createdAt: null,
  images: [],
  tracker,
  state: 'current',
});

describe('a decision about what a safety rule holds', () => {
  it.each([
    ['the newest and the one before', [revision(3, 't3'), revision(4, 't4')], ['t4', 't3'], { from: 't3', to: 't4' }],
    ['a revision whose tracker is gone does not count', [revision(2, null), revision(3, 't3'), revision(4, 't4')], ['t3', 't4'], { from: 't3', to: 't4' }],
    ['nothing older', [revision(4, 't4')], ['t4'], null],
    ['more than one older', [revision(2, 't2'), revision(3, 't3'), revision(4, 't4')], ['t2', 't3', 't4'], null],
    ['a tracker that belongs to no known revision', [revision(3, 't3'), revision(4, 't4')], ['t3', 't4', 'stray'], null],
  ] as const)('[design 13 G] is made on the plan of %s', (_title, revisions, trackers, pair) => {
    expect(heldPair({ revisions: [...revisions], trackers: [...trackers] })).toEqual(pair);
  });

  it('[design 8] names the plan, each object that is held, and how many go', () => {
    expect(toHeldDecision('uid-1', garbage(), ' backed up ')).toEqual({
      verb: 'approve',
      uid: 'uid-1',
      reason: 'backed up',
      seen: { garbage: 'sha256:77aa' },
      garbage: { objects: ['PersistentVolumeClaim/shop/web-uploads'], count: 3 },
    });
  });
});
