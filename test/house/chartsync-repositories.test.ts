import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readList, readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { aChart, ChartRepository } from '../support/chart-repository';
import { startWeb } from '../support/loopback-web';
import { startRegistry } from '../support/registry.mjs';
import { until } from '../support/until';
import { use } from '../support/use';
import type { ChartHouse } from './chartsync-house';
import { aPublisher, certificate, openPublishedHouse, PASSWORD } from './published-house';

const HTPASSWD = 'ann:$2b$04$LC8DK.ljCD9gjpGxcP0Q1u2kMifxfStj4Cs2EPNV5quSjSKH.8y8m';
const BASIC = `Basic ${Buffer.from(`ann:${PASSWORD}`).toString('base64')}`;

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

const aHouse = async (repository: ChartRepository, ports: readonly number[]) => use(await openPublishedHouse(repository, ports));

const statusOf = async (house: ChartHouse, name: string) => (await house.get(KINDS.helmRelease, name))?.status;
const replicasOf = async (house: ChartHouse, name: string) =>
  readNumber(await house.get(KINDS.deployment, `pay-${name}`), 'spec', 'replicas');

describe('a release of a published chart', () => {
  it('[X-SRC-2] comes from a Helm repository, and follows the versions of its range', async () => {
    const { helm, pack, published } = await aPublisher();
    pack('ledger', aChart({ 'values.yaml': 'replicas: 2\n' }));
    const web = use(
      await startWeb(
        ({ url = '', headers }, answer) => {
          if (headers.authorization !== BASIC) answer.writeHead(401).end();
          else answer.end(readFileSync(path.join(published, path.basename(url))));
        },
        { certificate },
      ),
    );
    const at = `https://charts.test:${web.port}/stable`;
    helm('repo', 'index', published, '--url', at);
    const house = await aHouse(new ChartRepository(), [web.port]);
    const chart = { repository: at, name: 'ledger', version: '^1.0.0', chartPullSecret: { name: 'repo' } };
    await house.declare('ledger', { chart }, KINDS.helmRelease);
    await until('it is installed', async () => readString(await statusOf(house, 'ledger'), 'phase') === 'Succeeded');
    expect([readString(await statusOf(house, 'ledger'), 'revision'), await replicasOf(house, 'ledger')]).toEqual(['1.0.0', 2]);
    expect(house.lines.filter((line) => line.includes(PASSWORD))).toEqual([]);
    pack('ledger', { 'Chart.yaml': 'apiVersion: v2\nname: ledger\nversion: 1.1.0\n', 'values.yaml': 'replicas: 3\n' });
    helm('repo', 'index', published, '--url', at);
    await until('the new version is released', async () => readString(await statusOf(house, 'ledger'), 'revision') === '1.1.0');
    expect(await replicasOf(house, 'ledger')).toBe(3);
  });

  it('[X-SRC-2] comes from a registry, and follows a tag that is moved', async () => {
    const port = await freePort();
    use(await startRegistry({ certificate, htpasswd: HTPASSWD, port }));
    const { helm, pack, published } = await aPublisher();
    const push = () => {
      const login = ['--ca-file', 'ca.crt', '--username', 'ann', '--password', PASSWORD];
      helm('push', path.join(published, 'ledger-1.0.0.tgz'), `oci://127.0.0.1:${port}/team`, ...login);
    };
    pack('ledger', aChart({ 'values.yaml': 'replicas: 2\n' }));
    push();
    const house = await aHouse(new ChartRepository(), [port]);
    const chart = { repository: `oci://127.0.0.1:${port}/team`, name: 'ledger', version: '1.0.0', chartPullSecret: { name: 'repo' } };
    await house.declare('ledger', { chart }, KINDS.helmRelease);
    await house.declare('closed', { chart: { ...chart, chartPullSecret: undefined } }, KINDS.helmRelease);
    await until('it is installed', async () => readString(await statusOf(house, 'ledger'), 'phase') === 'Succeeded');
    expect(await replicasOf(house, 'ledger')).toBe(2);
    const first = readString(await statusOf(house, 'ledger'), 'revision') ?? '';
    expect(first).toMatch(/^1\.0\.0\+[0-9a-f]{12}$/);
    pack('ledger', { 'values.yaml': 'replicas: 4\n' });
    push();
    await until('the tag is followed', async () => (await replicasOf(house, 'ledger')) === 4);
    await until('its status tells so', async () => readString(await statusOf(house, 'ledger'), 'revision') !== first);
    // The one that names no Secret sees nothing of what the other one's opened: its system knows no such authority either.
    const messages = readList(await statusOf(house, 'closed'), 'conditions').map((one) => readString(one, 'message') ?? '');
    expect(messages.join('\n')).toContain('chart not ready: 127.0.0.1');
    expect(await replicasOf(house, 'closed')).toBeUndefined();
  });

  it('[issue 12, 1] has the dependencies of its chart in git fetched with the Secret that is named for their repository, which no other host is sent', async () => {
    const { helm, pack, published } = await aPublisher();
    pack(
      'cache',
      aChart({ 'templates/deployment.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: {{ .Release.Name }}-cache }\n' }, 'cache'),
    );
    const file = (url: string) => readFileSync(path.join(published, path.basename(url)));
    const elsewhere = use(await startWeb(({ url = '' }, answer) => answer.end(file(url))));
    const web = use(
      await startWeb(
        ({ url = '', headers }, answer) => {
          if (headers.authorization !== BASIC) answer.writeHead(401).end();
          else answer.end(file(url));
        },
        { certificate },
      ),
    );
    helm('repo', 'index', published, '--url', `http://other.test:${elsewhere.port}/`);
    const at = `https://charts.test:${web.port}/team`;
    const repository = new ChartRepository();
    const dependency = `dependencies:\n- { name: cache, version: ^1.0.0, repository: "${at}" }\n`;
    repository.commitChart('ledger', aChart({ 'Chart.yaml': `apiVersion: v2\nname: ledger\nversion: 1.0.0\n${dependency}` }));
    const house = await aHouse(repository, [web.port, elsewhere.port]);
    const chart = { git: repository.url, ref: 'main', path: 'charts/ledger' };
    const lacks = async (name: string) =>
      JSON.stringify((await statusOf(house, name)) ?? {}).includes('dependency cache of chart charts/ledger');
    await house.declare('ledger', { chart }, KINDS.helmRelease);
    await until('it lacks its dependency', () => lacks('ledger'));
    const annotations = { 'slipway.dev/dependency-secrets': `https://charts.test:${web.port}=repo` };
    await house.cluster.patch(
      { ...KINDS.helmRelease, namespace: 'pay', name: 'ledger' },
      { type: 'merge', body: { metadata: { annotations } } },
    );
    await until('it is installed', async () => readString(await statusOf(house, 'ledger'), 'phase') === 'Succeeded');
    expect(await house.get({ apiVersion: 'v1', kind: 'ConfigMap' }, 'pay-ledger-cache')).toBeDefined();
    expect(elsewhere.seen.map(({ path: asked, headers }) => [path.basename(asked), headers.authorization])).toEqual([
      ['cache-1.0.0.tgz', undefined],
    ]);
    expect(house.lines.filter((line) => line.includes(PASSWORD))).toEqual([]);

    // Another release of the same chart that names none is not given what the first one's Secret opened.
    await house.declare('closed', { chart }, KINDS.helmRelease);
    await until('it lacks them', () => lacks('closed'));
    // In a spec as well, where the definition knows the field.
    const dependencySecrets = [{ url: at, secretRef: { name: 'repo' } }];
    await house.declare('closed', { chart: { ...chart, dependencySecrets } }, KINDS.helmRelease);
    await until('it is installed, too', async () => readString(await statusOf(house, 'closed'), 'phase') === 'Succeeded');
  });

  it('[X-DEP-1, X-DEP-2] whose chart lies in git has its dependencies fetched and built, and waits with a sentence while they cannot be', async () => {
    const { helm, pack, published } = await aPublisher();
    pack(
      'cache',
      aChart({ 'templates/deployment.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: {{ .Release.Name }}-cache }\n' }, 'cache'),
    );
    let isThere = false;
    const web = use(
      await startWeb(({ url = '' }, answer) =>
        isThere ? answer.end(readFileSync(path.join(published, path.basename(url)))) : answer.writeHead(503).end(),
      ),
    );
    helm('repo', 'index', published);
    const repository = new ChartRepository();
    const dependency = `dependencies:\n- { name: cache, version: ^1.0.0, repository: "http://charts.test:${web.port}/" }\n`;
    repository.commitChart('ledger', aChart({ 'Chart.yaml': `apiVersion: v2\nname: ledger\nversion: 1.0.0\n${dependency}` }));
    const house = await aHouse(repository, [web.port]);
    await house.declare('ledger', { chart: { git: repository.url, ref: 'main', path: 'charts/ledger' } }, KINDS.helmRelease);
    const message = async () =>
      readList(await statusOf(house, 'ledger'), 'conditions')
        .map((one) => readString(one, 'message'))
        .join('\n');
    await until('it says what it waits for', async () => (await message()).includes('dependency cache of chart charts/ledger'));
    expect(await message()).toContain(`the index of the repository could not be fetched: charts.test:${web.port} answered 503`);
    isThere = true;
    await until('it is installed', async () => readString(await statusOf(house, 'ledger'), 'phase') === 'Succeeded');
    expect(await house.get({ apiVersion: 'v1', kind: 'ConfigMap' }, 'pay-ledger-cache')).toBeDefined();
    const { length } = web.seen;
    const before = await house.looks('schedule', 'unmoved');
    await until('two passes went by', async () => (await house.looks('schedule', 'unmoved')) >= before + 2);
    expect(web.seen.length).toBe(length);
  });
});
