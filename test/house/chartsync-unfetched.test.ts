import { randomBytes } from 'node:crypto';
import { renameSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readField, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { formatRelease } from '@/lib/words/format-release';
import { aChart, ChartRepository } from '../support/chart-repository';
import { readDeployed } from '../support/definitions';
import { smallDisk } from '../support/small-disk';
import { unlistedFields } from '../support/unlisted-fields';
import { until } from '../support/until';
import type { ChartHouse } from './chartsync-house';
import { openChartHouse } from './chartsync-house';

async function eventsOf({ cluster }: ChartHouse): Promise<readonly KubeObject[]> {
  const events: KubeObject[] = [];
  for await (const { items } of cluster.list({ apiVersion: 'v1', kind: 'Event', namespace: 'pay' })) events.push(...items);
  return events;
}

it('[issue 12.3] of a repository that cannot be fetched, releases stay at the last commit, and say why and since when on every replica, until it can', async () => {
  const repository = new ChartRepository();
  const first = repository.commitChart('ledger', aChart());
  let hasLease = true;
  await using house = await openChartHouse(repository, { intervalMs: 1000 }, { mayAct: () => hasLease });
  await house.declare('ledger', { chartGitPath: 'ledger', values: {} });
  await until('it is in sync', () => house.tell('ledger')?.state === 'in-sync');
  const resource = () => house.get(KINDS.fluxHelmRelease, 'ledger');
  const since = async () => readString((await resource())?.status, 'unfetched', 'since');
  const sentence = () => formatRelease(house.tell('ledger')?.says ?? { id: 'state.suspended' });
  renameSync(repository.bare, `${repository.bare}.away`);
  await until('it is told', () => house.tell('ledger')?.says.id === 'state.unfetched');
  expect(house.engine.findings?.()).toMatchObject([
    {
      area: 'programs',
      sentence: expect.stringMatching(/^the Git repository file:.* cannot be fetched: .*; releases stay at what was/s) as string,
    },
  ]);
  const reasons = async () => (await eventsOf(house)).map(({ reason }) => reason);
  await until('it is an Event', async () => (await reasons()).includes('FetchFailed'));
  const told = house.tell('ledger');
  expect(told).toMatchObject({
    state: 'in-sync',
    revision: first,
    says: { since: await since(), why: expect.stringContaining('origin.git') as string },
  });
  expect(formatRelease(told?.says ?? { id: 'state.suspended' })).toContain('; the release stays at the last commit known');
  await until('it is told when it is fetched again', () => /; the repository is fetched again at 2\S+Z; the/.test(sentence()));
  await until('why it was not upgraded as well', () => house.tell('ledger')?.upgrade.id === 'state.unfetched');
  const definition = (await readDeployed('deploy/crds')).find((one) => one.metadata.name?.startsWith('fluxhelmreleases.'));
  const written = await resource();
  expect(definition && written && unlistedFields(definition, written)).toEqual([]);
  hasLease = false;
  await until('another one acts', () => house.tell('ledger')?.work === 'elsewhere');
  expect(sentence()).not.toContain('fetched again'); // only who fetches knows
  expect(house.tell('ledger')).toMatchObject({ state: 'in-sync', reconciles: [], says: { id: 'state.unfetched', since: await since() } });
  // Whoever acts next has not fetched yet: what stands there stays, with its time.
  const before = await since();
  hasLease = true;
  await until('it acts again', () => house.tell('ledger')?.work !== 'elsewhere');
  await until('it looked at it', () => (house.tell('ledger')?.reconciles.length ?? 0) > 0 || house.tell('ledger')?.waits !== null);
  expect(await since()).toBe(before);
  renameSync(`${repository.bare}.away`, repository.bare);
  await until('it is fetched again', async () => readField((await resource())?.status, 'unfetched') === undefined);
  await until('nothing is told of it any more', () => house.tell('ledger')?.says.id === 'state.in-sync');
  expect(house.engine.findings?.()).toEqual([]);
  await until('that is an Event', async () => (await reasons()).includes('Fetched'));
});

it('[issue 12.3] a release whose new commit cannot be checked out, since the disk is full, says so with what helps, and takes it once there is room', async () => {
  const repository = new ChartRepository();
  repository.commit({ 'notes/large': randomBytes(300_000).toString('base64') });
  const first = repository.commitChart('ledger', aChart());
  const disk = smallDisk();
  await using house = await openChartHouse(repository);
  await house.declare('ledger', { chartGitPath: 'ledger', values: {} });
  await until('it is in sync', () => house.tell('ledger')?.state === 'in-sync');
  disk.full();
  const second = repository.commitChart('ledger', aChart({ 'values.yaml': 'replicas: 2\n' }));
  await until('it is told', () => house.tell('ledger')?.says.id === 'state.unfetched');
  expect(house.tell('ledger')).toMatchObject({ state: 'in-sync', revision: first });
  expect(formatRelease(house.tell('ledger')?.says ?? { id: 'state.suspended' })).toMatch(
    new RegExp(
      `: commit ${second.slice(0, 8)} could not be checked out: .* disk of the server.*; free space in the data folder \\(--data-dir\\).*; the release stays at`,
    ),
  );
  disk.free();
  await until('it is released', () => house.tell('ledger')?.revision === second);
  await until('nothing is told of it any more', () => house.tell('ledger')?.says.id === 'state.in-sync');
});

it('[issue 12.3] of a HelmRelease is told the same, with its state, and by the age of what was fetched', async () => {
  const repository = new ChartRepository();
  const first = repository.commitChart('ledger', aChart());
  await using house = await openChartHouse(repository, { repository: undefined, intervalMs: 600_000 });
  const type = KINDS.helmRelease;
  const chart = (url: string) => ({ chart: { git: url, ref: 'main', path: 'charts/ledger' }, values: {} });
  const age = async () => Number(/^slipway_chartsync_oldest_fetch_age_seconds (\S+)$/m.exec(await house.metrics())?.[1]);
  await house.declare('ledger', chart(repository.url), type);
  await until('it is in sync', () => house.tell('ledger', type)?.state === 'in-sync');
  renameSync(repository.bare, `${repository.bare}.away`);
  await until('it is told', () => house.tell('ledger', type)?.says.id === 'state.unfetched');
  expect(house.tell('ledger', type)).toMatchObject({ state: 'in-sync', revision: first });
  const written = await house.get(type, 'ledger');
  const definition = (await readDeployed('deploy/crds')).find((one) => one.metadata.name?.startsWith('helmreleases.'));
  expect(definition && written && unlistedFields(definition, written)).toEqual([]);
  renameSync(`${repository.bare}.away`, repository.bare);
  await until('nothing is told of it any more', () => house.tell('ledger', type)?.says.id === 'state.in-sync');
  expect(await age()).toBeLessThan(2);
  await house.declare('nowhere', chart(`${repository.url}.nowhere`), type);
  await until('the one that never was fetched gets older', async () => (await age()) > 2);
  const failed = () => formatRelease(house.tell('nowhere', type)?.says ?? { id: 'state.suspended' });
  await until('it fails with the time of the next fetch', () =>
    /chart not ready: .*; the repository is fetched again at 2\S+Z$/s.test(failed()),
  );
});
