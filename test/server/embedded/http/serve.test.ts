import { request } from 'node:https';
import { describe, expect, it } from 'vitest';
import type { EmbeddedCluster } from '@/server/embedded';
import { startEmbedded } from '@/server/embedded';
import { createRandom, realClock } from '@/server/platform';
import { createSeededIds } from '../../../support/seeded-ids';
import { silentLog } from '../../../support/silent-log';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

function start(): Promise<EmbeddedCluster> {
  const random = createRandom(5);
  return startEmbedded({ clock: realClock, random, ids: createSeededIds(random), log: silentLog, controllers: false });
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

describe('the HTTP door', () => {
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
      const path = `${url}/apis/authentication.k8s.io/v1/selfsubjectreviews`;
      const { status, body } = await ask(kubeconfig, path, { ...headers, 'content-type': 'application/json' }, 'POST', review);
      return status === 201 ? JSON.parse(body).status.userInfo : JSON.parse(body).message;
    };
    const asAnn = { 'impersonate-user': 'ann', 'impersonate-group': ['a', 'b'], 'impersonate-extra-team': 'x' };
    const ann = { username: 'ann', groups: ['a', 'b', 'system:authenticated'], extra: { team: ['x'] } };
    expect(await who({ authorization: `Bearer ${token}`, ...asAnn })).toEqual(ann);
    expect(await who({ authorization: 'Bearer bobs' })).toMatchObject({ username: 'bob' });
    expect(await who({ authorization: 'Bearer bobs', ...asAnn })).toContain('User "bob" cannot impersonate resource "users"');
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
    const read = async (path: string) => JSON.parse((await ask(kubeconfig, url + path, { authorization: `Bearer ${token}` })).body);
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
});
