import { readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EmbeddedCluster } from '@/server/embedded';
import { startEmbedded } from '@/server/embedded';
import { createRandom, readConfig, realClock, systemIds } from '@/server/platform';
import type { Slipway } from '@/server/slipway';
import { startSlipway } from '@/server/slipway';
import { aController } from '../support/applications';
import { silentLog } from '../support/silent-log';

// The server as it is composed, on a cluster that is not its own; no page is asked for, so none need be built.

const START_MS = 90_000;
const PUBLIC = 'https://slipway.example.com';
const VELA = aController('kubevela-vela-core', 'oamdev/vela-core:v1.9.11');

describe('a server on another cluster', () => {
  let folder: string;
  let umask: number;
  let cluster: EmbeddedCluster;
  let slipway: Slipway;
  let origin: string;
  let stored: readonly string[];
  const settings = (port: number, environment = {}) => {
    const places = ['--kubeconfig', path.join(folder, 'kubeconfig'), '--data-dir', path.join(folder, 'data')];
    return readConfig([...places, '--port', `${port}`, '--public-url', PUBLIC, '--log-level', 'silent'], environment);
  };

  beforeAll(async () => {
    umask = process.umask(0);
    folder = await mkdtemp(path.join(tmpdir(), 'slipway-whole-'));
    await mkdir(path.join(folder, 'data'));
    cluster = await startEmbedded({ clock: realClock, random: createRandom(7), ids: systemIds, log: silentLog });
    await cluster.cluster.create(VELA);
    const { kubeconfig } = await cluster.serve({ host: '127.0.0.1', port: 0 });
    await writeFile(path.join(folder, 'kubeconfig'), kubeconfig);
    const port = await findPort();
    origin = `http://127.0.0.1:${port}`;
    slipway = await startSlipway(settings(port));
    stored = readdirSync(path.join(folder, 'data'));
  }, START_MS);

  afterAll(async () => {
    await slipway?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
    process.umask(umask);
    await rm(folder, { recursive: true, force: true });
  }, START_MS);

  it('[issue 9, figures] tells its address before it makes a database, which nobody waits for yet', () => {
    expect(stored).toContain('server.lock');
    expect(stored).not.toContain('store');
  });

  it.each([
    ['in the folder', {}],
    ['a Postgres', { DATABASE_URL: 'postgres://slipway@127.0.0.1:1/slipway' }],
  ])('[issue 9, 6] keeps a second one out of its data folder with a sentence where its store is %s, and goes on', async (_what, store) => {
    const free = await findPort();
    await expect(startSlipway(settings(free, store))).rejects.toThrow(
      `the data folder ${path.join(folder, 'data')} is in use by process ${process.pid}; stop it, or give this one another --data-dir`,
    );
    await expect(fetch(`http://127.0.0.1:${free}/healthz`)).rejects.toThrow();
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
  });

  it('[issue 9, 6] shows what it keeps to nobody else on the machine, whatever the umask', async () => {
    const data = path.join(folder, 'data');
    const modes = async (at: string) =>
      Object.fromEntries(
        await Promise.all((await readdir(at)).map(async (name) => [name, ((await stat(path.join(at, name))).mode & 0o777).toString(8)])),
      );
    expect(await modes(data)).toEqual({ 'server.lock': '600', store: '700', audit: '700', 'command.json': '600' });
    expect(await modes(path.join(data, 'store'))).toMatchObject({ 'store.lock': '600' });
  });

  it('[issue 9, 6] says at its start that another controller drives, and only looks on', () => {
    expect(slipway.notes).toContainEqual(
      expect.stringContaining('Deployment kubevela-vela-core in default drives applications in this cluster'),
    );
  });

  it('[issue 9] keeps an idle connection longer than a proxy in front does, which would lose a request on one that is being closed', async () => {
    const { headers } = await fetch(`${origin}/healthz`);
    expect(Number(/timeout=(\d+)/.exec(headers.get('keep-alive') ?? '')?.[1])).toBeGreaterThan(60);
  });

  it('[issue 10, 7] gives out a session cookie that never leaves https, where its public address is https', async () => {
    const body = JSON.stringify({ token: new URL(slipway.address).searchParams.get('token') });
    const headers = { 'content-type': 'application/json', origin: PUBLIC };
    const begun = await fetch(`${origin}/api/v1/session`, { method: 'POST', headers, body });
    expect([begun.status, begun.headers.get('set-cookie')]).toEqual([
      200,
      expect.stringMatching(/^__Host-slipway_session_[0-9a-f]{8}=.*; HttpOnly; .*; Secure$/),
    ]);
  });
});

/** A port that nobody listens on now. */
async function findPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on an address
  await new Promise((resolve) => server.close(resolve));
  return port;
}
