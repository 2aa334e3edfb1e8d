import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { stringify } from 'yaml';
import { readString } from '@/lib/kube/fields';
import { FLUX_KINDS } from '@/lib/kube/flux-kinds';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { RemoteCluster } from '@/server/kube/remote/create';
import { Lifetimes } from '@/server/platform';
import { obtainHelm } from '../../scripts/helm-binary.mjs';
import type { ApiPerson } from '../support/api-person';
import { signIn } from '../support/api-person';
import { openCluster } from '../support/census';
import { aChart, ChartRepository } from '../support/chart-repository';
import { aFluxRelease, FLUX_DEFINITIONS } from '../support/flux-definitions';
import { startGitHttps } from '../support/git-https';
import { makeCertificate } from '../support/loopback-certificate';
import { PlantedValues } from '../support/planted-values';
import type { ServerProcess } from '../support/server-process';
import { startServerProcess } from '../support/server-process';
import { silentLog } from '../support/silent-log';
import { until } from '../support/until';

export const SHOP = 'vaults';
const APPROVED = { gates: 'every-stage' };
const SECRET = { apiVersion: 'v1', kind: 'Secret' };
const encoded = (text: string) => Buffer.from(text).toString('base64');

/** A server on a cluster that holds values in every place that there is, and the people who look for them. */
export interface PlantedServer extends AsyncDisposable {
  readonly server: ServerProcess;
  readonly cluster: RemoteCluster;
  readonly values: PlantedValues;
  readonly operator: ApiPerson;
  readonly viewer: ApiPerson;
  /** A link that signs somebody in, by role. */
  link(role: 'operator' | 'viewer'): Promise<string>;
  /** Application `vault` as its author writes it, at a version. */
  manifest(version: number): string;
}

/** Starts it: a repository with credentials, a release of a chart with values from a Secret, and applications by console and by kubectl. */
export async function startPlantedServer(): Promise<PlantedServer> {
  const lifetimes = new Lifetimes(silentLog);
  try {
    return await start(lifetimes);
  } catch (error) {
    await lifetimes[Symbol.asyncDispose]();
    throw error;
  }
}

