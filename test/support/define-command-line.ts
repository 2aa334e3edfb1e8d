import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { isNotFound } from '@/server/kube';
import type { RemoteCluster } from '@/server/kube/remote/create';
import { until } from './until';

const LIMIT_MS = 60_000;

/** A server that somebody reaches by the command, and the cluster that it drives. */
export interface CommandGround extends AsyncDisposable {
  readonly origin: string;
  readonly cluster: RemoteCluster;
  /** A namespace of the test's own, which is there. */
  readonly namespace: string;
  /** A token to sign in with, for one command. */
  token(): Promise<string>;
  /** Applies an application as whoever holds the token. */
  apply(application: KubeObject): Promise<void>;
  /** Puts something of the installation out of order, and tells what the doctor must name and the command that mends it. */
  readonly disorder: { make(): Promise<void>; repair(): Promise<void>; readonly named: RegExp; readonly command: RegExp };
}

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command as it is installed, to its end. */
function slipway(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['server/cli/slipway.mjs', ...args],
      { env: { ...process.env, ...env }, timeout: LIMIT_MS },
      (error, out, err) => resolve({ code: error === null ? 0 : Number(error.code ?? -1), out, err }),
    );
  });
}

/** An application of one Deployment and a ConfigMap; its pods do as the annotation says. */
function anApplication(namespace: string, name: string, fail?: string): KubeObject {
  const labels = { app: name };
  const annotations = fail === undefined ? {} : { 'sim.slipway.dev/fail': fail };
  const resources = { requests: { cpu: '0.01', memory: '16Mi' } };
  const template = {
    metadata: { labels, annotations },
    spec: { containers: [{ name: 'main', image: 'registry.example.com/depot:1', resources }] },
  };
  const spec = { replicas: 2, progressDeadlineSeconds: fail === 'never-ready' ? 600 : 4, selector: { matchLabels: labels }, template };
  const objects = [
    { ...KINDS.deployment, metadata: { name }, spec },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${name}-settings` }, data: { a: '1' } },
  ];
  return {
    ...KINDS.application,
    metadata: { name, namespace },
    spec: { components: [{ name: 'set', type: 'k8s-objects', properties: { objects } }] },
  };
}

/** What `slipway wait` and `slipway doctor` tell a person, and a script by their exit codes. */
export function defineCommandLine(title: string, prepare: () => Promise<CommandGround>): void {
  describe(`the command, ${title}`, () => {
    let ground: CommandGround;
    let folder: string;
    const run = async (...args: readonly string[]) => slipway(args, { SLIPWAY_URL: ground.origin, SLIPWAY_TOKEN: await ground.token() });
    const remove = async (name: string) => {
      const at = { ...KINDS.application, namespace: ground.namespace, name };
      await ground.cluster.delete(at);
      await until(`${name} is gone`, () => ground.cluster.get(at).then(() => false, isNotFound));
    };

    beforeAll(async () => {
      folder = await mkdtemp(path.join(os.tmpdir(), 'slipway-command-'));
      ground = await prepare();
    });
    afterAll(async () => {
      await ground?.[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    });

    it('[issue 9.1] wait ends with 0 once an application is current, and once objects of a file are deleted', async () => {
      const { namespace } = ground;
      await ground.apply(anApplication(namespace, 'depot'));
      const current = await run('wait', 'application', 'depot', '-n', namespace, '--for=current', '--timeout', '1m');
      expect(current, current.err).toMatchObject({ code: 0, err: '' });
      expect(current.out.trimEnd().split('\n').at(-1)).toBe('application.core.oam.dev/depot current');
      const file = path.join(folder, 'objects.json');
      const [deployment] = (anApplication(namespace, 'depot').spec as { components: [{ properties: { objects: KubeObject[] } }] })
        .components[0].properties.objects;
      await writeFile(file, JSON.stringify(deployment));
      const [deleted] = await Promise.all([run('wait', '-f', file, '-n', namespace, '--for=deleted', '--timeout', '1m'), remove('depot')]);
      expect(deleted, deleted.err).toMatchObject({ code: 0, err: '' });
    });

    it('[issue 9.1] wait ends with 1 and the reason where it failed, with 124 where the time is over, and with 1 and a sentence for what it cannot read', async () => {
      const { namespace } = ground;
      await ground.apply(anApplication(namespace, 'broken', 'crash-loop'));
      const failed = await run('wait', 'application/broken', '-n', namespace, '--timeout', '1m');
      expect(failed.code, failed.out + failed.err).toBe(1);
      expect(failed.out + failed.err).toMatch(/Containers in CrashLoop state: main/);
      await remove('broken');
      await ground.apply(anApplication(namespace, 'slow', 'never-ready'));
      const late = await run('wait', 'application', 'slow', '-n', namespace, '--timeout', '1s');
      expect(late.code, late.out + late.err).toBe(124);
      expect(late.err).toMatch(/slow/);
      await remove('slow');
      expect(await run('wait', 'application', 'nowhere', '-n', namespace)).toMatchObject({
        code: 1,
        err: `error: there is no Application nowhere in ${namespace}\n`,
      });
      const wrong = await run('wait', 'deployment', 'depot');
      expect(wrong).toMatchObject({ code: 1, err: 'error: wait needs either application NAME or -f FILE, found deployment depot\n' });
    });

    it('[issue 9.3] doctor ends with 0 where all is in order, and with 1, the finding and the command that fixes it where it is not', async () => {
      const healthy = await run('doctor');
      expect(healthy, healthy.out).toMatchObject({
        code: 0,
        out: 'no problems found with modes, definitions, policies, rights, watches and programs\n',
        err: '',
      });
      const { disorder } = ground;
      await disorder.make();
      try {
        await expect.poll(async () => (await run('doctor')).code, { timeout: LIMIT_MS, interval: 500 }).toBe(1);
        const found = await run('doctor');
        expect(found.out).toMatch(disorder.named);
        expect(found.out).toMatch(disorder.command);
      } finally {
        await disorder.repair();
      }
      await expect.poll(async () => (await run('doctor')).code, { timeout: LIMIT_MS, interval: 500 }).toBe(0);
    });

    it('[issue 9.1] ends with 2 and a sentence where the server cannot be asked', async () => {
      const nobody = await slipway(['doctor'], { SLIPWAY_URL: ground.origin, SLIPWAY_TOKEN: 'nobody' });
      expect(nobody.code).toBe(2);
      expect(nobody.err).toMatch(/^slipway: .*token/);
      const nowhere = await slipway(['doctor'], { SLIPWAY_URL: 'http://127.0.0.1:1', SLIPWAY_TOKEN: 'any' });
      expect(nowhere.code).toBe(2);
      expect(nowhere.err).toMatch(/^slipway: .*127\.0\.0\.1:1/);
    });
  });
}
