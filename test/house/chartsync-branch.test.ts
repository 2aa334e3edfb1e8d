import { expect, it } from 'vitest';
import { readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { formatRelease } from '@/lib/words/format-release';
import { aChart, ChartRepository } from '../support/chart-repository';
import { until } from '../support/until';
import { openChartHouse } from './chartsync-house';

const NEVER_MS = 3_600_000;
const short = (commit: string) => commit.slice(0, 8);
const GONE = (commit: string) =>
  `branch side no longer exists upstream; the release stays at ${short(commit)}, the last known commit, until the branch exists again or another is named`;

it('[issue 12.3] of a branch that is deleted, releases stay at its last commit, and say so, and nothing of it is approved any more', async () => {
  const repository = new ChartRepository();
  const first = repository.commitChart('ledger', aChart());
  const push = (commit: string) => repository.git('push', '--quiet', '--force', 'origin', `${commit}:refs/heads/side`);
  push(first);
  let hasLease = true;
  await using house = await openChartHouse(repository, { intervalMs: 1000 }, { mayAct: () => hasLease });
  const type = KINDS.helmRelease;
  const chart = { git: repository.url, ref: 'side', path: 'charts/ledger' };
  const metadata = { namespace: 'pay', name: 'gated', annotations: { 'slipway.dev/approvals': '1' } };
  await house.declare('free', { chart, values: {} }, type);
  await house.cluster.create({ ...type, metadata, spec: { chart, values: {} } });
  const tell = (name: string) => house.tell(name, type);
  const upgrade = (name: string) => {
    const message = tell(name)?.upgrade;
    return message && formatRelease(message);
  };
  const approve = async (commit: string, seen: string | undefined) => {
    const uid = (await house.get(type, 'gated'))?.metadata.uid;
    const spec = { releaseRef: { kind: type.kind, name: 'gated', uid }, verb: 'approve', actor: { user: 'ada', groups: [] } };
    const made = { ...KINDS.releaseDecision, metadata: { generateName: 'gated-', namespace: 'pay' } };
    const { name = '' } = (await house.cluster.create({ ...made, spec: { ...spec, commit, seen: { chart: seen } } })).metadata;
    const phase = async () => readString((await house.get(KINDS.releaseDecision, name))?.status, 'phase');
    await until('it is answered', async () => (await phase()) !== undefined);
    return phase();
  };
  await until('the first commit waits', () => tell('gated')?.gate?.waiting?.commit === first);
  expect(await approve(first, tell('gated')?.gate?.waiting?.chart)).toBe('Accepted');
  for (const name of ['free', 'gated']) await until(`${name} is installed`, () => tell(name)?.state === 'in-sync');
  const second = repository.commitChart('ledger', { 'values.yaml': 'replicas: 3\n' });
  push(second);
  await until('the second commit waits', () => tell('gated')?.gate?.waiting?.commit === second);
  const seen = tell('gated')?.gate?.waiting?.chart;
  await until('the free one is there', () => tell('free')?.state === 'in-sync' && tell('free')?.revision === second);
  expect(tell('free')?.goneBranch).toBeNull();

  repository.git('push', '--quiet', 'origin', '--delete', 'side');
  for (const [name, commit] of [
    ['free', second],
    ['gated', first],
  ] as const) {
    await until(`${name} says that the branch is gone`, () => upgrade(name) === GONE(commit));
    expect(tell(name)).toMatchObject({ state: 'in-sync', says: tell(name)?.goneBranch, revision: commit });
  }
  await until('nothing waits any more', () => tell('gated')?.gate?.waiting === null);
  expect(tell('gated')?.acts.find(({ verb }) => verb === 'approve')?.why).toMatchObject({ id: 'state.branch-gone', branch: 'side' });
  expect(await approve(second, seen)).toBe('Rejected');
  // A change of the resource is released all the same, at the last commit of the branch.
  await house.declare('free', { chart, values: { replicas: 5 } }, type);
  await until('it is', async () => readNumber(await house.get(KINDS.deployment, 'pay-free'), 'spec', 'replicas') === 5);
  expect(tell('free')?.revision).toBe(second);

  repository.git('checkout', '--quiet', '--orphan', 'anew');
  const third = repository.commitChart('ledger', { 'values.yaml': 'replicas: 7\n' });
  push(third);
  await until('the branch with another history is followed', () => tell('free')?.revision === third && tell('free')?.goneBranch === null);
  await until('its commit waits', () => tell('gated')?.gate?.waiting?.commit === third);
  expect(tell('gated')?.gate).toMatchObject({ approved: { commit: first }, lost: null });
  await until('its status says so', async () => readString((await house.get(type, 'free'))?.status, 'lostBranch', 'branch') === undefined);

  // A replica that does not act knows it as well, and nothing of what it found while it did.
  repository.git('push', '--quiet', 'origin', '--delete', 'side');
  await until('it is gone again', async () => readString((await house.get(type, 'free'))?.status, 'lostBranch', 'branch') === 'side');
  hasLease = false;
  await until('another one acts', () => tell('free')?.work === 'elsewhere');
  expect(tell('free')).toMatchObject({ state: 'in-sync', reconciles: [], goneBranch: { branch: 'side', revision: third } });
  expect(upgrade('free')).toBe(GONE(third));
});

it('[issue 12.3, chartsync 14.12] a branch that is pushed back is taken at the fetch that sees it, for both kinds, by a comparison and only where the chart lost commits', async () => {
  const repository = new ChartRepository();
  repository.commitChart('ledger', aChart());
  repository.commitChart('cache', aChart());
  const kept = repository.commit({ 'README.md': 'charts\n' });
  await using house = await openChartHouse(repository, { pollMs: 500, intervalMs: NEVER_MS });
  await house.declare('base', { chartGitPath: 'ledger', values: {} });
  await house.declare('other', { chartGitPath: 'cache', values: {} });
  await house.declare('later', { chart: { git: repository.url, ref: 'main', path: 'charts/ledger' } }, KINDS.helmRelease);
  const replicas = async (name: string) => readNumber(await house.get(KINDS.deployment, `pay-${name}`), 'spec', 'replicas');
  const all = async (count: number) => (await Promise.all(['base', 'later'].map(replicas))).every((each) => each === count);
  await until('all are installed', async () => (await all(1)) && (await replicas('other')) === 1);
  repository.commitChart('ledger', { 'values.yaml': 'replicas: 3\n' });
  await until('the commit is released', () => all(3));

  repository.push(kept);
  await until('the branch that went back is released', () => all(1));
  await until('it is told', () => house.tell('base')?.revision === kept);
  expect(house.tell('base')?.reconciles[0]).toMatchObject({ by: 'commit', rule: 'R-1B-3', outcome: 'upgraded' });
  expect(house.tell('other')?.reconciles).toHaveLength(1);

  // That the branch is gone is told by all at that fetch, and that it is back as well, although nothing is released for either.
  repository.git('--git-dir', repository.bare, 'update-ref', '-d', 'refs/heads/main');
  const names = ['base', 'other'];
  for (const name of names) await until(`${name} tells that it is gone`, () => house.tell(name)?.says.id === 'state.branch-gone');
  repository.push(kept);
  for (const name of names) await until(`${name} tells no more of it`, () => house.tell(name)?.goneBranch === null);
  expect(await replicas('base')).toBe(1);
});