async function start(lifetimes: Lifetimes): Promise<PlantedServer> {
  const values = new PlantedValues();
  const repository = new ChartRepository();
  lifetimes.defer('repository', () => repository[Symbol.dispose]());
  repository.commitChart('ledger', aChart(SECRET_CHART));
  const certificate = makeCertificate(['127.0.0.1']);
  const password = values.plant('password of git');
  const authorization = `Basic ${encoded(`ann:${password}`)}`;
  const git = lifetimes.use('git', await startGitHttps({ certificate, root: path.dirname(repository.bare), wanted: () => authorization }));
  const args = [
    '--demonstration',
    'off',
    '--helm',
    (await obtainHelm()).path,
    '--outbound-allow',
    `127.0.0.1:${git.port}`,
    '--charts-sync-interval',
    '2s',
  ];
  const server = lifetimes.use('server', await startServerProcess(args, { SLIPWAY_LOG_LEVEL: 'debug' }));
  const cluster = lifetimes.use('cluster', openCluster(path.join(server.dataDir, 'cluster/kubeconfig')));
  values.keep('token of the first person', new URL(server.address).searchParams.get('token') ?? '');
  const first = await signIn(server, server.address);
  const link = async (role: 'operator' | 'viewer') => {
    const answer = await first.post('/api/v1/session/links', { role });
    return (answer.body as { readonly url: string }).url;
  };
  const [operator, viewer] = [await signIn(server, await link('operator')), await signIn(server, await link('viewer'))];
  for (const [who, { cookie }] of Object.entries({ operator, viewer }))
    values.keep(`cookie of the ${who}`, cookie.slice(cookie.indexOf('=') + 1));

  await cluster.create({ ...KINDS.namespace, metadata: { name: SHOP } });
  await letOperatorsReadSecrets(cluster);
  const put = (name: string, texts: Readonly<Record<string, string>>, annotations: Readonly<Record<string, string>> = {}) =>
    cluster.create({
      ...SECRET,
      metadata: { namespace: SHOP, name, annotations },
      data: Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, encoded(text)])),
    });
  const applied = values.plant('what kubectl applied last');
  await put(
    'applied',
    { key: applied },
    { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ ...SECRET, stringData: { key: applied } }) },
  );
  await put('push', { webhook: values.plant('webhook') });
  await put('git', { username: 'ann', password, 'ca.crt': certificate.ca });
  await put('wrong', { username: 'ann', password: values.plant('refused password of git'), 'ca.crt': certificate.ca });
  await put('ledger-values', { 'values.yaml': `replicas: 2\npassword: ${values.plant('values of a chart')}\n` });
  const release = (name: string, secret: string, from: string): KubeObject => ({
    ...KINDS.helmRelease,
    metadata: { namespace: SHOP, name, annotations: { 'slipway.dev/webhook-secret': 'push' } },
    spec: {
      chart: { git: `https://127.0.0.1:${git.port}/origin.git`, ref: 'main', path: 'charts/ledger', secretRef: { name: secret } },
      valuesFrom: [{ secretKeyRef: { name: from } }],
    },
  });
  await put('broken-values', { 'values.yaml': `replicas: {a: b]\npassword: ${values.plant('values that are no YAML')}\n` });
  for (const each of [
    release('ledger', 'git', 'ledger-values'),
    release('shut', 'wrong', 'ledger-values'),
    release('broken', 'git', 'broken-values'),
  ])
    await cluster.create(each);
  const phase = async (name: string) => readString(await cluster.get({ ...KINDS.helmRelease, namespace: SHOP, name }), 'status', 'phase');
  await until('the chart is installed', async () => (await phase('ledger')) === 'Succeeded');
  await until('the refused credentials are told', async () => (await phase('shut')) !== undefined);
  await until('the broken values are told', async () => (await phase('broken')) !== undefined);
  await plantFlux(cluster, values);
  // A second revision of the release, whose password differs, so that two can be compared.
  const next = { data: { 'values.yaml': encoded(`replicas: 3\npassword: ${values.plant('other values of a chart')}\n`) } };
  await cluster.patch({ ...SECRET, namespace: SHOP, name: 'ledger-values' }, { type: 'merge', body: next });
  const replicas = async () => JSON.stringify((await cluster.get({ ...KINDS.deployment, namespace: SHOP, name: `${SHOP}-ledger` })).spec);
  await until('the other values are released', async () => (await replicas()).includes('"replicas":3'));

  const [written, variable] = [values.plant('Secret by the console'), values.plant('variable by the console')];
  const manifest = (version: number) =>
    stringify(anApplication('vault', { version, written, raw: encoded(values.keep('data by the console', `${written}-raw`)), variable }));
  const past = {
    written: values.plant('Secret by kubectl'),
    variable: values.plant('variable by kubectl'),
    raw: encoded(values.plant('data by kubectl')),
  };
  // As other tools note what they applied, packed or not; whoever moved the values out of the spec leaves these behind.
  const noted = (value: string) => JSON.stringify({ ...SECRET, stringData: { key: value } });
  const packed = gzipSync(noted(values.plant('Secret that a tool packed'))).toString('base64');
  const annotations = {
    'kapp.k14s.io/original': noted(values.plant('Secret that a tool noted')),
    'objectset.rio.cattle.io/applied': values.keep('what a tool packed', packed),
  };
  const application = anApplication('past', { version: 1, ...past });
  await cluster.create({ ...application, metadata: { ...application.metadata, annotations } });
  await cluster.create(anApplication('unreadable', { version: 1, ...past, written: [values.plant('Secret that cannot be read')] }));
  const made = await operator.post('/api/v1/applications', { manifest: manifest(1) });
  if (made.status !== 202) throw new Error(`the application was answered ${made.status}: ${made.text}`);
  const rests = async (name: string) =>
    /^everything is ready/i.test((await operator.row<{ message: string }>(`application/${SHOP}/${name}`))?.message ?? '');
  for (const name of ['vault', 'past']) await until(`${name} runs`, () => rests(name));
  // Somebody changes one by hand, and so there is drift of a Secret.
  const drifted = { stringData: { other: values.plant('Secret that was changed by hand') } };
  await cluster.patch({ ...SECRET, namespace: SHOP, name: 'vault-written' }, { type: 'merge', body: drifted });
  return { server, cluster, values, operator, viewer, link, manifest, [Symbol.asyncDispose]: () => lifetimes[Symbol.asyncDispose]() };
}

