import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { formatRelease } from '@/lib/words/format-release';
import { createReleaseReader } from '@/server/chartsync';
import { aChart, ChartRepository } from '../support/chart-repository';
import { readDeployed } from '../support/definitions';
import { startWeb } from '../support/loopback-web';
import { unlistedFields } from '../support/unlisted-fields';
import { until } from '../support/until';
import { aPublisher, openPublishedHouse } from './published-house';

const TYPE = KINDS.helmRelease;
const SECRET = { apiVersion: 'v1', kind: 'Secret' } as const;

/** A gated release of a chart whose dependency is a range of what a repository publishes. */
async function openGated() {
  const { helm, pack, published } = await aPublisher();
  const publish = (version: string, replicas: number) => {
    pack('cache', aChart({ 'Chart.yaml': `apiVersion: v2\nname: cache\nversion: ${version}\n`, 'values.yaml': `replicas: ${replicas}\n` }));
    helm('repo', 'index', published);
  };
  publish('1.0.0', 2);
  const web = await startWeb(({ url = '' }, answer) => answer.end(readFileSync(path.join(published, path.basename(url)))));
  const repository = new ChartRepository();
  const files = (version: string) => ({
    'Chart.yaml': `apiVersion: v2\nname: shop\nversion: ${version}\ndependencies: [{ name: cache, version: ^1.0.0, repository: "http://charts.test:${web.port}" }]\n`,
    'values.yaml': '{}\n',
  });
  const first = repository.commitChart('shop', files('1.0.0'));
  let hasLease = true;
  const house = await openPublishedHouse(repository, [web.port], { mayAct: () => hasLease });
  const chart = { git: repository.url, ref: 'main', path: 'charts/shop' };
  const metadata = { namespace: 'pay', name: 'gated', annotations: { 'slipway.dev/approvals': '1' } };
  await house.cluster.create({ ...TYPE, metadata, spec: { chart } });
  const gate = () => house.tell('gated', TYPE)?.gate;
  const replicas = async () => readNumber(await house.get(KINDS.deployment, 'pay-gated'), 'spec', 'replicas');
  const decide = async (commit: string, seen: string | undefined) => {
    const releaseRef = { kind: TYPE.kind, name: 'gated', uid: (await house.get(TYPE, 'gated'))?.metadata.uid };
    const spec = { releaseRef, verb: 'approve', actor: { user: 'ada', groups: [] }, commit, seen: { chart: seen } };
    return house.cluster.create({ ...KINDS.releaseDecision, metadata: { generateName: 'gated-', namespace: 'pay' }, spec });
  };
  const waitsWith = (commit: string, version: string) => () =>
    gate()?.waiting?.commit === commit && gate()?.waiting?.dependencies?.[0]?.version === version;
  const approve = async (commit: string, version: string) => {
    await until(`${commit} waits with ${version}`, waitsWith(commit, version));
    await decide(commit, gate()?.waiting?.chart);
  };
  const beginAgain = async () => {
    hasLease = false;
    await until('its copies are let go', async () => /^slipway_chartsync_mirrors\{state="ready"\} 0$/m.test(await house.metrics()));
    hasLease = true;
    await until('it began again', async () => /^slipway_chartsync_mirrors\{state="ready"\} [1-9]/m.test(await house.metrics()));
  };
  const close = async () => {
    await house[Symbol.asyncDispose]();
    await web[Symbol.asyncDispose]();
  };
  const scene = { house, repository, chart, files, first, publish, gate, replicas, decide, waitsWith, approve, beginAgain };
  return { ...scene, [Symbol.asyncDispose]: close };
}

