import { describe, expect, it } from 'vitest';
import { sentenceOf } from '@/components/ui/data/plan-summary';
import { saving } from '@/test/support/fixture/changes';

const { changes } = saving('full');
const kept = changes.filter(({ verdict }) => verdict === 'handed-over');
const fresh = changes.filter(({ verdict }) => verdict === 'new');
const both = [...fresh, ...changes.filter(({ verdict }) => verdict === 'changed')];

describe('the sum of a dry run', () => {
  it.each([
    [true, [...fresh, ...kept], 'Revision web-v2 is created. 1 of 2 objects changes.'],
    [true, [...both, ...kept], 'Revision web-v2 is created. 2 of 3 objects change.'],
    [false, [...fresh, ...kept], 'No new revision; 1 of 2 objects differs from the cluster.'],
    [false, [...both, ...kept], 'No new revision; 2 of 3 objects differ from the cluster.'],
    [false, kept, 'Nothing changes: web-v2 is the same.'],
  ])('[design 9] of a new revision (%s) speaks of one object and of many', (isNew, shown, sentence) => {
    expect(sentenceOf({ revision: { name: 'web-v2', isNew }, counts: {}, changes: [...shown] })).toBe(sentence);
  });
});
