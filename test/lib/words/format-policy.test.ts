import { expect, it } from 'vitest';
import { POLICY_WORDS } from '@/lib/words/format-policy';

it.each([
  [1, true, 'A looser policy waits for 1 person'],
  [2, true, 'A looser policy waits for 2 people'],
  [1, false, 'A looser policy waits for 1 more person'],
  [3, false, 'A looser policy waits for 3 more people'],
])('[design 14] says how many people are still to decide: %s missing, first %s', (missing, isFirst, sentence) => {
  expect(POLICY_WORDS.waitsFor(missing, isFirst)).toBe(sentence);
});

it('[issue 9.3] says who may take a stricter policy back, how, and what ends that', () => {
  expect(POLICY_WORDS.tighteningUndo('ann')).toBe(
    'ann made the policy stricter, and may take that back by applying the former one, unless someone decides under it first:',
  );
});
