import path from 'node:path';
import { createChartSyncEngine, ReconcileHistory } from '@/server/chartsync';
import { ReleasePreviews } from '@/server/chartsync/preview/release-previews';
import { createInformers, createRemoteCluster } from '@/server/kube';
import { Outbound, readPolicy } from '@/server/outbound';
import type { Log } from '@/server/platform';
import { createMetrics, createRandom, realClock, systemIds } from '@/server/platform';

/** What a process of its own is told of the engine that it runs. */
export interface EngineSettings {
  readonly kubeconfig: string;
  readonly repository: string;
  readonly folder: string;
  readonly helm: string;
  readonly outbound: string;
  readonly intervalMs: number;
  readonly pollMs: number;
}

/** Chart sync alone in a process, to be killed: every line of its log is a line of standard output. */
async function run({ kubeconfig, repository, folder, helm, outbound, intervalMs, pollMs }: EngineSettings): Promise<void> {
  const tell = (fields: object, message: string) => console.log(JSON.stringify({ message, ...fields }));
  const log: Log = { debug: tell, info: tell, warn: tell, error: tell, child: () => log };
  const shared = { clock: realClock, random: createRandom(7), log };
  const cluster = createRemoteCluster({ source: { kind: 'kubeconfig', path: kubeconfig }, ...shared });
  const informers = createInformers({ cluster, ...shared });
  const journal = new ReconcileHistory(realClock);
  const engine = createChartSyncEngine(
    { cluster, informers, ids: systemIds, ...shared, metrics: createMetrics(), mayAct: () => true, record: async () => undefined },
    {
      repository,
      branch: 'main',
      chartsPath: 'charts',
      intervalMs,
      pollMs,
      repositorySecret: undefined,
      cloneMs: 60_000,
      fetchMs: 60_000,
      mirrorsBytes: 1024 ** 3,
      outbound: new Outbound({ policy: readPolicy(outbound), clock: realClock }),
      listTimeoutMs: 10_000,
      logDiffs: false,
      alwaysCompare: false,
      approvals: 0,
      helmAtOnce: 2,
      helmMemory: 1024 * 1024 * 1024,
      helm,
      folder: path.resolve(folder),
      journal,
      previews: new ReleasePreviews(realClock),
      valuesKey: async () => 'key',
      identities: { clusterFor: () => cluster, kubeconfigFor: async () => kubeconfig, accountOf: () => undefined },
    },
  );
  process.once('SIGTERM', () => {
    void engine[Symbol.asyncDispose]().then(() => process.exit(0));
  });
  await engine.start();
  tellLogs(journal, tell);
}

const LOOK_MS = 100;

/** Prints what Helm wrote, whenever there is more of it. */
function tellLogs(journal: ReconcileHistory, tell: (fields: object, message: string) => void, before = ''): void {
  const logs = ['pay-ledger', 'pay-books'].map((name) => ({ name, log: journal.works.logOf({ namespace: 'pay', name }) }));
  const now = JSON.stringify(logs);
  if (now !== before) for (const { name, log } of logs) tell({ name, log }, 'the log of Helm');
  realClock.schedule(LOOK_MS, () => tellLogs(journal, tell, now));
}

await run(JSON.parse(process.argv[2] ?? '{}') as EngineSettings); // written by whoever started it
