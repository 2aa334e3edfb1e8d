import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { Outbound, readPolicy } from '@/server/outbound';
import { realClock } from '@/server/platform';
import { packChart } from '../support/chart-archive';
import { aChart, ChartRepository } from '../support/chart-repository';
import { startGitHttps } from '../support/git-https';
import { makeCertificate } from '../support/loopback-certificate';
import { startWeb } from '../support/loopback-web';
import { until } from '../support/until';
import { use } from '../support/use';
import type { ChartHouse } from './chartsync-house';
import { openChartHouse } from './chartsync-house';
import { leave } from './gated-release';

const NEVER_MS = 3_600_000;
const TYPE = KINDS.helmRelease;
const certificate = makeCertificate(['git.test', 'charts.test']);
const basic = (password: string) => `Basic ${Buffer.from(`ann:${password}`).toString('base64')}`;

/** A house in which nothing is looked at or fetched by itself for an hour; Secrets of it are written anew. */
async function aHouse(repository: ChartRepository, port: number) {
  const outbound = new Outbound({ policy: readPolicy(`127.0.0.1:${port}`), clock: realClock, lookup: async () => ['127.0.0.1'] });
  const house = use(await openChartHouse(repository, { repository: undefined, outbound, pollMs: NEVER_MS, intervalMs: NEVER_MS }));
  const failure = async (name: string) => readString((await house.get(TYPE, name))?.status, 'failure', 'message') ?? '';
  return { house, put: putIn(house), failure };
}

/** Writes Secrets of a house anew. */
function putIn(house: ChartHouse) {
  return async (name: string, password: string) => {
    const texts = { username: 'ann', password, 'ca.crt': certificate.ca };
    const data = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));
    const at = { apiVersion: 'v1', kind: 'Secret' };
    if ((await house.get(at, name)) === undefined) await house.cluster.create({ ...at, metadata: { namespace: 'pay', name }, data });
    else await house.cluster.patch({ ...at, namespace: 'pay', name }, { type: 'merge', body: { data } });
  };
}

describe('the Secret with the credentials of a repository', () => {
  it('[issue 12.1] has the repository fetched when it changes, though that is not due for an hour', async () => {
    const repository = new ChartRepository();
    repository.commitChart('ledger', aChart());
    let wanted = basic('first');
    const git = use(await startGitHttps({ certificate, root: path.dirname(repository.bare), wanted: () => wanted }));
    const { house, put } = await aHouse(repository, git.port);
    await put('deploy', 'first');
    const chart = { git: `https://git.test:${git.port}/origin.git`, ref: 'main', path: 'charts/ledger', secretRef: { name: 'deploy' } };
    await house.declare('ledger', { chart }, TYPE);
    await until('it is released', () => house.tell('ledger', TYPE)?.state === 'in-sync');
    wanted = basic('second');
    const next = repository.commitChart('ledger', { 'values.yaml': 'replicas: 2\n' });
    await put('deploy', 'second');
    await until('the commit is released', () => house.tell('ledger', TYPE)?.revision === next);
    expect(await house.looks('commit', 'upgraded')).toBe(1);
  });

  it('[issue 12.1] of the repository of the server is read at each fetch: once it is rotated, the next one takes it, and no log says either', async () => {
    const repository = new ChartRepository();
    repository.commitChart('ledger', aChart());
    let wanted = basic('first-7741');
    const git = use(await startGitHttps({ certificate, root: path.dirname(repository.bare), wanted: () => wanted }));
    const outbound = new Outbound({ policy: readPolicy(''), clock: realClock, lookup: async () => ['127.0.0.1'] });
    const own = { repository: `https://git.test:${git.port}/origin.git`, repositorySecret: { namespace: 'pay', name: 'deploy' } };
    const house = use(await openChartHouse(repository, { ...own, outbound, pollMs: 500, intervalMs: NEVER_MS }));
    const put = putIn(house);
    await put('deploy', 'first-7741');
    await house.declare('ledger', { chartGitPath: 'ledger', values: {} });
    await until('it is released', () => house.tell('ledger')?.state === 'in-sync');
    wanted = basic('second-7742');
    await until('the old ones are refused', () => (house.engine.findings?.()[0]?.sentence ?? '').includes('cannot be fetched'));
    const next = repository.commitChart('ledger', { 'values.yaml': 'replicas: 2\n' });
    await put('deploy', 'second-7742');
    await until('the commit is released', () => house.tell('ledger')?.revision === next);
    expect(house.engine.findings?.()).toEqual([]);
    expect(house.lines.join('\n')).not.toMatch(/774[12]/);
  });

  it('[issue 12.1] has charts pulled with it when it comes, and at once after wrong ones', async () => {
    const archive = packChart('ledger', '1.0.0', aChart());
    const index = 'apiVersion: v1\nentries:\n  ledger:\n  - name: ledger\n    urls: [ledger-1.0.0.tgz]\n    version: 1.0.0\n';
    const web = use(
      await startWeb(
        (asked, answer) => {
          if (asked.headers.authorization !== basic('right')) answer.writeHead(401).end();
          else answer.end(asked.url === '/index.yaml' ? index : archive);
        },
        { certificate },
      ),
    );
    const { house, put, failure } = await aHouse(new ChartRepository(), web.port);
    const at = { repository: `https://charts.test:${web.port}`, name: 'ledger', version: '1.0.0' };
    await house.declare('ledger', { chart: { ...at, chartPullSecret: { name: 'pull' } } }, TYPE);
    await until('it lacks the Secret', async () => (await failure('ledger')).includes('Secret pull in pay is not there'));
    await put('pull', 'wrong');
    await until('the Secret is refused', async () => (await failure('ledger')).includes('answered 401'));
    await put('pull', 'right');
    await until('it is released', () => house.tell('ledger', TYPE)?.state === 'in-sync');
  });
});

describe('a sync that a person asks for', () => {
  it('[issue 12.1] has the index of a Helm repository fetched, which is not due for an hour: a version published a second ago is released', async () => {
    const versions = ['1.0.0'];
    const archiveOf = (version: string) =>
      packChart('ledger', version, aChart({ 'Chart.yaml': `apiVersion: v2\nname: ledger\nversion: ${version}\n` }));
    const web = use(
      await startWeb(
        ({ url = '' }, answer) => {
          const version = /ledger-(.*)\.tgz/.exec(url)?.[1];
          const entries = versions.map((one) => `  - { name: ledger, urls: [ledger-${one}.tgz], version: ${one} }\n`);
          answer.end(version === undefined ? `apiVersion: v1\nentries:\n  ledger:\n${entries.join('')}` : archiveOf(version));
        },
        { certificate },
      ),
    );
    const { house, put } = await aHouse(new ChartRepository(), web.port);
    await put('pull', 'any');
    const at = { repository: `https://charts.test:${web.port}`, name: 'ledger', version: '^1.0.0' };
    await house.declare('ledger', { chart: { ...at, chartPullSecret: { name: 'pull' } } }, TYPE);
    await until(
      'it is released',
      () => house.tell('ledger', TYPE)?.revision === '1.0.0' && house.tell('ledger', TYPE)?.state === 'in-sync',
    );
    versions.push('1.1.0');
    await leave(house, 'sync', { type: TYPE });
    await until('the new version is released', () => house.tell('ledger', TYPE)?.revision === '1.1.0');
    expect(web.seen.filter(({ path: asked }) => asked === '/index.yaml')).toHaveLength(2);
  });
});
