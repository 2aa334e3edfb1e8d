import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { Server } from 'node:https';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRemoteCluster, isTransportFailure } from '@/server/kube';
import type { RemoteCluster } from '@/server/kube/remote/create';
import { createRandom } from '@/server/platform';
import { createFastClock } from '@/test/support/fast-clock';
import { silentLog } from '../support/silent-log';

const run = promisify(execFile);

/** Whom a request came from, as the TLS server saw it. */
interface Seen {
  readonly certificate: string | undefined;
  readonly authorization: string | undefined;
}

describe('credentials over TLS', () => {
  let folder: string;
  let server: Server;
  const seen: Seen[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'tls-'));
    await issue('server', ['-addext', 'subjectAltName=IP:127.0.0.1']);
    await issue('first');
    await issue('second');
    const [key, cert] = await Promise.all([readFile(at('server.key')), readFile(at('server.crt'))]);
    server = createServer({ key, cert, requestCert: true, rejectUnauthorized: false }, (request, response) => {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate();
      seen.push({ certificate: subject?.CN?.toString(), authorization: request.headers.authorization });
      response.end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true });
  });

  const at = (name: string) => path.join(folder, name);
  const issue = (name: string, more: readonly string[] = []) =>
    run('openssl', [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      '-subj',
      `/CN=${name}`,
      '-keyout',
      at(`${name}.key`),
      '-out',
      at(`${name}.crt`),
      ...more,
    ]);

  async function open(user: object, cluster: object = { 'certificate-authority': 'server.crt' }): Promise<RemoteCluster> {
    const config = {
      'current-context': 'x',
      clusters: [{ name: 'x', cluster: { server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, ...cluster } }],
      users: [{ name: 'x', user }],
      contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
    };
    await writeFile(at('config'), JSON.stringify(config));
    seen.length = 0;
    return createRemoteCluster({
      source: { kind: 'kubeconfig', path: at('config') },
      clock: createFastClock(100_000),
      random: createRandom(1),
      log: silentLog,
    });
  }

  async function ask(cluster: Pick<RemoteCluster, 'request'>): Promise<void> {
    const { body } = await cluster.request({ path: '/readyz' });
    for await (const _chunk of body);
  }

  it('[cluster C4] a client certificate is shown for ourselves, and never beside the token of a person', async () => {
    await using cluster = await open({ 'client-certificate': 'first.crt', 'client-key': 'first.key' });
    await ask(cluster);
    await ask(cluster.as({ user: 'ann', groups: [], token: 'anns' }));
    await ask(cluster.as({ user: 'ann', groups: [] }));
    expect(seen).toEqual([
      { certificate: 'first', authorization: undefined },
      { certificate: undefined, authorization: 'Bearer anns' },
      { certificate: 'first', authorization: undefined },
    ]);
  });

  it('[cluster C4] a certificate that is replaced on disk is used from then on', async () => {
    for (const end of ['crt', 'key']) await writeFile(at(`own.${end}`), await readFile(at(`first.${end}`)));
    await using cluster = await open({ 'client-certificate': 'own.crt', 'client-key': 'own.key' });
    await ask(cluster);
    for (const end of ['crt', 'key']) await writeFile(at(`own.${end}`), await readFile(at(`second.${end}`)));
    await new Promise((resolve) => setTimeout(resolve, 5)); // minutes, on the clock of this test
    await ask(cluster);
    expect(seen.map(({ certificate }) => certificate)).toEqual(['first', 'second']);
  });

  it('[cluster C4] a server that the CA does not vouch for is not spoken to, unless told otherwise', async () => {
    await using strict = await open({ token: 't' }, { 'certificate-authority': 'first.crt' });
    expect(isTransportFailure(await ask(strict).catch((error: unknown) => error))).toBe(true);
    expect(seen).toEqual([]);
    await using loose = await open({ token: 't' }, { 'insecure-skip-tls-verify': true });
    await ask(loose);
    expect(seen).toEqual([{ certificate: undefined, authorization: 'Bearer t' }]);
  });
});