it('[issue 12.1] of an approved commit, dependencies stay as they were released, also when their range leads elsewhere to a process that begins', async () => {
  await using gated = await openGated();
  const { house, repository, chart, files, first, publish, gate, replicas, decide, waitsWith, approve, beginAgain } = gated;
  await until('it waits with what its range leads to', waitsWith(first, '1.0.0'));
  const reviewed = gate()?.waiting?.chart;
  await using reader = createReleaseReader(house.reading);
  const asked = { commit: first, actor: { user: 'ada', groups: [] } };
  expect(await reader.approvable({ ...TYPE, namespace: 'pay', name: 'gated' }, asked)).toMatchObject({ chart: reviewed, why: null });
  publish('1.0.1', 3);
  await until('it leads elsewhere', waitsWith(first, '1.0.1'));
  const { metadata: outdated } = await decide(first, reviewed);
  const answer = async () => (await house.get(KINDS.releaseDecision, outdated.name ?? ''))?.status;
  await until('what was reviewed is no longer there to approve', async () => readString(await answer(), 'phase') === 'Rejected');
  expect(readString(await answer(), 'message')).toContain('has changed since it was reviewed');
  await approve(first, '1.0.1');
  // Helm writes last what became of a release: a lease that is lost before leaves a failed one, which nothing but a change upgrades.
  await until('it is installed', async () => (await replicas()) === 3 && house.tell('gated', TYPE)?.state === 'in-sync');
  const released = gate()?.approved?.dependencies?.[0];
  expect(released).toMatchObject({ name: 'cache', version: '1.0.1' });
  const definition = (await readDeployed('deploy/crds')).find((one) => one.metadata.name?.startsWith('releasedecisions.'));
  const kept = await house.get(KINDS.releaseDecision, `gate-${(await house.get(TYPE, 'gated'))?.metadata.uid}`);
  expect(definition && kept && unlistedFields(definition, kept)).toEqual([]);

  publish('1.1.0', 4);
  await beginAgain();
  await until('it waits', () => house.tell('gated', TYPE)?.state === 'waiting');
  const says = house.tell('gated', TYPE)?.says;
  expect(says && formatRelease(says)).toMatch(
    /^dependencies of commit [0-9a-f]{8} now resolve to cache 1\.1\.0 \(sha256:[0-9a-f]{12}\), no longer to cache 1\.0\.1 /,
  );
  expect([await replicas(), readString((await house.get(TYPE, 'gated'))?.status, 'phase')]).toEqual([3, 'ApprovalRequired']);
  await approve(first, '1.1.0');
  await until('it is released with them', async () => (await replicas()) === 4);
  const second = repository.commitChart('shop', files('1.0.1'));
  await approve(second, '1.1.0');
  await until('the next commit is released', () => gate()?.approved?.commit === second && house.tell('gated', TYPE)?.state === 'in-sync');
  publish('1.2.0', 6);
  await beginAgain();
  await until('it waits again', () => house.tell('gated', TYPE)?.state === 'waiting');
  await house.declare('gated', { chart, values: { some: 'value' } }, TYPE);
  await until('its resource takes them', async () => (await replicas()) === 6);
  expect([gate()?.approved?.commit, gate()?.approved?.dependencies?.[0]?.version]).toEqual([second, '1.2.0']);
});

it('[issue 12.1] a release that failed goes to its commit as it was approved anew, with the dependencies that were approved', async () => {
  await using gated = await openGated();
  const { house, first, publish, replicas, approve, beginAgain } = gated;
  await approve(first, '1.0.0');
  await until('it is installed', async () => (await replicas()) === 2 && house.tell('gated', TYPE)?.state === 'in-sync');
  publish('1.0.1', -1);
  await beginAgain();
  await approve(first, '1.0.1');
  await until(
    'the API server refuses that',
    async () => (await house.get(SECRET, 'sh.helm.release.v1.pay-gated.v2'))?.metadata.labels?.status === 'failed',
  );
  await until('it is told', () => house.tell('gated', TYPE)?.state === 'failed');
  const looks = await house.looks('schedule', 'failed');
  await until('it is looked at twice more', async () => (await house.looks('schedule', 'failed')) > looks + 1);
  expect(await house.get(SECRET, 'sh.helm.release.v1.pay-gated.v3')).toBe(undefined);
  publish('1.1.0', 4);
  await beginAgain();
  await approve(first, '1.1.0');
  await until('it is released with them', async () => (await replicas()) === 4 && house.tell('gated', TYPE)?.state === 'in-sync');
});
