import { expect, it } from 'vitest';
import { noteMadeFrom, readMadeFrom } from '@/server/chartsync/model/made-from';

const TREE = `chart-tree ${'a'.repeat(40)}`;
const COMMIT = 'c'.repeat(40);
const RELEASE = { namespace: 'pay', name: 'ledger' };

function stored(...descriptions: readonly string[]) {
  return {
    readRevision: async (_release: object, revision: number) => {
      const description = descriptions[revision - 1];
      if (description === undefined) throw new Error('not found');
      return { description };
    },
  };
}

it('[issue 12.1] reads from what Helm stored where the chart of a revision came from, also of one that went back', async () => {
  const helm = stored(noteMadeFrom(TREE, COMMIT), noteMadeFrom(TREE, '1.2.0-rc.1+abcdef012345'), 'Rollback to 1', 'Rollback to 3');
  expect(await readMadeFrom(helm, RELEASE, 2)).toBe('1.2.0-rc.1+abcdef012345');
  expect(await readMadeFrom(helm, RELEASE, 4)).toBe(COMMIT);
});

it('[issue 12.1] tells nothing of revisions by hand, nor of a circle that somebody wrote', async () => {
  const helm = stored('Upgrade complete', TREE, 'Rollback to 4', 'Rollback to 4');
  for (const revision of [1, 2, 3, 4]) expect(await readMadeFrom(helm, RELEASE, revision)).toBeUndefined();
  expect(noteMadeFrom(TREE, 'two words')).toBe(TREE);
});
