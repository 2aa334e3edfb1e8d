import path from 'node:path';
import type { ChartSyncOptions, Identities } from '@/server/chartsync';
import { accountIdentities, readGitAddress } from '@/server/chartsync';
import type { ChosenCluster } from '@/server/cluster-choice';
import { openChartValuesReader } from '@/server/commands';
import { Outbound, readPolicy } from '@/server/outbound';
import type { Clock, Config, Lifetimes } from '@/server/platform';

interface Chosen extends Pick<ChartSyncOptions, 'journal' | 'previews' | 'valuesKey'> {
  readonly chosen: ChosenCluster;
  readonly clock: Clock;
  readonly lifetimes: Lifetimes;
}

/** Chart sync as the settings want it, on the cluster that was chosen; throws one sentence for an address or a list that is not taken. */
export function chartSyncOptions(config: Config, { chosen, clock, lifetimes, journal, previews, valuesKey }: Chosen): ChartSyncOptions {
  if (config.gitUrl !== undefined) readGitAddress(config.gitUrl, config.dataDir);
  const [namespace = '', name = ''] = config.gitSecret?.split('/') ?? [];
  return {
    repository: config.gitUrl,
    repositorySecret: config.gitSecret === undefined ? undefined : { namespace, name },
    branch: config.gitBranch,
    chartsPath: config.gitChartsPath,
    intervalMs: config.chartsSyncInterval,
    pollMs: config.gitPollInterval,
    cloneMs: config.gitCloneTimeout,
    fetchMs: config.gitFetchTimeout,
    mirrorsBytes: config.gitMirrorsLimit * 1024 * 1024,
    listTimeoutMs: config.chartsSyncTimeout,
    logDiffs: config.logReleaseDiffs === 'on',
    alwaysCompare: config.chartsAlwaysCompare === 'on',
    approvals: config.chartsApprovals,
    helm: config.helm,
    helmAtOnce: config.helmAtOnce,
    helmMemory: config.helmMemory * 1024 * 1024,
    folder: config.dataDir,
    identities: identitiesOf(config, chosen, clock),
    journal,
    previews,
    valuesKey,
    outbound: new Outbound({ policy: readPolicy(config.outboundAllow), clock }),
    readLongValues: lifetimes.use('values of charts', openChartValuesReader(clock)).chartValues,
  };
}

/** The embedded cluster is nobody else's and needs no grants; elsewhere Helm acts as an account of the resource's namespace. An account that a resource names acts everywhere. */
function identitiesOf(
  { dataDir, chartsServiceAccount }: Config,
  { cluster, source, kubeconfig = '' }: ChosenCluster,
  clock: Clock,
): Identities {
  const folder = path.join(dataDir, 'chartsync', 'accounts');
  if (source === undefined)
    return accountIdentities({ cluster, source: { kind: 'kubeconfig', path: kubeconfig }, account: undefined, folder, clock });
  return accountIdentities({ cluster, source, account: chartsServiceAccount, folder, clock });
}
