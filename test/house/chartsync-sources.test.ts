import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readList, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { Outbound, readPolicy } from '@/server/outbound';
import { realClock } from '@/server/platform';
import { aChart, ChartRepository } from '../support/chart-repository';
import { startGitHttps } from '../support/git-https';
import { makeSshKey, startGitSsh } from '../support/git-ssh.mjs';
import { makeCertificate } from '../support/loopback-certificate';
import { startWeb } from '../support/loopback-web';
import { until } from '../support/until';
import { use } from '../support/use';
import type { ChartHouse } from './chartsync-house';
import { openChartHouse } from './chartsync-house';

const CANARY = 'canary-9b30ce';
const certificate = makeCertificate(['git.test', 'charts.test']);

/** A house for which every name is this machine, and these ports are listed. */
async function aHouse(repository: ChartRepository, ports: readonly number[]): Promise<ChartHouse> {
  const policy = readPolicy(ports.map((port) => `127.0.0.1:${port}`).join(','));
  const outbound = new Outbound({ policy, clock: realClock, lookup: async () => ['127.0.0.1'] });
  return use(await openChartHouse(repository, { repository: undefined, outbound }));
}

async function putSecret({ cluster }: ChartHouse, name: string, texts: Readonly<Record<string, string>>): Promise<void> {
  const data = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));
  await cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'pay', name }, data });
}

const statusOf = async (house: ChartHouse, name: string) => (await house.get(KINDS.helmRelease, name))?.status;
const phaseOf = async (house: ChartHouse, name: string) => readString(await statusOf(house, name), 'phase');
const messageOf = async (house: ChartHouse, name: string) =>
  readList(await statusOf(house, name), 'conditions')
    .map((one) => readString(one, 'message'))
    .join('\n');

describe('a release that names its own repository', () => {
  it('[X-SRC-1] follows it over https and over ssh, each with its own Secret, and no --git-url is wanted', async () => {
    const repository = new ChartRepository();
    repository.commitChart('ledger', aChart());
    const root = path.dirname(repository.bare);
    const https = use(await startGitHttps({ certificate, root, wanted: () => `Bearer ${CANARY}` }));
    const [hostKey, deployKey] = [makeSshKey(), makeSshKey()];
    const ssh = use(await startGitSsh({ root, hostKey, accepts: () => deployKey.public }));
    const house = await aHouse(repository, [https.port, ssh.port]);
    await putSecret(house, 'token', { bearerToken: CANARY, 'ca.crt': certificate.ca });
    await putSecret(house, 'deploy', { identity: deployKey.private, known_hosts: `[git.test]:${ssh.port} ${hostKey.public}` });
    const chart = (git: string, secret: string) => ({ chart: { git, ref: 'main', path: 'charts/ledger', secretRef: { name: secret } } });
    await house.declare('one', chart(`https://git.test:${https.port}/origin.git`, 'token'), KINDS.helmRelease);
    await house.declare('two', chart(`ssh://git@git.test:${ssh.port}/origin.git`, 'deploy'), KINDS.helmRelease);
    for (const name of ['one', 'two']) await until(`${name} is installed`, async () => (await phaseOf(house, name)) === 'Succeeded');
    const next = repository.commitChart('ledger', { 'values.yaml': 'replicas: 3\n' });
    for (const name of ['one', 'two'])
      await until(`${name} has the commit`, async () => readString(await statusOf(house, name), 'revision') === next);
  });

  it('[issue 12, 5] says what is wrong with its credentials, and they are in nothing that leaves', async () => {
    const repository = new ChartRepository();
    repository.commitChart('ledger', aChart());
    const https = use(await startGitHttps({ certificate, root: path.dirname(repository.bare), wanted: () => 'Basic other' }));
    const house = await aHouse(repository, [https.port]);
    const password = `${CANARY}-password`;
    await putSecret(house, 'token', { username: 'ann', password, 'ca.crt': certificate.ca });
    const chart = (secret: string) => ({
      chart: { git: `https://git.test:${https.port}/origin.git`, ref: 'main', path: 'charts/ledger', secretRef: { name: secret } },
    });
    await house.declare('one', chart('token'), KINDS.helmRelease);
    await house.declare('two', chart('absent'), KINDS.helmRelease);
    await until('it says that they are refused', async () => (await messageOf(house, 'one')).includes('Authentication failed'));
    await until('it says that they are not there', async () =>
      (await messageOf(house, 'two')).includes('Secret absent in pay is not there'),
    );
    const kinds = [KINDS.helmRelease, { apiVersion: 'v1', kind: 'Event' }, { apiVersion: 'v1', kind: 'ConfigMap' }];
    const objects: KubeObject[] = [];
    for (const kind of kinds) for await (const { items } of house.cluster.list({ ...kind, namespace: 'pay' })) objects.push(...items);
    expect(objects.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['HelmRelease', 'Event']));
    const left = [...house.lines, JSON.stringify(objects), JSON.stringify(house.engine.findings?.())];
    expect(left.some((text) => text.includes('Authentication failed'))).toBe(true);
    const secrets = [password, Buffer.from(`ann:${password}`).toString('base64'), Buffer.from(password).toString('base64')];
    expect(left.filter((text) => secrets.some((secret) => text.includes(secret)))).toEqual([]);
  });
});

