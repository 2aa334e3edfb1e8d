import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { ThreeWay } from '@/lib/contract/release-comparison';
import type { ReleaseDetail, ReleaseRow } from '@/lib/contract/release-rows';
import { readField } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { RemoteCluster } from '@/server/kube/remote/create';
import { obtainHelm } from '../../scripts/helm-binary.mjs';
import type { ApiPerson } from '../support/api-person';
import { signIn } from '../support/api-person';
import { openCluster } from '../support/census';
import { aChart, ChartRepository } from '../support/chart-repository';
import { startGitHttps } from '../support/git-https';
import { makeCertificate } from '../support/loopback-certificate';
import type { LoopbackWeb } from '../support/loopback-web';
import type { ServerProcess } from '../support/server-process';
import { startServerProcess } from '../support/server-process';
import { until } from '../support/until';
import type { ControlPlane } from './control-plane';
import { startControlPlane } from './control-plane';
import { deployInto } from './deploy-into';

const run = promisify(execFile);
const NS = 'pay';
const LIMIT_MS = 90_000;
const RBAC = { apiGroup: 'rbac.authorization.k8s.io' } as const;
/** It scales what the chart gives one replica, as charts do whose authors forgot to leave the number out. */
const AUTOSCALER = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: "{{ .Release.Name }}" }
spec: { minReplicas: 3, maxReplicas: 6, scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: "{{ .Release.Name }}" } }
`;
const SETTINGS = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: "{{ .Release.Name }}" }\ndata: { size: small }\n';

describe('drift of releases, on a real control plane', () => {
  let plane: ControlPlane;
  let admin: RemoteCluster;
  let charts: ChartRepository;
  let git: LoopbackWeb;
  let server: ServerProcess;
  let ann: ApiPerson;

  const kubectl = async (...args: readonly string[]) => {
    const assets = process.env.KUBEBUILDER_ASSETS;
    const all = ['--kubeconfig', plane.kubeconfig, '-n', NS, ...args];
    return (await run(assets ? path.join(assets, 'kubectl') : 'kubectl', all)).stdout;
  };
  const seen = (name: string, kind = 'fluxhelmrelease') => ann.row<ReleaseDetail>(`release/${NS}/${kind}/${name}`);
  const told = async (name: string, kind?: string) => {
    const release = await seen(name, kind);
    return `${release?.state}: ${release?.state === 'failed' ? release.sentence : release?.drift.sentence}`;
  };
  const isTold = (name: string, sentence: string, kind?: string) =>
    expect.poll(() => told(name, kind), { timeout: LIMIT_MS, interval: 100 }).toBe(sentence);
  const replicas = async (name: string) => readField(await admin.get({ ...KINDS.deployment, namespace: NS, name }), 'spec', 'replicas');

  beforeAll(async () => {
    plane = await startControlPlane({ nodes: 1 });
    admin = openCluster(plane.kubeconfig);
    await deployInto(admin, NS);
    await admin.create({
      apiVersion: `${RBAC.apiGroup}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'ann-sees-all' },
      roleRef: { ...RBAC, kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ ...RBAC, kind: 'User', name: 'ann' }],
    });
    charts = new ChartRepository();
    for (const name of ['plain', 'scaled']) {
      const files = name === 'scaled' ? { 'templates/scaler.yaml': AUTOSCALER } : {};
      charts.commitChart(name, aChart({ ...files, 'templates/settings.yaml': SETTINGS }, name), `${name}: begin`);
    }
    const certificate = makeCertificate(['127.0.0.1']);
    git = await startGitHttps({ certificate, root: path.dirname(charts.bare), wanted: () => undefined });
    const data = { 'ca.crt': Buffer.from(certificate.ca).toString('base64') };
    await admin.create({ apiVersion: 'v1', kind: 'Secret', metadata: { namespace: NS, name: 'git' }, data });
    const folder = path.dirname(plane.kubeconfig);
    const url = `https://127.0.0.1:${git.port}/origin.git`;
    const options = {
      '--git-url': url,
      '--git-secret': `${NS}/git`,
      '--git-branch': 'main',
      '--helm': (await obtainHelm()).path,
      '--auth': 'token',
      '--outbound-allow': `127.0.0.1:${git.port}`,
    };
    const every = ['--git-poll-interval', '1h', '--charts-sync-interval', '5s'];
    server = await startServerProcess([
      '--kubeconfig',
      path.join(folder, 'slipway.kubeconfig'),
      ...every,
      ...Object.entries(options).flat(),
    ]);
    const { users } = parse(await readFile(path.join(folder, 'ann.kubeconfig'), 'utf8')) as {
      readonly users: readonly { user: { token: string } }[];
    };
    ann = await signIn(server, `${server.origin}/sign-in?token=${users[0]?.user.token ?? ''}`);
    for (const name of ['plain', 'scaled']) {
      await admin.create({
        ...KINDS.fluxHelmRelease,
        metadata: { namespace: NS, name },
        spec: { chartGitPath: name, releaseName: `${NS}-${name}`, values: {} },
      });
    }
  });

  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await git?.[Symbol.asyncDispose]();
    charts?.[Symbol.dispose]();
    await admin?.[Symbol.asyncDispose]();
    await plane?.[Symbol.asyncDispose]();
  });

  it('[issue 12.1] of a FluxHelmRelease is told on its page and in the list when somebody changes a field, and is never acted on', async () => {
    await isTold('plain', 'in-sync: Live objects match the release');
    await kubectl('scale', 'deployment/pay-plain', '--replicas=4');
    await isTold('plain', 'drifted: 1 field differs from the release: /spec/replicas of Deployment pay-plain');
    await kubectl('patch', 'configmap', 'pay-plain', '--type=merge', '-p', '{"data":{"size":"large"}}');
    await isTold('plain', 'drifted: 2 fields differ from the release, first /data/size of ConfigMap pay-plain');
    const rows = ((await ann.get('/api/v1/releases')).body as { readonly rows: readonly ReleaseRow[] }).rows;
    expect(rows.filter(({ drift }) => drift.state === 'drifted').map(({ key }) => key)).toEqual([`${NS}/fluxhelmrelease/plain`]);
    const looks = async () => (await seen('plain'))?.reconciles.reduce((sum, { times }) => sum + times, 0) ?? 0;
    const before = await looks();
    await until('it was compared with its chart twice more', async () => (await looks()) >= before + 2, LIMIT_MS);
    expect([await replicas('pay-plain'), await kubectl('get', 'configmap', 'pay-plain', '-o', 'jsonpath={.data.size}')]).toEqual([
      4,
      'large',
    ]);
    expect(await told('plain')).toMatch(/^drifted: 2 fields differ/);
  });

  it('[issue 12.1] is none where an autoscaler moved the replicas, and is where a person did', async () => {
    await until('the autoscaler scales it', async () => (await replicas('pay-scaled')) === 3, LIMIT_MS);
    await isTold('scaled', 'in-sync: Live objects match the release');
    const { objects } = (await ann.get(`/api/v1/namespaces/${NS}/releases/scaled/three-way?kind=fluxhelmrelease`)).body as ThreeWay;
    expect(objects.map(({ kind, live }) => `${kind} ${live}`)).toEqual([
      'ConfigMap same',
      'Deployment same',
      'HorizontalPodAutoscaler same',
    ]);
    await kubectl('scale', 'deployment/pay-scaled', '--replicas=0'); // which turns the autoscaler off
    await isTold('scaled', 'drifted: 1 field differs from the release: /spec/replicas of Deployment pay-scaled');
  });

  it('[issue 12.1] of a HelmRelease is put back where that is wanted', async () => {
    const chart = { git: `https://127.0.0.1:${git.port}/origin.git`, ref: 'main', path: 'charts/plain', secretRef: { name: 'git' } };
    await admin.create({
      ...KINDS.helmRelease,
      metadata: { namespace: NS, name: 'kept' },
      spec: { chart, driftDetection: { mode: 'enabled' } },
    });
    await isTold('kept', 'in-sync: Live objects match the release', 'helmrelease');
    await kubectl('patch', 'configmap', 'pay-kept', '--type=merge', '-p', '{"data":{"size":"large"}}');
    await until(
      'it is put back',
      async () => (await kubectl('get', 'configmap', 'pay-kept', '-o', 'jsonpath={.data.size}')) === 'small',
      LIMIT_MS,
    );
    await isTold('kept', 'in-sync: Live objects match the release', 'helmrelease');
  });
});
