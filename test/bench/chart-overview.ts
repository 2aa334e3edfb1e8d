import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { Decoder } from '@/server/chartsync/helm/decoder';
import { HelmStorage } from '@/server/chartsync/helm/storage';
import type { Cluster } from '@/server/kube';
import { withRequest } from '../support/with-request';
import type { ChartGround } from './chart-ground';
import { copyReleases, NAMESPACE, openChartGround, renamedSecret } from './chart-ground';
import type { Figure } from './figure';
import { startInformers } from './ground';
import { forEachAtOnce, heapInUse, median, repeated, timed } from './measure';
import { openReadModel } from './open-read-model';

const RELEASES = 2000;
const NAMESPACES = 20;
const RUNS = 5;
const LOOK_EVERY_MS = 10;
const names = Array.from({ length: RELEASES }, (_, at) => ({ namespace: `team-${at % NAMESPACES}`, name: `r-${at}` }));

/** The overview of many releases: what is read of Helm's storage for it, and its rows. */
export async function benchChartOverview(): Promise<readonly Figure[]> {
  await using ground = await openChartGround(['c-0']);
  await populate(ground);
  return [...(await readStorage(ground)), ...(await readRows(ground))];
}

/** Each with a HelmRelease as chart sync leaves it, and the Secret that Helm keeps of it. */
async function populate(ground: ChartGround): Promise<void> {
  const { cluster } = ground;
  const original = { name: 'pay-original', chart: 'c-0' };
  await copyReleases(ground, [original]);
  const stored = await cluster.get({
    apiVersion: 'v1',
    kind: 'Secret',
    namespace: NAMESPACE,
    name: `sh.helm.release.v1.${original.name}.v1`,
  });
  for (let at = 0; at < NAMESPACES; at++) await cluster.create({ ...KINDS.namespace, metadata: { name: `team-${at}` } });
  await forEachAtOnce(names, 8, async ({ namespace, name }) => {
    const copy = renamedSecret(stored, original.name, `${namespace}-${name}`);
    await cluster.create({ ...copy, metadata: { ...copy.metadata, namespace } }, { fieldManager: 'helm' });
    await declare(cluster, { namespace, name });
  });
}

async function declare(cluster: Cluster, { namespace, name }: { readonly namespace: string; readonly name: string }): Promise<void> {
  const chart = { git: 'https://git.example.com/charts', ref: 'main', path: 'charts/c-0' };
  const created: KubeObject = await cluster.create({
    ...KINDS.helmRelease,
    metadata: { namespace, name },
    spec: { chart, values: { replicas: 2 } },
  });
  const revision = '0123456789abcdef0123456789abcdef01234567';
  const at = '2026-11-22T10:00:00Z';
  const status = {
    phase: 'Succeeded',
    observedGeneration: 1,
    releaseName: `${namespace}-${name}`,
    releaseStatus: 'deployed',
    revision,
    lastAttemptedRevision: revision,
    chart: { name: 'c-0', version: '1.0.0', appVersion: null },
    lastAct: { at, by: 'resource', outcome: 'installed', revision, storedRevision: 1 },
    conditions: ['ChartFetched', 'Deployed', 'Released'].map((type) => ({
      type,
      status: 'True',
      reason: type,
      message: '',
      lastTransitionTime: at,
    })),
  };
  await cluster.update({ ...created, status }, { subresource: 'status' });
}

/** The newest state of every release of every namespace, as the status pass reads it. */
async function readStorage({ cluster }: ChartGround): Promise<readonly Figure[]> {
  await using decoder = new Decoder();
  let bytes = 0;
  const counting = withRequest(cluster, async (request) => {
    const answer = await cluster.request(request);
    return { ...answer, body: counted(answer.body, (more) => (bytes += more)) };
  });
  const storage = new HelmStorage(counting, decoder);
  const times = await repeated(RUNS, async () => {
    bytes = 0;
    let found = 0;
    const ms = await timed(async () => {
      for (let at = 0; at < NAMESPACES; at++) found += (await storage.readStates(`team-${at}`)).size;
    });
    if (found !== RELEASES) throw new Error(`${found} of ${RELEASES} releases were read`);
    return ms;
  });
  const what = `${RELEASES} releases in ${NAMESPACES} namespaces`;
  return [
    {
      what: `${what}, read from Helm's storage`,
      value: median(times) / 1000,
      unit: 's',
      beside: { what: 'longest', value: Math.max(...times) / 1000 },
      limit: { of: 'value', atMost: 1 },
    },
    { what: 'what is read of each', value: bytes / RELEASES / 1024, unit: 'KB', limit: { of: 'value', atMost: 2 } },
  ];
}

async function* counted(body: AsyncIterable<Uint8Array>, add: (bytes: number) => void): AsyncIterable<Uint8Array> {
  for await (const chunk of body) {
    add(chunk.byteLength);
    yield chunk;
  }
}

/** Every row of the table, from a server that has read nothing yet. */
async function readRows({ cluster }: ChartGround): Promise<readonly Figure[]> {
  const before = heapInUse();
  await using informers = startInformers(cluster);
  await using readModel = openReadModel(informers);
  const window = readModel.open({ kind: 'releases', query: {} }, 'all');
  const ms = await timed(async () => {
    const starting = readModel.start();
    while (window?.snapshot().total !== RELEASES) await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    await starting;
  });
  window?.release();
  return [
    { what: `rows of ${RELEASES} releases, from nothing read`, value: ms / 1000, unit: 's', limit: { of: 'value', atMost: 1 } },
    { what: 'memory per release, its watched resource included', value: (heapInUse() - before) / RELEASES / 1024, unit: 'KB' },
  ];
}