describe('a copy that the server keeps of a repository', () => {
  it('[issue 12, 5] is no repository of anybody: what was fetched with the Secret of one is not read by another as a file', async () => {
    const repository = new ChartRepository();
    repository.commitChart('ledger', aChart());
    const house = await aHouse(repository, []);
    const chart = (git: string) => ({ chart: { git, ref: 'main', path: 'charts/ledger' } });
    await house.declare('one', chart(repository.url), KINDS.helmRelease);
    await until('one is installed', async () => (await phaseOf(house, 'one')) === 'Succeeded');
    const kept = readdirSync(repository.folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('mirror.git'));
    expect(kept.length).toBeGreaterThan(0);
    for (const [at, copy] of kept.entries()) {
      await house.declare(`thief-${at}`, chart(`file://${path.join(repository.folder, copy)}`), KINDS.helmRelease);
      await until(`${copy} is refused`, async () =>
        (await messageOf(house, `thief-${at}`)).includes('must be https:// or ssh://, found file:'),
      );
    }
  });
});

describe('values from an address', () => {
  it('[X-VAL-1, X-VAL-2] are fetched where they may be, and a release that needs others says so and is left as it is', async () => {
    const repository = new ChartRepository();
    repository.commitChart('ledger', aChart());
    const https = use(await startGitHttps({ certificate, root: path.dirname(repository.bare), wanted: () => undefined }));
    const web = use(
      await startWeb((asked, answer) => (asked.url === '/values.yaml' ? answer.end('replicas: 4\n') : answer.writeHead(404).end())),
    );
    const house = await aHouse(repository, [https.port, web.port]);
    await putSecret(house, 'ca', { 'ca.crt': certificate.ca });
    const spec = (url: string, optional = false) => ({
      chart: { git: `https://git.test:${https.port}/origin.git`, ref: 'main', path: 'charts/ledger', secretRef: { name: 'ca' } },
      valuesFrom: [{ externalSourceRef: { url, optional } }],
    });
    await house.declare('one', spec(`http://charts.test:${web.port}/values.yaml`), KINDS.helmRelease);
    await house.declare('two', spec('http://charts.test:1/values.yaml'), KINDS.helmRelease);
    await house.declare('three', spec(`http://charts.test:${web.port}/none.yaml`, true), KINDS.helmRelease);
    await until('it is installed', async () => (await phaseOf(house, 'one')) === 'Succeeded');
    expect(await house.get(KINDS.deployment, 'pay-one')).toMatchObject({ spec: { replicas: 4 } });
    await until('it says why', async () =>
      (await messageOf(house, 'two')).includes('charts.test resolves to a loopback or link-local address'),
    );
    expect(await house.get(KINDS.deployment, 'pay-two')).toBeUndefined();
    await until('it goes without', async () => (await phaseOf(house, 'three')) === 'Succeeded');
  });
});
