import { execFile } from 'node:child_process';
import path from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { createReleaseReader } from '@/server/chartsync';
import { listAll } from '@/server/kube';
import { obtainHelm } from '../../scripts/helm-binary.mjs';
import { aChart, ChartRepository } from '../support/chart-repository';
import { until } from '../support/until';
import { withRequest } from '../support/with-request';
import { openChartHouse } from './chartsync-house';

const byNobody = { declaredBefore: null, uninstall: null };

it('[issue 12.1] releases that nobody declares are told from what Helm stored, with those in ConfigMaps, until a resource names them', async () => {
  const repository = new ChartRepository();
  repository.commitChart('ledger', aChart());
  await using house = await openChartHouse(repository);
  const { cluster } = house;
  const { path: helm } = await obtainHelm();
  const run = (...args: readonly string[]) =>
    promisify(execFile)(helm, [...args, '--namespace', 'pay'], {
      env: { ...process.env, KUBECONFIG: house.kubeconfig, HOME: repository.folder },
    });
  const chart = path.join(repository.folder, 'checkout/charts/ledger');
  await run('install', 'by-hand', chart);
  await run('upgrade', 'by-hand', chart, '--set', 'replicas=2');
  await house.declare('ledger', { chartGitPath: 'ledger', values: {} });
  await until('it is installed', () => house.tell('ledger')?.lastAct?.storedRevision === 1);
  const labels = { owner: 'helm', name: 'old', version: '10', status: 'superseded' };
  for (const [version, status] of [
    ['9', 'superseded'],
    ['10', 'deployed'],
  ] as const)
    await cluster.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'pay', name: `old.v${version}`, labels: { ...labels, version, status } },
    });
  await using reader = createReleaseReader(house.reading);
  const byHand = {
    ns: 'pay',
    name: 'by-hand',
    revision: 2,
    status: 'deployed',
    storedAt: expect.any(String) as string,
    storage: 'secrets',
    ...byNobody,
  };
  const old = {
    ns: 'pay',
    name: 'old',
    revision: 10,
    status: 'deployed',
    storedAt: expect.any(String) as string,
    storage: 'configmaps',
    ...byNobody,
  };
  for (const namespaces of ['all', ['default', 'pay']] as const)
    expect(await reader.undeclared(namespaces)).toEqual({ releases: [byHand, old], why: null });
  expect(await reader.undeclared(['default'])).toEqual({ releases: [], why: null });

  // Helm may delete what it stored between the list of it and the read.
  const get: typeof cluster.get = (at) => cluster.get(at.kind === 'Secret' ? { ...at, name: 'gone' } : at);
  const losing = new Proxy(cluster, { get: (target, name) => (name === 'get' ? get : Reflect.get(target, name)) });
  await using late = createReleaseReader({ ...house.reading, cluster: losing });
  const lost = { namespace: 'pay', name: 'by-hand' };
  const told = await Promise.all([late.readHooks(lost), late.staleDefinitions(lost), late.readObjects(lost)]);
  expect(told).toEqual([expect.objectContaining({ hooks: [] }), [], []]);

  // What Flux keeps is declared by Flux, which nothing here drives.
  await using beside = createReleaseReader({ ...house.reading, others: () => new Set(['pay/by-hand', 'default/old']) });
  expect(await beside.undeclared('all')).toEqual({ releases: [old], why: null });

  // What may not be read is told beside what may.
  const refusing = withRequest(cluster, async (request) => {
    if (request.path.includes('/configmaps')) throw new Error('configmaps is forbidden');
    return cluster.request(request);
  });
  await using limited = createReleaseReader({ ...house.reading, cluster: refusing });
  expect(await limited.undeclared('all')).toEqual({
    releases: [byHand],
    why: expect.stringContaining('configmaps is forbidden') as string,
  });

  // Where Secrets may be listed in some namespaces only, those of these are told, and how many others there may be.
  const spaces = (await listAll(cluster, KINDS.namespace)).items.length;
  const granted = withRequest(cluster, async (request) => {
    if (!/\/secrets/.test(request.path) || request.path.includes('/namespaces/pay/')) return cluster.request(request);
    return { status: 403, headers: {}, body: Readable.from([Buffer.from('{"kind":"Status","message":"secrets is forbidden"}')]) };
  });
  await using inPart = createReleaseReader({ ...house.reading, cluster: granted });
  expect(await inPart.undeclared('all')).toEqual({
    releases: [byHand, old],
    why: expect.stringMatching(
      new RegExp(
        `^the server may not list secrets in ${spaces - 1} namespaces, such as .*; slipway grant NAMESPACE .* grants it there; it shows here within \\d minutes?$`,
      ),
    ) as string,
  });

  // What they hold is told to whoever is permitted to read it, of each revision.
  expect((await reader.undeclaredHistory({ namespace: 'pay', name: 'by-hand' })).map(({ revision }) => revision)).toEqual([2, 1]);
  const permitted: number[] = [];
  const contentOf = (revision?: number) =>
    reader.undeclaredContent({ namespace: 'pay', name: 'by-hand' }, { revision, permit: async (read) => void permitted.push(read) });
  expect(await contentOf()).toMatchObject({
    revision: 2,
    values: 'replicas: 2\n',
    hidesValues: false,
    objects: [{ kind: 'Deployment', name: 'by-hand' }],
  });
  expect(await contentOf(1)).toMatchObject({
    revision: 1,
    values: '',
    objects: [{ text: expect.stringContaining('replicas: 1') as string }],
  });
  await expect(contentOf(7)).rejects.toThrow('Helm has stored no revision 7 of release by-hand in pay');
  expect(permitted).toEqual([2, 1, 7]);
  const refused = reader.undeclaredContent(
    { namespace: 'pay', name: 'by-hand' },
    { revision: 1, permit: async () => Promise.reject(new Error('no')) },
  );
  await expect(refused).rejects.toThrow('no');

  await house.declare(
    'by-hand',
    { chart: { git: repository.url, ref: 'main', path: 'charts/ledger' }, releaseName: 'by-hand' },
    KINDS.helmRelease,
  );
  await until('it is declared now', async () => (await reader.undeclared('all')).releases.length === 1);
  await expect(contentOf()).rejects.toThrow('release by-hand in pay is declared by HelmRelease by-hand in pay');
  await expect(reader.undeclaredHistory({ namespace: 'pay', name: 'by-hand' })).rejects.toThrow('is declared by');
});
