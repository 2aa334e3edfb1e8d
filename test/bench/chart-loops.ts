import path from 'node:path';
import { KINDS } from '@/lib/kube/kinds';
import type { ChartSyncOptions } from '@/server/chartsync';
import { ReconcileHistory, ReleasePreviews } from '@/server/chartsync';
import { indexByRelease } from '@/server/chartsync/cluster/resources';
import { indexByResource } from '@/server/chartsync/decisions/hold';
import { Gates } from '@/server/chartsync/gate/gates';
import { findHelm } from '@/server/chartsync/helm/find-helm';
import { createChartSyncMetrics } from '@/server/chartsync/session/metrics';
import type { SessionComponents } from '@/server/chartsync/session/session-components';
import { createSessionComponents } from '@/server/chartsync/session/session-components';
import type { Store } from '@/server/kube';
import { Outbound, readPolicy } from '@/server/outbound';
import { createMetrics, createRandom, realClock, systemIds } from '@/server/platform';
import { silentLog } from '../support/silent-log';
import type { ChartGround } from './chart-ground';
import { startInformers } from './ground';

const NEVER_MS = 3_600_000;
const FETCH_MS = 20_000;

/** The loops of chart sync with all their real parts, which run only when they are told to. */
export interface Loops extends AsyncDisposable {
  readonly parts: SessionComponents;
  /** Copies of the resources that declare releases. */
  readonly stores: readonly Store[];
  readonly decisions: Store;
  readonly namespaces: Store;
  readonly identities: ChartSyncOptions['identities'];
  readonly journal: ReconcileHistory;
  /** How many looks at releases came to an outcome so far. */
  looks(outcome: string): Promise<number>;
}

/** Opens them on a ground, with its repository fetched and its branch pinned. */
export async function openLoops(ground: ChartGround, { alwaysCompare }: { readonly alwaysCompare: boolean }): Promise<Loops> {
  const { cluster, repository, kubeconfig } = ground;
  const shared = { clock: realClock, random: createRandom(13), ids: systemIds, log: silentLog };
  const informers = startInformers(cluster);
  const open = (kind: Parameters<typeof informers.open>[0]) => informers.open(kind).store;
  const stores = [open(KINDS.fluxHelmRelease), open(KINDS.helmRelease)];
  const [decisions, namespaces] = [open(KINDS.releaseDecision), open(KINDS.namespace)];
  for (const store of stores) indexByRelease(store);
  indexByResource(decisions);
  while (![...stores, decisions, namespaces].every((store) => store.health().synced)) await realClock.sleep(20);
  const signal = new AbortController().signal;
  const helm = await findHelm({ named: ground.helm, clock: realClock, signal });
  if (helm.kind === 'missing') throw new Error(helm.why);
  const metrics = createMetrics();
  const deps = { cluster, informers, ...shared, metrics, mayAct: () => true, record: async () => undefined };
  const options = {
    repository: repository.url,
    repositorySecret: undefined,
    branch: 'main',
    chartsPath: 'charts',
    intervalMs: NEVER_MS,
    pollMs: NEVER_MS,
    cloneMs: FETCH_MS,
    fetchMs: FETCH_MS,
    mirrorsBytes: 1024 ** 3,
    listTimeoutMs: FETCH_MS,
    outbound: new Outbound({ policy: readPolicy(''), clock: realClock }),
    logDiffs: false,
    alwaysCompare,
    approvals: 0,
    helm: ground.helm,
    helmAtOnce: 2,
    helmMemory: 1024 * 1024 * 1024,
    folder: path.join(repository.folder, alwaysCompare ? 'literal' : 'cheap'),
    journal: new ReconcileHistory(realClock),
    previews: new ReleasePreviews(realClock),
    valuesKey: async () => 'key',
    identities: { clusterFor: () => cluster, kubeconfigFor: async () => kubeconfig, accountOf: () => undefined },
  };
  const gates = new Gates({ ...deps, decisions, namespaces, approvals: 0 });
  const grants = { why: async () => undefined, predict: async () => undefined, isWaiting: () => false, forget: () => undefined };
  const parts = createSessionComponents(deps, options, {
    stores,
    helm,
    metrics: createChartSyncMetrics(metrics),
    isHeld: () => false,
    behind: () => undefined,
    gates,
    grants,
    namespaceDeletedAt: () => undefined,
    enqueue: () => undefined,
  });
  parts.watchDrift();
  await parts.mirror.advance(signal);
  await parts.sync.start();
  return {
    parts,
    stores,
    decisions,
    namespaces,
    identities: options.identities,
    journal: options.journal,
    async looks(outcome) {
      const counted = await metrics.getSingleMetric('slipway_chartsync_looks_total')?.get();
      return (counted?.values ?? []).filter(({ labels }) => labels.outcome === outcome).reduce((sum, { value }) => sum + value, 0);
    },
    async [Symbol.asyncDispose]() {
      await parts.sync.stop();
      await parts[Symbol.asyncDispose]();
      await informers[Symbol.asyncDispose]();
    },
  };
}
