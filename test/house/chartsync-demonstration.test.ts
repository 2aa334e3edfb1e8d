import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { TypeRef } from '@/lib/kube/object';
import { makeRepository } from '@/server/chartsync';
import { chartCommits, chartReleases } from '@/server/demonstration/chart-releases';
import { realClock } from '@/server/platform';
import { ChartRepository } from '../support/chart-repository';
import { until } from '../support/until';
import { openChartHouse } from './chartsync-house';

describe('the demonstration of chart sync', () => {
  it('[issue 12] makes a repository with a history, once, and releases that follow its newest commits', async () => {
    const repository = new ChartRepository();
    const folder = path.join(repository.folder, 'demonstration', 'charts.git');
    const commits = await chartCommits('deploy/demonstration/charts');
    const make = () => makeRepository({ folder, commits, clock: realClock, signal: new AbortController().signal });
    const address = await make();
    const head = () => repository.git('--git-dir', folder, 'log', '--format=%H %an %s', 'main');
    const made = head();
    expect(made.trim().split('\n')).toHaveLength(3);
    expect(await make()).toBe(address);
    expect(head()).toBe(made);

    await using house = await openChartHouse(repository, { repository: undefined });
    for (const object of chartReleases(address)) await house.cluster.create(object);
    const read = (type: TypeRef, name: string) => house.cluster.get({ ...type, namespace: 'platform', name });
    await until('it is installed', async () => readString(await read(KINDS.helmRelease, 'notifier'), 'status', 'phase') === 'Succeeded');
    expect(await read(KINDS.deployment, 'notifier')).toMatchObject({ spec: { replicas: 2 } });
    const waiting = () => house.tell('reports', KINDS.helmRelease, 'platform')?.gate?.waiting;
    await until('a commit waits', () => waiting() != null);
    expect(waiting()).toMatchObject({ subject: 'reports: run at four, after the backup', author: 'Marco Ruiz' });
    await expect(read({ apiVersion: 'batch/v1', kind: 'CronJob' }, 'reports')).rejects.toMatchObject({ status: { code: 404 } });
    expect(await read({ apiVersion: 'v1', kind: 'ConfigMap' }, 'notifier')).toMatchObject({ data: { channel: 'shop-releases' } });
  });
});
