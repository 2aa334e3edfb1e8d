import { expect, it } from 'vitest';
import { answers, RELEASE, run, storedRevision } from './release-answers';

it('[issue 12.4] calls what each loop did as the page calls it', async () => {
  const { text } = await run(['release', 'show', 'ledger', '-n', 'pay'], answers);
  expect(text.split('\n').slice(-3)).toEqual([
    expect.stringMatching(/^AT +OUTCOME +LOOP +REVISION +RULE +WHY$/),
    expect.stringMatching(/Z +Nothing changed +the periodic check +01234567 +X-SYNC-5 +Nothing changed since/),
    expect.stringMatching(/Z +Failed +a new commit +01234567 +X-SYNC-4 +The chart changed since .*; timed out$/),
  ]);
});

it('[issue 12.4] calls what made a revision as the page calls it', async () => {
  const cause = { at: '', by: 'a decision', outcome: 'rolled-back', commit: null, users: ['ada'], verb: 'rollback', reason: 'errors' };
  const one = storedRevision({ revision: 3, cause });
  const { text } = await run(['release', 'history', 'ledger', '-n', 'pay'], {
    ...answers,
    [`GET ${RELEASE}/history`]: { revisions: [one] },
  });
  expect(text).toMatch(/a decision: Rolled back by ada \(errors\)$/m);
});
