import { expect, it } from 'vitest';
import { answered, answers, RELEASE, run } from './release-answers';

it('[issue 12.4] slipway release show says of a revision that was only attempted that it is not released', async () => {
  const show = async (onlyAttempted: boolean) => {
    const told = { ...answered('Accepted', 'sync', 'done'), revision: 'c0ffee', onlyAttempted };
    return (await run(['release', 'show', 'ledger', '-n', 'pay'], { ...answers, [`GET ${RELEASE}`]: told })).text;
  };
  expect(await show(true)).toMatch(/^revision: +c0ffee, attempted but not released$/m);
  expect(await show(false)).toMatch(/^revision: +c0ffee$/m);
});
