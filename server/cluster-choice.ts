import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { EmbeddedCluster, RequestInterceptor } from '@/server/embedded';
import { startEmbedded } from '@/server/embedded';
import type { CallFigures, Cluster, ServerSource } from '@/server/kube';
import { CallStats, countCalls, createRemoteCluster, withCaller } from '@/server/kube';
import type { Clock, Config, Ids, Lifetimes, Log, Registry } from '@/server/platform';
import { createRandom } from '@/server/platform';

/** The cluster this process drives, and how it is called on the screen. */
export interface ChosenCluster {
  readonly kind: 'embedded' | 'remote';
  readonly cluster: Cluster;
  /** The same cluster for the election, whose requests must not queue behind those of engines; undefined where nobody else can be. */
  readonly elections: Cluster | undefined;
  readonly name: string;
  /** Where the embedded one answers kubectl; undefined for a remote one. */
  readonly kubeconfig: string | undefined;
  readonly embedded: EmbeddedCluster | undefined;
  /** Where a remote one's address and credentials come from. */
  readonly source: ServerSource | undefined;
  /** Calls of this process to the cluster in the last minute. */
  readonly calls: () => CallFigures;
}

interface ChoiceDeps {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly metrics: Registry;
  readonly lifetimes: Lifetimes;
  /** Who comes between a request and its answer on an embedded one. */
  readonly interference?: RequestInterceptor | undefined;
}

/** Opens the cluster that was named, that of the pod we run in, or else an embedded one. */
export async function chooseCluster(deps: ChoiceDeps): Promise<ChosenCluster> {
  const { config } = deps;
  if (config.kubeconfig !== undefined) {
    const source = {
      kind: 'kubeconfig',
      path: path.resolve(config.kubeconfig),
      ...(config.context ? { context: config.context } : {}),
    } as const;
    return remote(source, config.context ?? path.basename(config.kubeconfig), deps);
  }
  if (config.inCluster) return remote({ kind: 'in-cluster' }, 'in-cluster', deps);
  return embedded(deps);
}

function remote(source: ServerSource, name: string, { clock, ids, log, metrics, lifetimes }: ChoiceDeps): ChosenCluster {
  const random = createRandom(Number.parseInt(ids.uuid().slice(0, 8), 16));
  const calls = new CallStats(clock);
  const cluster = lifetimes.use('cluster', createRemoteCluster({ source, clock, random, log, metrics, calls }));
  const elections = lifetimes.use('elections', createRemoteCluster({ source, clock, random, log, calls }));
  return {
    kind: 'remote',
    cluster,
    elections: withCaller(elections, 'leadership'),
    name,
    kubeconfig: undefined,
    embedded: undefined,
    source,
    calls: () => calls.figures(),
  };
}

async function embedded({ config, clock, ids, log, lifetimes, interference }: ChoiceDeps): Promise<ChosenCluster> {
  const dataDir = path.join(config.dataDir, 'cluster');
  await makePrivate(dataDir);
  const random = createRandom(Number.parseInt(ids.uuid().slice(0, 8), 16));
  const calls = new CallStats(clock);
  const cluster = lifetimes.use(
    'embedded cluster',
    await startEmbedded({ clock, random, ids, log, dataDir, ...(interference ? { interference } : {}) }),
  );
  await cluster.serve({ host: '127.0.0.1', port: config.clusterPort });
  return {
    kind: 'embedded',
    cluster: countCalls(cluster.cluster, calls, clock),
    elections: undefined,
    name: 'embedded',
    kubeconfig: path.join(dataDir, 'kubeconfig'),
    embedded: cluster,
    source: undefined,
    calls: () => calls.figures(),
  };
}

/** The objects of a cluster hold Secrets as they are, so nobody else on the machine may read the folder. */
async function makePrivate(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700); // one that an earlier start left open
}
