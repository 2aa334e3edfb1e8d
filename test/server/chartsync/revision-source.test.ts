import { expect, it } from 'vitest';
import { readRevisionSource, toRevisionDescription } from '@/server/chartsync/model/revision-source';

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
  const helm = stored(
    toRevisionDescription(TREE, COMMIT),
    toRevisionDescription(TREE, '1.2.0-rc.1+abcdef012345'),
    'Rollback to 1',
    'Rollback to 3',
  );
  expect(await readRevisionSource(helm, RELEASE, 2)).toBe('1.2.0-rc.1+abcdef012345');
  expect(await readRevisionSource(helm, RELEASE, 4)).toBe(COMMIT);
});

it('[issue 12.1] tells nothing of revisions by hand, nor of a circle that somebody wrote', async () => {
  const helm = stored('Upgrade complete', TREE, 'Rollback to 4', 'Rollback to 4');
  for (const revision of [1, 2, 3, 4]) expect(await readRevisionSource(helm, RELEASE, revision)).toBeUndefined();
  expect(toRevisionDescription(TREE, 'two words')).toBe(TREE);
});