/** Also whoever may read Secrets with kubectl is told no value by the console. */
async function letOperatorsReadSecrets(cluster: RemoteCluster): Promise<void> {
  const rbac = 'rbac.authorization.k8s.io';
  const metadata = { namespace: SHOP, name: 'read-secrets' };
  await cluster.create({
    apiVersion: `${rbac}/v1`,
    kind: 'Role',
    metadata,
    rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'watch'] }],
  });
  const subjects = [{ apiGroup: rbac, kind: 'Group', name: 'slipway:operators' }];
  await cluster.create({
    apiVersion: `${rbac}/v1`,
    kind: 'RoleBinding',
    metadata,
    roleRef: { apiGroup: rbac, kind: 'Role', name: 'read-secrets' },
    subjects,
  });
}

/** A release of Flux whose values hold the manifest of a Secret, and a repository with credentials in its address. */
async function plantFlux(cluster: RemoteCluster, values: PlantedValues): Promise<void> {
  for (const definition of FLUX_DEFINITIONS) await cluster.create(definition);
  const metadata = { namespace: SHOP, name: 'sealed' };
  const release = aFluxRelease('sealed', SHOP);
  const extra = [{ ...SECRET, metadata: { name: 'extra' }, stringData: { password: values.plant('Secret in values of Flux') } }];
  const env = [{ name: 'TOKEN', sensitive: true, value: values.plant('variable in values of Flux') }];
  const url = `https://robot:${values.plant('password in an address of Flux')}@charts.example.com/podinfo`;
  await until('the kinds are served', () =>
    isTaken(cluster.create({ ...release, metadata, spec: { ...(release.spec as object), values: { extra, env } } })),
  );
  await until('sources are served', () =>
    isTaken(cluster.create({ ...FLUX_KINDS.helmrepository, metadata, spec: { interval: '5m', url } })),
  );
}

const isTaken = (write: Promise<unknown>) =>
  write.then(
    () => true,
    () => false,
  );

/** A chart that writes a password where charts do: into a Secret, a checksum of it, and, unwisely, its notes. */
const SECRET_CHART = {
  'templates/secret.yaml':
    'apiVersion: v1\nkind: Secret\nmetadata: { name: "{{ .Release.Name }}-key" }\nstringData: { password: "{{ .Values.password }}" }\n',
  'templates/NOTES.txt': 'The password is {{ .Values.password }}.\n',
};

interface Said {
  readonly version: number;
  readonly written: unknown;
  readonly raw: string;
  readonly variable: string;
}

function anApplication(name: string, { version, written, raw, variable }: Said): KubeObject {
  const env = [{ name: 'TOKEN', sensitive: true, value: variable }];
  const objects = [
    { ...SECRET, metadata: { name: `${name}-written` }, stringData: { password: written } },
    { ...SECRET, metadata: { name: `${name}-raw` }, data: { password: raw } },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${name}-${version}` }, data: { version: String(version) } },
  ];
  return {
    ...KINDS.application,
    metadata: { namespace: SHOP, name },
    spec: {
      components: [
        {
          name,
          type: 'webservice',
          properties: { image: `registry.example.com/${name}:${version}`, env },
          traits: [{ type: 'scaler', properties: { replicas: 2 } }],
        },
        { name: `${name}-set`, type: 'k8s-objects', properties: { objects } },
      ],
      policies: [{ name: 'rollout', type: 'rollout', properties: { component: name, ratio: 50, control: APPROVED } }],
    },
  };
}
