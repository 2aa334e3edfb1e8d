import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { ReleaseDetail } from '@/lib/contract/release-rows';
import { KINDS } from '@/lib/kube/kinds';
import { listAll } from '@/server/kube';
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
import type { ControlPlane } from './control-plane';
import { startControlPlane } from './control-plane';
import { deployInto } from './deploy-into';

const NS = 'pay';
const LIMIT_MS = 90_000;
const RBAC = { apiGroup: 'rbac.authorization.k8s.io' } as const;
const CORE = 'canary-8821';
/** What Go and JSON write otherwise where they quote a text. */
const PASSWORD = `${CORE} "of\\a\tvault" <é>`;
const AFTER = 'canary-8823-of-another-day';
const metadata = '{ name: "{{ .Release.Name }}" }';
const secret = (data: string, more = '') => `apiVersion: v1\nkind: Secret\nmetadata: ${metadata}\n${more}${data}\n`;
const labelled = (label: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: "{{ .Release.Name }}", labels: { key: {{ ${label} | quote }} } }\n`;

/** Templates that make Helm or the API server refuse, with a value in what they say. */
const CHARTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  base64: { 'templates/a.yaml': secret('data: { token: {{ .Values.password | quote }} }') },
  plain: { 'templates/a.yaml': secret('data: { token: {{ .Values.plain | quote }} }') },
  label: { 'templates/a.yaml': labelled('.Values.password') },
  encoded: { 'templates/a.yaml': labelled('.Values.password | b64enc') },
  long: { 'templates/a.yaml': labelled('repeat 9 .Values.plain') },
  fails: { 'templates/a.yaml': '{{ fail (printf "no such vault: %s" .Values.password) }}' },
  quotes: { 'templates/a.yaml': '{{ fail (printf "no such vault: %q" .Values.password) }}' },
  json: { 'templates/a.yaml': '{{ fail (printf "no such vault: %s" (toJson .Values)) }}' },
  of64: { 'templates/a.yaml': '{{ fail (printf "no such vault: %s" (b64enc .Values.password)) }}' },
  yaml: { 'templates/a.yaml': 'apiVersion: v1\nkind: Secret\nmetadata: { name: a }\nstringData: { a: {{ .Values.password }}: b }\n' },
  immutable: { 'templates/a.yaml': secret('stringData: { token: {{ .Values.plain | quote }} }', 'immutable: true\n') },
};

describe('what Helm and the API server say of values, on a real control plane', () => {
  let plane: ControlPlane;
  let admin: RemoteCluster;
  let charts: ChartRepository;
  let git: LoopbackWeb;
  let server: ServerProcess;
  let ann: ApiPerson;

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
    for (const [name, files] of Object.entries(CHARTS)) charts.commitChart(name, aChart(files, name));
    const certificate = makeCertificate(['127.0.0.1']);
    git = await startGitHttps({ certificate, root: path.dirname(charts.bare), wanted: () => undefined });
    await put('git', { 'ca.crt': certificate.ca });
    await put('vault', { 'values.yaml': JSON.stringify({ password: PASSWORD, plain: `${CORE}-plain` }) });
    const folder = path.dirname(plane.kubeconfig);
    const options = { '--helm': (await obtainHelm()).path, '--auth': 'token', '--outbound-allow': `127.0.0.1:${git.port}` };
    const every = ['--git-poll-interval', '2s', '--charts-sync-interval', '3s', '--log-level', 'debug'];
    const all = ['--kubeconfig', path.join(folder, 'slipway.kubeconfig'), ...every, ...Object.entries(options).flat()];
    server = await startServerProcess(all);
    const { users } = parse(await readFile(path.join(folder, 'ann.kubeconfig'), 'utf8')) as {
      readonly users: readonly { user: { token: string } }[];
    };
    ann = await signIn(server, `${server.origin}/sign-in?token=${users[0]?.user.token ?? ''}`);
  });

  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await git?.[Symbol.asyncDispose]();
    charts?.[Symbol.dispose]();
    await admin?.[Symbol.asyncDispose]();
    await plane?.[Symbol.asyncDispose]();
  });

  async function put(name: string, texts: Readonly<Record<string, string>>) {
    const data = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));
    const at = { apiVersion: 'v1', kind: 'Secret' };
    await admin
      .create({ ...at, metadata: { namespace: NS, name }, data })
      .catch(() => admin.patch({ ...at, namespace: NS, name }, { type: 'merge', body: { data } }));
  }

  const seen = (name: string) => ann.row<ReleaseDetail>(`release/${NS}/helmrelease/${name}`);
  const isFailed = (name: string) =>
    expect.poll(async () => (await seen(name))?.state, { timeout: LIMIT_MS, interval: 200, message: name }).toMatch(/failed|rolled-back/);

  /** Whatever anybody may read of the releases, by where it stands. */
  async function everythingTold(): Promise<readonly (readonly [string, string])[]> {
    const resources = (await listAll(admin, { ...KINDS.helmRelease, namespace: NS })).items;
    const events = (await listAll(admin, { apiVersion: 'v1', kind: 'Event', namespace: NS })).items;
    const told: [string, string][] = [
      ...resources.map(({ metadata: { name }, status }) => [`status of ${name}`, JSON.stringify(status)] as [string, string]),
      ...events.map((event) => [`Event of ${JSON.stringify(event.involvedObject)}`, JSON.stringify(event)] as [string, string]),
      ['log', server.stderr()],
    ];
    const pages = Object.keys(CHARTS).map((name) => `${NS}/helmrelease/${name}`);
    const topics = ['releases', 'inbox', 'activity', 'engine', ...pages.map((page) => `release/${page}`)];
    const paths = [
      ...topics.map((topic) => `/api/v1/rows?topic=${encodeURIComponent(topic)}`),
      ...pages.map((page) => `/releases/${page}`),
      ...Object.keys(CHARTS).map((name) => `/api/v1/namespaces/${NS}/releases/${name}/log?kind=helmrelease`),
      ...['/api/v1/activity', '/api/v1/releases', '/releases', '/'],
    ];
    for (const at of paths) {
      const { status, text } = await ann.get(at);
      expect([at, status]).toEqual([at, 200]);
      told.push([at, text]);
    }
    return told;
  }

  it('[issue 12.5] tells no value in status, conditions, Events, log, record, API and page, raw, encoded or escaped', async () => {
    const chart = (name: string) => ({
      git: `https://127.0.0.1:${git.port}/origin.git`,
      ref: 'main',
      path: `charts/${name}`,
      secretRef: { name: 'git' },
    });
    for (const name of Object.keys(CHARTS)) {
      const spec = { chart: chart(name), valuesFrom: [{ secretKeyRef: { name: 'vault' } }] };
      await admin.create({ ...KINDS.helmRelease, metadata: { namespace: NS, name }, spec });
    }
    for (const name of Object.keys(CHARTS)) if (name !== 'immutable') await isFailed(name);
    await expect.poll(async () => (await seen('immutable'))?.lastAct?.outcome, { timeout: LIMIT_MS }).toBe('installed');
    await put('vault', { 'values.yaml': JSON.stringify({ password: PASSWORD, plain: AFTER }) });
    await isFailed('immutable');

    const told = await everythingTold();
    const signs = [
      CORE,
      'nary-8821',
      AFTER,
      'vault\\"',
      ...[PASSWORD, AFTER].map((text) => Buffer.from(text).toString('base64').slice(0, 12)),
    ];
    // Something is said of each, with what is hidden.
    for (const name of ['label', 'encoded', 'long', 'fails', 'quotes', 'json', 'of64'])
      expect(told.find(([where]) => where === `status of ${name}`)?.[1], name).toContain('[masked]');
    expect(told.flatMap(([where, text]) => signs.filter((sign) => text.includes(sign)).map((sign) => `${where}: ${sign}`))).toEqual([]);
  }, 180_000);
});
