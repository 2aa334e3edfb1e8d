import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { CHARTS_ACCOUNT } from '@/lib/contract/grant';
import type { RecordEntry } from '@/lib/contract/record-entry';
import { readString } from '@/lib/kube/fields';
import { KINDS, nameOfKind } from '@/lib/kube/kinds';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { ChartSyncOptions, createReleaseReader, GitHooks, ReleaseDescription } from '@/server/chartsync';
import {
  accountIdentities,
  createChartSyncEngine,
  createGitHooks,
  createReleaseObserver,
  describeRelease,
  RELEASE_KINDS,
  ReconcileHistory,
  ReleasePreviews,
  StoredReleases,
} from '@/server/chartsync';
import { startEmbedded } from '@/server/embedded';
import type { Engine } from '@/server/framework';
import { installMissing } from '@/server/installation';
import type { Cluster, Store } from '@/server/kube';
import { createInformers, createOwnRights, isNotFound } from '@/server/kube';
import { Outbound, readPolicy } from '@/server/outbound';
import type { Log } from '@/server/platform';
import { createMetrics, createRandom, Lifetimes, realClock, systemIds } from '@/server/platform';
import { obtainHelm } from '../../scripts/helm-binary.mjs';
import type { ChartRepository } from '../support/chart-repository';
import { readDeployed } from '../support/definitions';
import { silentLog } from '../support/silent-log';

/** Chart sync with git, Helm and an embedded cluster that answers Helm over HTTP; all of it real but the cluster. */
export interface ChartHouse extends AsyncDisposable {
  readonly repository: ChartRepository;
  readonly cluster: Cluster;
  /** Of whoever may do everything. */
  readonly kubeconfig: string;
  readonly engine: Engine;
  /** What commits would make of releases. */
  readonly previews: ReleasePreviews;
  /** Copies of the resources that declare releases. */
  readonly stores: readonly Store[];
  /** Copies of what people decided about them. */
  readonly decisions: Store;
  /** What a reader of releases is made of. */
  readonly reading: Parameters<typeof createReleaseReader>[0] & { readonly journal: ReconcileHistory };
  /** What git servers call. */
  readonly hooks: GitHooks;
  /** Every line that the engine logged. */
  readonly lines: readonly string[];
  get(type: TypeRef, name: string): Promise<KubeObject | undefined>;
  /** Declares a release in namespace `pay`, or changes what is declared. */
  declare(name: string, spec: object, type?: TypeRef): Promise<void>;
  /** The metrics, as they are scraped. */
  metrics(): Promise<string>;
  /** How many looks at releases came to an outcome. */
  looks(by: string, outcome: string): Promise<number>;
  statusOf(name: string): Promise<string | undefined>;
  /** What people are told of a release; undefined when no resource of that name is in the copies. */
  tell(name: string, type?: TypeRef, namespace?: string): ReleaseDescription | undefined;
  /** What was put on record. */
  readonly recorded: readonly RecordEntry[];
}

const random = createRandom(11);
const NAMESPACE = 'pay';

interface HouseOptions extends Partial<ChartSyncOptions> {
  /** True for an engine that has the rights of the deployed server and nothing else, and runs Helm as the account of the namespace. */
  readonly asServer?: boolean;
}

/** Opens the house on a repository that a test has filled; `options` override how the engine runs. */
export async function openChartHouse(
  repository: ChartRepository,
  options: HouseOptions = {},
  circumstances: Circumstances = {},
): Promise<ChartHouse> {
  const lifetimes = new Lifetimes(silentLog);
  try {
    return await open(repository, { lifetimes, options, circumstances });
  } catch (error) {
    await lifetimes[Symbol.asyncDispose]();
    throw error;
  }
}

/** What may differ around the engine. */
interface Circumstances {
  /** Whether it has the lease. */
  readonly mayAct?: () => boolean;
  /** Why nothing is done for a kind. */
  readonly stoppedReason?: (kind: string) => string | null;
  /** The line by which kinds are watched. */
  readonly watching?: (cluster: Cluster) => Cluster;
  /** As whom Helm acts, by the cluster and the kubeconfig of whoever may do everything. */
  readonly identities?: (cluster: Cluster, kubeconfig: string) => ChartSyncOptions['identities'];
}

interface Opening {
  readonly lifetimes: Lifetimes;
  readonly options: HouseOptions;
  readonly circumstances: Circumstances;
}

/** Of whoever names no account as whoever may do everything, as on the embedded cluster of the product. */
const asAdmin = (cluster: Cluster, kubeconfig: string) =>
  accountIdentities({
    cluster,
    source: { kind: 'kubeconfig', path: kubeconfig },
    account: undefined,
    folder: path.join(path.dirname(kubeconfig), 'accounts'),
    clock: realClock,
  });

