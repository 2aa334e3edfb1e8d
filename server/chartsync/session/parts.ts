import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '@/lib/contract/app-error';
import type { EngineDeps } from '@/server/framework';
import type { Store } from '@/server/kube';
import { Drift } from '../cluster/drift';
import { LiveObjects } from '../cluster/live-objects';
import { Resources } from '../cluster/resources';
import { readGitAddress } from '../git/address';
import { BinaryRepository } from '../git/binary-repository';
import { GitBinary } from '../git/git-binary';
import { Mirror } from '../git/mirror';
import { Decoder } from '../helm/decoder';
import type { FoundHelm } from '../helm/find-helm';
import { HelmBinary } from '../helm/helm-binary';
import { HelmStorage } from '../helm/storage';
import { ChartSync } from '../loops/chart-sync';
import type { ChartSyncOptions } from '../options';
import type { ChartSources, ObjectsPort } from '../ports';
import { Turns } from '../process/turns';
import type { ChartSyncMetrics } from './metrics';

/** Helm takes a processor and a few hundred megabytes each. */
const HELM_AT_ONCE = 2;
const CLONE_MS = 600_000;
const FETCH_MS = 120_000;

/** The real parts of one session. */
export interface Parts extends AsyncDisposable {
  readonly mirror: Mirror;
  readonly open: () => ChartSync;
  /** Asks every Helm and git that runs to end. */
  endProcesses(): void;
}

interface PartsOf {
  readonly stores: readonly Store[];
  readonly helm: FoundHelm;
  readonly metrics: ChartSyncMetrics;
}

/** Puts git, Helm and the cluster behind the ports of chart sync. */
export function createParts(deps: EngineDeps, options: ChartSyncOptions, { stores, helm: found, metrics }: PartsOf): Parts {
  const { cluster, clock, log } = deps;
  const { identities, folder } = options;
  const ending = new AbortController();
  const decoder = new Decoder();
  const clusterFor = (namespace: string) => identities.clusterFor(namespace);
  const storage = new HelmStorage(cluster, decoder);
  const live = new LiveObjects({ storage, clusterFor, clock });
  const drift = new Drift({ objects: live, clusterFor });
  const objects: ObjectsPort = {
    mark: (act, mark) => live.mark(act, mark),
    readMark: (act, annotation) => live.readMark(act, annotation),
    findDrift: (act) => drift.find(act),
    correctDrift: (act, deviations) => drift.correct(act, deviations),
  };
  const kubeconfigFor = (namespace: string) => identities.kubeconfigFor(namespace);
  const homes = { folder: path.join(folder, 'helm'), turns: new Turns(HELM_AT_ONCE), signal: ending.signal };
  const helm = new HelmBinary({ found, storage, decoder, kubeconfigFor, clock, ...homes });
  const mirror = createMirror(deps, options);
  mirror.onSignal(() => metrics.fetched(clock.now() / 1000));
  const resources = new Resources({ cluster, clusterFor, stores, clock });
  const values = {
    readData: resources.readData.bind(resources),
    fetchText: async () => {
      throw new AppError('rejected', 'values from addresses are not taken yet');
    },
    readChartFile: async ({ folder: chart }: { readonly folder: string }, file: string) => readFile(path.join(chart, file), 'utf8').catch(() => undefined),
  };
  const { branch, chartsPath, logDiffs, alwaysCompare, listTimeoutMs } = options;
  const config = { branch, chartsPath, logDiffs, alwaysCompare, listTimeoutMs, updateDeps: { base: false, extended: true } };
  return {
    mirror,
    open: () =>
      new ChartSync({
        mirror,
        sources: sourcesOf(mirror, options),
        helm,
        objects,
        resources,
        values,
        config,
        clock,
        log,
        tell: (told) => metrics.looked(told),
      }),
    endProcesses: () => ending.abort(new Error('chart sync ended its processes')),
    [Symbol.asyncDispose]: async () => {
      ending.abort(new Error('chart sync ended'));
      await decoder[Symbol.asyncDispose]();
    },
  };
}

function createMirror({ clock, log }: EngineDeps, { repository = '', folder, pollMs }: ChartSyncOptions): Mirror {
  const address = readGitAddress(repository, path.dirname(folder));
  const at = path.join(folder, 'git');
  const git = new GitBinary({ scheme: address.scheme, home: at, clock });
  const binary = new BinaryRepository({ address, git, folder: at });
  let isClean = false;
  const clone = async (signal: AbortSignal) => {
    await mkdir(at, { recursive: true, mode: 0o700 });
    // Exports of an earlier process are nobody's; those of this one outlive an outage.
    if (!isClean) await rm(path.join(at, 'exports'), { recursive: true, force: true });
    isClean = true;
    await binary.clone(signal);
  };
  const port = { clone, check: binary.check.bind(binary), fetch: binary.fetch.bind(binary) };
  const queries = { revision: binary.revision.bind(binary), commitsBetween: binary.commitsBetween.bind(binary), export: binary.export.bind(binary) };
  return new Mirror({ id: address.shown, repository: { ...port, ...queries }, times: { pollMs, cloneMs: CLONE_MS, fetchMs: FETCH_MS }, clock, log });
}

/** The later kinds take charts from the one repository that the server was given: other addresses come from whoever may write a resource. */
function sourcesOf(mirror: Mirror, { repository }: ChartSyncOptions): ChartSources {
  return {
    mirrorOf: ({ url }) => {
      if (url === repository) return mirror;
      throw new AppError('rejected', 'the chart is not in the repository that this server takes charts from (--git-url)');
    },
    pull: async ({ name }) => {
      throw new AppError('rejected', `chart ${name} lies in a Helm repository, and charts are taken from git only`);
    },
  };
}
