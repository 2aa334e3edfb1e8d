import { expect, it } from 'vitest';
import { t } from '@/lib/words/catalogue/console/inbox';

it.each([
  ['Stage 1 of 3 waits', 'you', 'Stage 1 of 3 waits for you'],
  ['Stage 1 of 3 waits', 'payments-approvers', 'Stage 1 of 3 waits for payments-approvers'],
  ['A release waits for approval', 'you', 'A release waits for your approval'],
  ['A release waits for approval', 'payments-approvers', 'A release waits for approval by payments-approvers'],
  ['An object was left behind', 'you', 'An object was left behind, waits for you'],
])('[issue 14.3] %s, of %s: %s', (title, who, said) => {
  expect(t.waitsFor(title, who)).toBe(said);
});
