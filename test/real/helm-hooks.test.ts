import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EmbeddedCluster } from '@/server/embedded';
import { startEmbedded } from '@/server/embedded';
import { createRandom, realClock, systemIds } from '@/server/platform';
import { silentLog } from '../support/silent-log';

const run = promisify(execFile);
const assets = process.env.KUBEBUILDER_ASSETS;
const TEMPLATE = `
apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
---
apiVersion: batch/v1
kind: Job
metadata: { name: hook, annotations: { helm.sh/hook: pre-upgrade, helm.sh/hook-delete-policy: before-hook-creation } }
spec:
  backoffLimit: 0
  template:
    metadata: { annotations: { {{ if .Values.fail }}sim.slipway.dev/fail: crash-loop{{ end }} } }
    spec: { restartPolicy: Never, containers: [{ name: a, image: a }] }
---
apiVersion: v1
kind: Pod
metadata: { name: probe, annotations: { helm.sh/hook: test, helm.sh/hook-delete-policy: before-hook-creation } }
spec: { restartPolicy: Never, containers: [{ name: a, image: a }] }
`;

let embedded: EmbeddedCluster;
let dir = '';

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'hooks-'));
  await mkdir(path.join(dir, 'chart', 'templates'), { recursive: true });
  await writeFile(path.join(dir, 'chart', 'Chart.yaml'), 'apiVersion: v2\nname: hooked\nversion: 1.0.0\n');
  await writeFile(path.join(dir, 'chart', 'templates', 'all.yaml'), TEMPLATE);
  embedded = await startEmbedded({ clock: realClock, random: createRandom(3), ids: systemIds, log: silentLog });
  await writeFile(path.join(dir, 'kubeconfig'), (await embedded.serve()).kubeconfig, { mode: 0o600 });
});

afterAll(async () => {
  await embedded[Symbol.asyncDispose]();
  await rm(dir, { recursive: true });
});

describe.each([
  ['the embedded cluster', () => path.join(dir, 'kubeconfig')],
  ['the cluster of KUBECONFIG', () => process.env.KUBECONFIG ?? ''],
])('tests and hooks of a chart on %s', (_name, kubeconfig) => {
  const helm = async (...args: string[]): Promise<string> => {
    const homes = Object.fromEntries(
      ['HELM_CACHE_HOME', 'HELM_CONFIG_HOME', 'HELM_DATA_HOME'].map((name) => [name, path.join(dir, 'helm')]),
    );
    const options = { timeout: 100_000, env: { ...process.env, ...homes } };
    const all = ['--kubeconfig', kubeconfig(), '-n', 'helm-hooks', ...args];
    return (await run(assets ? path.join(assets, 'helm') : 'helm', all, options)).stdout;
  };

  it('[issue 12, 2] a test ends, a hook that fails fails the upgrade, and the one before stays deployed', async () => {
    const chart = path.join(dir, 'chart');
    expect(await helm('install', 'hooked', chart, '--create-namespace', '--wait', '--timeout', '60s')).toContain('STATUS: deployed');
    expect(await helm('test', 'hooked', '--timeout', '60s')).toMatch(/Phase: +Succeeded/);
    expect(await helm('upgrade', 'hooked', chart, '--timeout', '60s')).toContain('REVISION: 2');
    await expect(helm('upgrade', 'hooked', chart, '--set', 'fail=true', '--timeout', '60s')).rejects.toThrow(/pre-upgrade hooks failed/);
    const history = JSON.parse(await helm('history', 'hooked', '-o', 'json')) as readonly { readonly status: string }[];
    expect(history.map(({ status }) => status)).toEqual(['superseded', 'deployed', 'failed']);
    expect(await helm('uninstall', 'hooked', '--wait', '--timeout', '60s')).toContain('uninstalled');
  });
});
