import { describe, expect, it } from 'vitest';
import { readField, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { TypeRef } from '@/lib/kube/object';
import { createReleaseReader } from '@/server/chartsync';
import { aChart, ChartRepository } from '../support/chart-repository';
import { until } from '../support/until';
import { openChartHouse } from './chartsync-house';

const NEVER_MS = 3_600_000;
const text = (values: string) => ({ 'values.yaml': Buffer.from(values).toString('base64') });

describe('values from Secrets and ConfigMaps', () => {
  it('[issue 12] are released when they change, for both kinds, though nobody looks for an hour; what nobody names wakes nobody', async () => {
    const repository = new ChartRepository();
    repository.commitChart('ledger', aChart());
    await using house = await openChartHouse(repository, { pollMs: NEVER_MS, intervalMs: NEVER_MS });
    const { cluster } = house;
    await cluster.create({ ...KINDS.namespace, metadata: { name: 'shared' } });
    const secret = (name: string) => ({ apiVersion: 'v1', kind: 'Secret', namespace: 'pay', name });
    const config = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shared', name: 'scale' };
    await cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'pay', name: 'scale' }, data: text('replicas: 2\n') });
    await cluster.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'shared', name: 'scale' },
      data: { 'values.yaml': 'replicas: 2\n' },
    });
    await house.declare('base', { chartGitPath: 'ledger', values: {}, valueFileSecrets: [{ name: 'scale' }] });
    const chart = { git: repository.url, ref: 'main', path: 'charts/ledger' };
    await house.declare('later', { chart, valuesFrom: [{ configMapKeyRef: { name: 'scale', namespace: 'shared' } }] }, KINDS.helmRelease);
    await house.declare('coming', { chart, valuesFrom: [{ secretKeyRef: { name: 'coming' } }] }, KINDS.helmRelease);
    const replicas = async (name: string) => readField(await house.get(KINDS.deployment, `pay-${name}`), 'spec', 'replicas');
    for (const name of ['base', 'later']) await until(`${name} is installed`, async () => (await replicas(name)) === 2);
    await until('the third waits for its values', async () => {
      const status = (await house.get(KINDS.helmRelease, 'coming'))?.status;
      return readString(status, 'failure', 'message')?.includes('Secret coming do not exist') ?? false;
    });

    await cluster.patch(secret('scale'), { type: 'merge', body: { data: text('replicas: 3\n') } });
    await until('the Secret is released', async () => (await replicas('base')) === 3);
    await cluster.patch(config, { type: 'merge', body: { data: { 'values.yaml': 'replicas: 4\n' } } });
    await until('the ConfigMap is released', async () => (await replicas('later')) === 4);
    await cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'pay', name: 'coming' }, data: text('replicas: 5\n') });
    await until('what was missing is released', async () => (await replicas('coming')) === 5);

    const outcomes = ['equal', 'unmoved', 'failed', 'upgraded'];
    const looks = async () =>
      (await Promise.all(outcomes.map((outcome) => house.looks('values', outcome)))).reduce((sum, count) => sum + count, 0);
    const before = await looks();
    await cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'pay', name: 'other' }, data: text('replicas: 9\n') });
    await cluster.patch(secret('scale'), { type: 'merge', body: { metadata: { labels: { seen: 'yes' } } } });
    await until('the one that is named was looked at', async () => (await looks()) > before);
    await cluster.patch(secret('scale'), { type: 'merge', body: { data: text('replicas: 6\n') } });
    await until('it is released', async () => (await replicas('base')) === 6);
    await until('that is counted', async () => (await house.looks('values', 'upgraded')) === 3);
    expect(await looks()).toBe(before + 2);
    expect([await replicas('base'), await replicas('later'), await replicas('coming')]).toEqual([6, 4, 5]);

    await using reader = createReleaseReader(house.reading);
    const compare = (type: TypeRef, name: string) =>
      reader.compare(
        { ...type, namespace: 'pay', name, release: { namespace: 'pay', name: `pay-${name}` } },
        { from: 1, to: 2, maySeeValues: true },
      );
    expect(await compare(KINDS.fluxHelmRelease, 'base')).toMatchObject({
      hidesValues: true,
      valuesDiffer: true,
      values: [],
      objects: [{ kind: 'Deployment' }],
    });
    const told = await compare(KINDS.helmRelease, 'later');
    expect(told).toMatchObject({
      hidesValues: false,
      values: [
        { sign: '-', text: 'replicas: 2' },
        { sign: '+', text: 'replicas: 4' },
      ],
    });
    expect(told.objects).toMatchObject([{ kind: 'Deployment', name: 'pay-later', change: 'changed' }]);
  });

  it('[issue 12.1] that change while nobody has the Lease are released within an interval of the next holder, for both kinds, and what did not move is not dry run', async () => {
    const repository = new ChartRepository();
    repository.commitChart('ledger', aChart());
    let hasLease = true;
    await using house = await openChartHouse(repository, { intervalMs: 1000 }, { mayAct: () => hasLease });
    const names = ['base', 'later', 'still'];
    const secret = (name: string) => ({ apiVersion: 'v1', kind: 'Secret', namespace: 'pay', name });
    for (const name of names) {
      const { namespace, ...type } = secret(name);
      await house.cluster.create({ ...type, metadata: { namespace, name }, data: text('replicas: 2\n') });
    }
    const chart = { git: repository.url, ref: 'main', path: 'charts/ledger' };
    await house.declare('base', { chartGitPath: 'ledger', values: {}, valueFileSecrets: [{ name: 'base' }] });
    await house.declare('still', { chartGitPath: 'ledger', values: {}, valueFileSecrets: [{ name: 'still' }] });
    await house.declare('later', { chart, valuesFrom: [{ secretKeyRef: { name: 'later' } }] }, KINDS.helmRelease);
    const newest = (name: string) => house.tell(name, name === 'later' ? KINDS.helmRelease : KINDS.fluxHelmRelease)?.reconciles[0]?.outcome;
    const allAre = (outcome: string) => names.every((name) => newest(name) === outcome);
    await until('nothing moves', () => allAre('unmoved'));
    hasLease = false;
    await until('the session has ended', () => house.reading.journal.loops().kind === 'elsewhere');
    for (const name of ['base', 'later']) await house.cluster.patch(secret(name), { type: 'merge', body: { data: text('replicas: 3\n') } });
    const before = house.reading.journal.figures().dryRuns;
    hasLease = true;
    const replicas = async (name: string) => readField(await house.get(KINDS.deployment, `pay-${name}`), 'spec', 'replicas');
    for (const name of ['base', 'later']) await until(`${name} is released`, async () => (await replicas(name)) === 3);
    await until('nothing moves any more', () => allAre('unmoved'));
    // One found the other values, and one that they are released; of what did not move none was made.
    expect([house.reading.journal.figures().dryRuns - before, await replicas('still')]).toEqual([4, 2]);
  });
});
