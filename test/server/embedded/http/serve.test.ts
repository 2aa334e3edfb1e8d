import { statSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { EmbeddedCluster } from '@/server/embedded';
import { startEmbedded } from '@/server/embedded';
import { createRandom, realClock } from '@/server/platform';
import { createSeededIds } from '../../../support/seeded-ids';
import { silentLog } from '../../../support/silent-log';
import { temporaryFolder } from '../../../support/temporary-folder';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

function start(dataDir?: string, seed = 5): Promise<EmbeddedCluster> {
  const random = createRandom(seed);
  const kept = dataDir === undefined ? {} : { dataDir };
  return startEmbedded({ clock: realClock, random, ids: createSeededIds(random), log: silentLog, controllers: false, ...kept });
}

/** One request that trusts the certificate of the kubeconfig and no other. */
function ask(
  kubeconfig: string,
  url: string,
  headers: Record<string, string | string[]>,
  method = 'GET',
  body?: Buffer | string,
): Promise<Answer> {
  const ca = Buffer.from(/certificate-authority-data: (\S+)/.exec(kubeconfig)?.[1] ?? '', 'base64');
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, ca }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks).toString('utf8') }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

describe('the HTTP endpoint', () => {
  it('[cluster H1] answers nobody without a token', async () => {
    await using embedded = await start();
    const { url, token, kubeconfig } = await embedded.serve();
    for (const headers of [{}, { authorization: 'Bearer nonsense' }] as Record<string, string>[]) {
      const answer = await ask(kubeconfig, `${url}/version`, headers);
      expect([answer.status, JSON.parse(answer.body).reason]).toEqual([401, 'Unauthorized']);
    }
    expect((await ask(kubeconfig, `${url}/version`, { authorization: `Bearer ${token}` })).status).toBe(200);
  });

  it('[cluster A2] acts for others only for those who may', async () => {
    await using embedded = await start();
    const { url, token, kubeconfig } = await embedded.serve();
    embedded.addToken('bobs', { user: 'bob', groups: [] });
    const who = async (headers: Record<string, string | string[]>) => {
      const review = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });
      const reviews = `${url}/apis/authentication.k8s.io/v1/selfsubjectreviews`;
      const { status, body } = await ask(kubeconfig, reviews, { ...headers, 'content-type': 'application/json' }, 'POST', review);
      return status === 201 ? JSON.parse(body).status.userInfo : JSON.parse(body).message;
    };
    const asAnn = { 'impersonate-user': 'ann', 'impersonate-group': ['a', 'b'], 'impersonate-extra-team': 'x' };
    const ann = { username: 'ann', groups: ['a', 'b', 'system:authenticated'], extra: { team: ['x'] } };
    expect(await who({ authorization: `Bearer ${token}`, ...asAnn })).toEqual(ann);
    expect(await who({ authorization: 'Bearer bobs' })).toMatchObject({ username: 'bob' });
    expect(await who({ authorization: 'Bearer bobs', ...asAnn })).toContain('User "bob" cannot impersonate resource "users"');
  });

  it('[issue 12.3] is the same after a restart for whoever outlived it, at the same port where nobody else took that, and another where its keys are gone', async () => {
    const dataDir = temporaryFolder();
    const kept = path.join(dataDir, 'endpoint.json');
    const open = async (seed: number, task: (kubeconfig: string, port: number) => Promise<void>) => {
      await using embedded = await start(dataDir, seed);
      const { kubeconfig, url } = await embedded.serve();
      await task(kubeconfig, Number(new URL(url).port));
      return kubeconfig;
    };
    const first = await open(1, async (_, port) => {
      await using other = await start(undefined, 9);
      await expect(other.serve({ port })).rejects.toThrow(`port ${port} of 127.0.0.1 is in use`);
    });
    expect(statSync(kept).mode & 0o777).toBe(0o600);
    let taken = 0;
    expect(
      await open(2, async (kubeconfig, port) => {
        taken = port;
        const [, token = ''] = /token: "(\S+)"/.exec(first) ?? [];
        const answer = await ask(first, `https://127.0.0.1:${port}/version`, { authorization: `Bearer ${token}` });
        expect([answer.status, kubeconfig]).toEqual([200, first]);
      }),
    ).toBe(first);
    const other = createServer();
    onTestFinished(() => void other.close());
    await new Promise<void>((resolve) => other.listen(taken, '127.0.0.1', resolve));
    const elsewhere = await open(3, async (_, port) => expect(port).not.toBe(taken));
    const authorityOf = (text: string) => /certificate-authority-data: (\S+)/.exec(text)?.[1];
    expect(authorityOf(elsewhere)).toBe(authorityOf(first));
    writeFileSync(kept, '{"key":"half');
    const anew = await open(4, async () => undefined);
    expect(authorityOf(anew)).not.toBe(authorityOf(first));
  });

  it('[cluster T4] refuses bodies above 3 MiB', async () => {
    await using embedded = await start();
    const { url, token, kubeconfig } = await embedded.serve();
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await ask(kubeconfig, `${url}/api/v1/namespaces/default/configmaps`, headers, 'POST', 'x'.repeat(3 * 1024 * 1024 + 1));
    expect([answer.status, JSON.parse(answer.body).reason]).toEqual([413, 'RequestEntityTooLarge']);
  });

  it('[cluster H3] packs large answers for those who can unpack them', async () => {
    await using embedded = await start();
    const { url, token, kubeconfig } = await embedded.serve();
    const headers = { authorization: `Bearer ${token}`, 'accept-encoding': 'gzip' };
    expect((await ask(kubeconfig, `${url}/openapi/v3/api/v1`, headers)).headers['content-encoding']).toBe('gzip');
    expect((await ask(kubeconfig, `${url}/version`, headers)).headers['content-encoding']).toBeUndefined();
  });

  it('[cluster H2] answers the openapi documents, with custom kinds as soon as they are served', async () => {
    await using embedded = await start();
    const { url, token, kubeconfig } = await embedded.serve();
    const read = async (at: string) => JSON.parse((await ask(kubeconfig, url + at, { authorization: `Bearer ${token}` })).body);
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }];
    const names = { kind: 'Thing', plural: 'things' };
    const spec = { group: 'test.io', scope: 'Cluster', names, versions };
    await embedded.cluster.create({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'things.test.io' },
      spec,
    });
    const { serverRelativeURL } = (await read('/openapi/v3')).paths['apis/test.io/v1'];
    expect(Object.keys((await read(serverRelativeURL)).components.schemas)).toContain('io.test.v1.Thing');
    expect((await read('/openapi/v2')).definitions['io.k8s.api.apps.v1.Deployment']).toBeDefined();
  });

  it('[cluster H2] names no fields of what keeps unknown ones in OpenAPI v2, since kubectl refuses all others where some are named', async () => {
    await using embedded = await start();
    const { url, token, kubeconfig } = await embedded.serve();
    const free = { 'x-kubernetes-preserve-unknown-fields': true };
    const values = { type: 'object', properties: { size: { type: 'integer' } }, ...free };
    const create = (kind: string, schema: object) =>
      embedded.cluster.create({
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: `${kind.toLowerCase()}s.test.io` },
        spec: {
          group: 'test.io',
          scope: 'Cluster',
          names: { kind, plural: `${kind.toLowerCase()}s` },
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', ...schema } } }],
        },
      });
    await create('Thing', free);
    await create('Chart', { properties: { spec: { type: 'object', properties: { name: { type: 'string' }, values } } } });
    const { definitions } = JSON.parse((await ask(kubeconfig, `${url}/openapi/v2`, { authorization: `Bearer ${token}` })).body);
    const gvk = [{ group: 'test.io', version: 'v1', kind: 'Thing' }];
    expect(definitions['io.test.v1.Thing']).toEqual({ type: 'object', 'x-kubernetes-group-version-kind': gvk });
    expect(definitions['io.test.v1.Chart'].properties.spec.properties).toEqual({
      name: { type: 'string' },
      values: free,
    });
    expect(definitions['io.test.v1.Chart'].properties.metadata).toBeDefined();
  });
});
