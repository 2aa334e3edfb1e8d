import { expect, it } from 'vitest';
import { answers, ledger, run, windowOf } from './release-answers';

const SHOW = ['release', 'show', 'ledger', '-n', 'pay'];
/** Listed with the others, and never driven here. */
const ofFlux = { ...ledger, kind: 'helmrelease-v2', flux: { interval: null, suspended: false } };
const groups = { ...answers, 'GET /api/v1/releases': windowOf([ledger, { ...ledger, kind: 'helmrelease-v1beta1' }, ofFlux]) };

it('[issue 12.4] of two HelmReleases of one name --kind chooses, by what a refusal lists', async () => {
  await expect(run(SHOW, groups)).rejects.toThrow(/choose one with --kind: helmrelease, helmrelease-v1beta1$/);
  const { asked } = await run([...SHOW, '--kind', 'helmrelease-v1beta1'], groups);
  expect(asked).toContainEqual(expect.stringContaining('/releases/ledger?kind=helmrelease-v1beta1'));
});
