import { expect, it } from 'vitest';
import { answered, answers, RELEASE, run } from './release-answers';

it('[issue 12.4] decides nothing that nobody can carry out now, and says at once why', async () => {
  const why = 'helm was not found: npm run helm';
  const actions = (verb: string) => [{ verb, why, consequences: [], needsReason: false }];
  const known = (verb: string) => ({ ...answers, [`GET ${RELEASE}`]: { ...answered('Accepted', verb, ''), actions: actions(verb) } });
  await expect(run(['release', 'sync', 'ledger', '-n', 'pay'], known('sync'))).rejects.toThrow(why);
  await expect(run(['release', 'cancel', 'ledger', '-n', 'pay'], known('cancel'))).rejects.toThrow(why);
  const rollback = run(['release', 'rollback', 'ledger', '-n', 'pay', '--to', '3', '--yes'], known('rollback'));
  await expect(rollback).rejects.toThrow(why);
});
