import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { afterEach, describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toInstant } from '@/lib/std/instant';
import { createProgram } from '@/server/cli/program';
import type { ApiRig } from '../api/rig';
import { createApiRig } from '../api/rig';
import { anApplication } from '../commands/rig';

const APPLICATION = { ...KINDS.application, namespace: 'shop', name: 'web' };
const FRONT = { ...KINDS.deployment, namespace: 'shop', name: 'front' };
const BACK = { ...KINDS.deployment, namespace: 'shop', name: 'back' };
const held = (at: typeof FRONT): KubeObject => ({
  apiVersion: at.apiVersion,
  kind: at.kind,
  metadata: { namespace: at.namespace, name: at.name, uid: at.name },
});
const application = (): KubeObject => ({ ...anApplication(), status: { observedGeneration: anApplication().metadata.generation } });

/** A process of the command, with what it printed. */
interface Run {
  readonly out: string[];
  readonly err: string[];
  readonly code: Promise<number | null>;
  /** Resolves once it printed a line that holds the text. */
  printed(text: string): Promise<void>;
  kill(): void;
}

const ends: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** The API over a port of its own. */
async function serve(rig: ApiRig): Promise<string> {
  const listener = getRequestListener((request, env) => rig.api.fetch(request, env), { overrideGlobalObjects: false });
  const server: Server = createServer((request, response) => void listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Starts `slipway` as a person would; `stdin` is what is piped into it. */
function start(args: readonly string[], stdin = ''): Run {
  const child = spawn(process.execPath, ['server/cli/slipway.mjs', ...args], { stdio: 'pipe' });
  const out: string[] = [];
  const err: string[] = [];
  const waiting = new Set<() => void>();
  for (const [stream, lines] of [
    [child.stdout, out],
    [child.stderr, err],
  ] as const) {
    let rest = '';
    stream.on('data', (chunk: Buffer) => {
      const parts = (rest + chunk.toString()).split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts);
      for (const look of waiting) look();
    });
  }
  child.stdin.end(stdin);
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  ends.push(async () => {
    child.kill('SIGKILL');
    await code;
  });
  return {
    out,
    err,
    code,
    kill: () => child.kill('SIGKILL'),
    printed: (text) =>
      new Promise<void>((resolve, reject) => {
        const look = () => {
          if (!out.some((line) => line.includes(text))) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        void code.then(() => reject(new Error(`it ended without printing ${text}: ${[...out, ...err].join('\n')}`)));
        look();
      }),
  };
}

async function aShop(over: Parameters<typeof createApiRig>[0] = {}) {
  const rig = await createApiRig(
    { objects: [application(), held(FRONT), held(BACK)], ...over },
    { 'application/shop/web': [{ key: 'shop/web' }] },
  );
  const url = await serve(rig);
  rig.statuses.list('shop/web', [FRONT, BACK]);
  rig.statuses.tell(APPLICATION, 'Current', { resource: application(), message: 'Application runs as web-v1' });
  rig.statuses.tell(FRONT, 'InProgress', { resource: held(FRONT), message: 'Available: 1/3' });
  rig.statuses.tell(BACK, 'Current', { resource: held(BACK), message: 'Deployment is available. Replicas: 1' });
  const slipway = async (args: readonly string[], stdin?: string) =>
    start([...args, '--url', url, '--token', await rig.auth.createLink(rig.session, 'viewer')], stdin);
  return { rig, url, slipway };
}

/** The command in this process, for what needs none of its own. */
async function within(rig: ApiRig, args: readonly string[], stdin = '') {
  const err: string[] = [];
  let code = 0;
  const program = createProgram({
    print: () => undefined,
    warn: (text) => err.push(text),
    fail: (given = 1) => {
      code = given;
    },
    fetch: async (input, init) => rig.api.request(String(input), init),
    stdin: Readable.from([stdin]),
  });
  const token = await rig.auth.createLink(rig.session, 'viewer');
  await program.parseAsync([...args, '--token', token], { from: 'user' });
  return { err, code };
}

describe('slipway wait', () => {
  it('[issue 9] prints a line per change and ends with 0 once the application is current', async () => {
    const { rig, slipway } = await aShop();
    const run = await slipway(['wait', 'application', 'web', '-n', 'shop', '--for=current', '--timeout', '5m']);
    await run.printed('Available: 1/3');
    rig.statuses.tell(FRONT, 'InProgress', { resource: held(FRONT), message: 'Available: 2/3' });
    await run.printed('Available: 2/3');
    rig.statuses.tell(FRONT, 'Current', { resource: held(FRONT), message: 'Deployment is available. Replicas: 3' });
    expect(await run.code).toBe(0);
    expect(run.out).toEqual([
      'deployment.apps/front InProgress: Available: 1/3',
      'deployment.apps/front InProgress: Available: 2/3',
      'deployment.apps/front Current: Deployment is available. Replicas: 3',
      'application.core.oam.dev/web current',
    ]);
    expect(run.err).toEqual([]);
    // It signed out and is followed no more.
    expect([...rig.rows.values()].map(({ user }) => user)).toEqual(['operator']);
    expect(rig.statuses.open()).toBe(0);
  });

  it('[issue 9] says which rule gave a status, and how old it is where it is not watched', async () => {
    const { rig, slipway } = await aShop();
    const sight = { source: 'get', at: toInstant(rig.clock.now() - 8000) } as const;
    rig.statuses.tell(FRONT, 'InProgress', { resource: held(FRONT), message: 'Available: 1/3', rule: 'kstatus', sight });
    const run = await slipway(['wait', 'application', 'web', '-n', 'shop']);
    await run.printed('Available: 1/3');
    rig.statuses.tell(FRONT, 'Current', { resource: held(FRONT), rule: 'kstatus' });
    expect(await run.code).toBe(0);
    expect(run.out.slice(0, 2)).toEqual([
      'deployment.apps/front InProgress: Available: 1/3 [kstatus] (read 8s ago)',
      'deployment.apps/front Current [kstatus] (read 8s ago)',
    ]);
  });

  it('[issue 9] ends with 1 and the sentence once an object failed', async () => {
    const { rig, slipway } = await aShop();
    const run = await slipway(['wait', 'application/web', '-n', 'shop']);
    await run.printed('Available: 1/3');
    rig.statuses.tell(FRONT, 'Failed', { resource: held(FRONT), message: '2 pods have failed' });
    expect(await run.code).toBe(1);
    expect(run.err).toEqual(['error: application.core.oam.dev/web failed: Deployment front: 2 pods have failed']);
  });

  it('[issue 9] ends with 124 when the time is over', async () => {
    const { rig, slipway } = await aShop();
    const run = await slipway(['wait', 'application', 'web', '-n', 'shop', '--timeout', '90s']);
    await run.printed('Available: 1/3');
    await rig.clock.advance(90_000);
    expect(await run.code).toBe(124);
    expect(run.err).toEqual(['error: timed out waiting for application.core.oam.dev/web to be current: Deployment front: Available: 1/3']);
  });

  it('[issue 9] waits for the objects of a file of several documents and lists, from standard input too', async () => {
    const { rig, slipway } = await aShop();
    const manifests = [
      'apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: front }\n',
      '# nothing here\n',
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [held(BACK), held(BACK)] }),
    ].join('\n---\n');
    const run = await slipway(['wait', '-f', '-', '-n', 'shop'], manifests);
    await run.printed('Available: 1/3');
    rig.statuses.tell(FRONT, 'Current', { resource: held(FRONT), message: 'Deployment is available. Replicas: 3' });
    expect(await run.code).toBe(0);
    expect(run.out.at(-1)).toBe('2 objects current');
  });

  it('[issue 9] waits until the objects of a file are deleted', async () => {
    const { rig, slipway } = await aShop();
    const folder = await mkdtemp(path.join(tmpdir(), 'slipway-wait-'));
    ends.push(() => rm(folder, { recursive: true, force: true }));
    const file = path.join(folder, 'front.yaml');
    await writeFile(file, JSON.stringify(held(FRONT)));
    const run = await slipway(['wait', '-f', file, '--for=deleted']);
    await run.printed('deployment.apps/front InProgress');
    rig.cluster.objects.clear();
    rig.statuses.tell(FRONT, 'NotFound', { message: 'Resource not found' });
    expect(await run.code).toBe(0);
    expect(run.out.at(-1)).toBe('1 object deleted');
  });

  it('[issue 9] of a thousand objects names the one that failed', async () => {
    const { rig } = await aShop();
    const many = Array.from({ length: 1001 }, (_, index) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `c${index}`, namespace: 'shop' },
    }));
    for (const { apiVersion, kind, metadata } of many)
      rig.statuses.tell({ apiVersion, kind, ...metadata }, metadata.name === 'c1000' ? 'Failed' : 'Current', { message: 'it broke' });
    const { err, code } = await within(rig, ['wait', '-f', '-'], many.map((one) => JSON.stringify(one)).join('\n---\n'));
    expect(code).toBe(1);
    expect(err).toEqual(['error: 1,001 objects failed: ConfigMap c1000: it broke']);
  });

  it('[issue 9] leaves nothing behind when it is killed', async () => {
    const { rig, slipway } = await aShop();
    const run = await slipway(['wait', 'application', 'web', '-n', 'shop']);
    await run.printed('Available: 1/3');
    expect(rig.statuses.open()).toBe(1);
    run.kill();
    await run.code;
    await expect.poll(() => rig.statuses.open()).toBe(0);
  });

  it.each([
    ['nothing to wait for', ['wait'], 'wait needs either application NAME or -f FILE, found neither'],
    ['another kind', ['wait', 'deployment', 'web'], 'wait needs either application NAME or -f FILE, found deployment web'],
    ['another state', ['wait', 'application', 'web', '--for=ready'], '--for needs current or deleted, found ready'],
    [
      'a duration that is none',
      ['wait', 'application', 'web', '-n', 'shop', '--timeout=soon'],
      'must be a duration of at most 1h such as 90s or 5m, found "soon"',
    ],
    ['an application that is not there', ['wait', 'application', 'wbe', '-n', 'shop'], 'wbe'],
    ['a file that is not there', ['wait', '-f', '/nowhere/web.yaml'], 'error: /nowhere/web.yaml cannot be read: there is no such file'],
    ['no YAML', ['wait', '-f', '-'], 'document 1 of standard input is not valid YAML', 'a: [1'],
    [
      'a manifest without a name',
      ['wait', '-f', '-'],
      'error: document 1 of standard input names no object: metadata.name must be the name of an object',
      'apiVersion: v1\nkind: Secret\nmetadata: { generateName: a- }',
    ],
    ['an empty file', ['wait', '-f', '-'], 'standard input needs manifests, found none', '---\n'],
  ])('[issue 9] ends with 1 and a sentence: %s', async (_what, args, sentence, stdin = '') => {
    const { rig } = await aShop();
    const { err, code } = await within(rig, args, stdin);
    expect(code).toBe(1);
    expect(err).toEqual([expect.stringMatching(/^error: /)]);
    expect(err[0]).toContain(sentence);
  });

  it('[issue 9] somebody without the right is told which one is missing', async () => {
    const { rig } = await aShop({ may: () => false });
    const { err, code } = await within(rig, ['wait', 'application', 'web', '-n', 'shop']);
    expect(code).toBe(1);
    expect(err.join()).toContain('may not do this: it requires the right "get" on applications.core.oam.dev web in namespace shop');
  });
});