async function open(
  repository: ChartRepository,
  { lifetimes, options: { asServer = false, ...options }, circumstances }: Opening,
): Promise<ChartHouse> {
  lifetimes.defer('repository', () => repository[Symbol.dispose]());
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'slipway-house-'));
  lifetimes.defer('folder', () => rm(dataDir, { recursive: true, force: true }));
  const lines: string[] = [];
  const keep = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { debug: keep, info: keep, warn: keep, error: keep, child: () => log };
  const shared = { clock: realClock, random, ids: systemIds, log: silentLog };
  const embedded = lifetimes.use('cluster', await startEmbedded({ ...shared, dataDir }));
  await embedded.serve({ host: '127.0.0.1', port: 0 });
  const { cluster } = embedded;
  await installMissing(await readDeployed('deploy/crds'), { cluster, clock: realClock, log: silentLog });
  await cluster.create({ ...KINDS.namespace, metadata: { name: NAMESPACE } });
  if (asServer) await installMissing(await readDeployed('deploy/rbac/server.yaml'), { cluster, clock: realClock, log: silentLog });
  const reached = asServer ? cluster.as({ user: 'slipway', groups: ['slipway:servers'] }) : cluster;
  const kubeconfig = path.join(dataDir, 'kubeconfig');
  const accounts = () => {
    const source = { kind: 'kubeconfig', path: kubeconfig } as const;
    return accountIdentities({
      cluster: reached,
      source,
      account: CHARTS_ACCOUNT,
      folder: path.join(dataDir, 'accounts'),
      clock: realClock,
    });
  };
  const { mayAct = () => true, stoppedReason = () => null, watching = (line) => line, identities: identitiesOf = asAdmin } = circumstances;
  const informers = lifetimes.use('informers', createInformers({ cluster: watching(reached), ...shared }));
  const metrics = createMetrics();
  const recorded: RecordEntry[] = [];
  const journal = new ReconcileHistory(realClock);
  const previews = new ReleasePreviews(realClock);
  const identities = asServer ? accounts() : identitiesOf(cluster, kubeconfig);
  const engine = createChartSyncEngine(
    { cluster: reached, informers, ...shared, log, metrics, mayAct, stoppedReason, record: async (entry) => void recorded.push(entry) },
    {
      repository: repository.url,
      branch: 'main',
      chartsPath: 'charts',
      intervalMs: 1500,
      pollMs: 500,
      repositorySecret: undefined,
      cloneMs: 20_000,
      fetchMs: 20_000,
      mirrorsBytes: 1024 ** 3,
      outbound: new Outbound({ policy: readPolicy(''), clock: realClock }),
      listTimeoutMs: 10_000,
      logDiffs: false,
      alwaysCompare: false,
      approvals: 0,
      helmAtOnce: 2,
      helmMemory: 1024 * 1024 * 1024,
      helm: (await obtainHelm()).path,
      folder: repository.folder,
      journal,
      previews,
      valuesKey: async () => 'key',
      identities,
      ...options,
    },
    asServer ? createOwnRights(reached, realClock) : undefined,
  );
  lifetimes.use('engine', engine);
  const stores = RELEASE_KINDS.map((kind) => lifetimes.use(kind.kind, informers.open(kind)).store);
  const decisions = lifetimes.use('decisions', informers.open(KINDS.releaseDecision)).store;
  const namespaces = lifetimes.use('namespaces', informers.open(KINDS.namespace)).store;
  const stored = new StoredReleases({ informers, stores });
  lifetimes.defer('stored', async () => stored[Symbol.dispose]());
  const own = { repository: repository.url, repositorySecret: undefined, ...options };
  const observer = createReleaseObserver({ stores, decisions, journal, stored, own, identities });
  const hooks = createGitHooks({ cluster, stores, identities, own, metrics, clock: realClock, log });
  await engine.start();
  const get = async (type: TypeRef, name: string) =>
    cluster.get({ ...type, namespace: NAMESPACE, name }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  return {
    repository,
    cluster,
    kubeconfig,
    engine,
    previews,
    stores,
    decisions,
    reading: { cluster, clock: realClock, previews, stores, decisions, namespaces, identities, journal },
    hooks,
    lines,
    get,
    async declare(name, spec, type = KINDS.fluxHelmRelease) {
      const found = await get(type, name);
      if (found === undefined) await cluster.create({ ...type, metadata: { namespace: NAMESPACE, name }, spec });
      // The engine writes its status meanwhile, so the object is not sent back whole.
      else
        await cluster.patch(
          { ...type, namespace: NAMESPACE, name },
          { type: 'json', body: [{ op: 'replace', path: '/spec', value: spec }] },
        );
    },
    metrics: () => metrics.metrics(),
    async looks(by, outcome) {
      const counted = await metrics.getSingleMetric('slipway_chartsync_looks_total')?.get();
      return counted?.values.find(({ labels }) => labels.by === by && labels.outcome === outcome)?.value ?? 0;
    },
    recorded,
    tell(name, type = KINDS.fluxHelmRelease, namespace = NAMESPACE) {
      const object = stores.find(({ scope }) => nameOfKind(scope) === nameOfKind(type))?.get(toObjectKey({ namespace, name }));
      return object && describeRelease(observer.observe(object, null), realClock.now());
    },
    statusOf: async (name) => readString(await get(KINDS.fluxHelmRelease, name), 'status', 'releaseStatus'),
    [Symbol.asyncDispose]: () => lifetimes[Symbol.asyncDispose](),
  };
}
