import { expect, it } from 'vitest';
import type { ReleaseDetail } from '@/lib/contract/release-rows';
import { answered, answers, back, RELEASE, run } from './release-answers';

const [OLDER, NEWER] = ['a1'.repeat(20), 'b2'.repeat(20)];
const GATE = { required: 2, groups: [], sentence: 'Each commit needs 2 approvals', supporters: [], loosening: null, looser: null };
const WAITING = { commit: NEWER, chart: 'c'.repeat(40), subject: 'raise the limit', author: 'Bob', at: back(60) };

it.each<[string, Partial<ReleaseDetail['decisions'][number]>, boolean]>([
  ['that was approved before', {}, true],
  ['whose approval did not count', { phase: 'Rejected' }, false],
  ['that was approved, and nobody knows with which chart', { chart: null }, false],
])('[issue 12.1] approves an older commit than the one that waits, by its name: one %s', async (_which, how, isDone) => {
  const detail = answered('Accepted', 'approve', '2 of 2 approvals');
  const [decision] = detail.decisions;
  const before = { ...decision, key: 'd0', user: 'carol', commit: OLDER, chart: 'd'.repeat(40), ...how };
  const told = { ...detail, gate: { ...GATE, waiting: WAITING }, decisions: [decision, before] };
  const approve = () =>
    run(['release', 'approve', 'ledger', '-n', 'pay', '--commit', OLDER.slice(0, 8)], { ...answers, [`GET ${RELEASE}`]: told });
  if (!isDone) return expect(approve()).rejects.toThrow(`--commit is ${OLDER.slice(0, 8)}, but ${NEWER} is waiting: raise the limit`);
  const { sent, text } = await approve();
  expect(sent).toEqual([{ verb: 'approve', commit: OLDER, seen: { chart: 'd'.repeat(40) }, kind: 'helmrelease', uid: 'u-ledger' }]);
  expect(text).toContain(`${OLDER}, approved before by carol; newer and waiting: ${NEWER} raise the limit (Bob)`);
});

it.each<[string, string, readonly string[]]>([
  ['two of which were approved', NEWER, [OLDER, `a1a1${'0'.repeat(36)}`]],
  ['one of which waits', `a1a1${'0'.repeat(36)}`, [OLDER]],
])('[issue 12.1] approves none of several commits that begin alike, %s', async (_which, commit, approved) => {
  const detail = answered('Accepted', 'approve', '2 of 2 approvals');
  const decisions = approved.map((one) => ({ ...detail.decisions[0], commit: one, chart: 'd'.repeat(40) }));
  const told = { ...detail, gate: { ...GATE, waiting: { ...WAITING, commit } }, decisions };
  const approve = run(['release', 'approve', 'ledger', '-n', 'pay', '--commit', 'a1'], { ...answers, [`GET ${RELEASE}`]: told });
  await expect(approve).rejects.toThrow('--commit a1 names several commits: a1a1');
});
