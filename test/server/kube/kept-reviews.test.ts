import { describe, expect, it } from 'vitest';
import { readField } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { createAccessReviewer } from '@/server/kube';
import { ManualClock } from '@/test/support/manual-clock';

const RIGHT = { verb: 'patch', group: 'apps', resource: 'deployments', namespace: 'shop' };
const ANN = { user: 'ann', groups: ['ops'], uid: 'one' };

/** Reviews that allow nobody but members of ops, and what they were asked. */
function aReviewer() {
  const asked: unknown[] = [];
  const clock = new ManualClock();
  const cluster = {
    create: async (review: KubeObject): Promise<KubeObject> => {
      asked.push(readField(review, 'spec'));
      const groups = readField(review, 'spec', 'groups');
      return { ...review, status: { allowed: Array.isArray(groups) && groups.includes('ops') } };
    },
  };
  return { review: createAccessReviewer(cluster, clock), asked, clock };
}

describe('an answer about a right that is kept', () => {
  it('[issue 10.1] counts for exactly that person, by name, groups and uid, and for exactly that right', async () => {
    const { review, asked } = aReviewer();
    expect([await review(ANN, RIGHT), await review({ ...ANN }, { ...RIGHT }), asked.length]).toEqual([true, true, 1]);
    expect(await review({ ...ANN, groups: [] }, RIGHT)).toBe(false);
    const others = [
      { ...ANN, uid: 'two' },
      { ...ANN, user: 'ben' },
      { user: 'ann', groups: ['ops'] },
    ];
    for (const other of others) await review(other, RIGHT);
    for (const right of [
      { ...RIGHT, verb: 'delete' },
      { ...RIGHT, namespace: 'bank' },
      { ...RIGHT, name: 'web' },
    ])
      await review(ANN, right);
    expect(asked).toHaveLength(2 + others.length + 3);
  });

  it('[issue 10.1] is asked anew after three seconds, and at once where an older one will not do', async () => {
    const { review, asked, clock } = aReviewer();
    await review(ANN, RIGHT);
    await clock.advance(2999);
    await review(ANN, RIGHT);
    expect(asked).toHaveLength(1);
    await review(ANN, RIGHT, { notBefore: clock.now() });
    expect(asked).toHaveLength(2);
    await clock.advance(3001);
    await review(ANN, RIGHT);
    expect(asked).toHaveLength(3);
  });

  it('[issue 10.1] is about somebody who is signed in, as every request is', async () => {
    const { review, asked } = aReviewer();
    await review(ANN, RIGHT);
    expect(asked[0]).toMatchObject({ user: 'ann', uid: 'one', groups: ['ops', 'system:authenticated'], resourceAttributes: RIGHT });
  });
});
