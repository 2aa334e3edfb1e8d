import { stat } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '@/lib/contract/app-error';
import { toStableJson } from '@/lib/std/stable-json';
import { shortRevision } from '@/lib/words/format-release';
import type { UnderWay } from '../decisions/cancellations';
import type { Identities } from '../identities';
import { actorOf } from '../identities';
import { describeFoundInstead } from '../model/chart-path';
import type { DependencyAccess } from '../model/dependency-secrets';
import type { RollbackPolicy, TestPolicy } from '../model/extended-spec';
import type { ChartAt, DryRunResult, FetchedDependency, HelmStatus, ReleaseRef, RevisionEntry, StoredRevision } from '../model/release';
import type { RevisionSource } from '../model/revision-source';
import { toRevisionDescription } from '../model/revision-source';
import type { HelmPort, ReleaseAct, ReleaseRequest } from '../ports';
import type { OrphanedProcessGroup } from '../process/orphaned-processes';
import type { Dependencies } from '../sources/dependencies';
import {
  dryInstallArguments,
  dryRunArguments,
  installArguments,
  rollbackArguments,
  testArguments,
  uninstallArguments,
  upgradeArguments,
} from './arguments';
import { digestTree, hasDependencies, missingDependencies } from './chart-tree';
import type { DecodedRelease, Decoder } from './decoder';
import type { HelmRunsDeps } from './helm-runs';
import { HelmRuns } from './helm-runs';
import { OrphanedLogs } from './log/orphaned-logs';
import { StepLogs } from './log/step-logs';
import { requireName } from './release-name';
import type { HelmStorage } from './storage';
import { toContents } from './storage';
import type { StoredReleases } from './stored-releases';

/** More charts than anybody has at one commit; older ones are read again. */
const MAX_CHARTS = 2000;

export interface HelmBinaryDeps extends HelmRunsDeps {
  readonly storage: HelmStorage;
  /** What is watched of it. */
  readonly stored?: Pick<StoredReleases, 'statesIn'>;
  readonly decoder: Decoder;
  readonly identities: Pick<Identities, 'kubeconfigFor' | 'accountOf'>;
  readonly dependencies: Pick<Dependencies, 'build'>;
  /** Whether a namespace is there; none is known to be when absent. */
  readonly hasNamespace?: (name: string) => Promise<boolean>;
}

/** What is known of a chart's folder, which does not change once it is exported. */
interface ChartFacts {
  readonly tree: string;
  readonly hasDependencies: boolean;
}

/** Helm by its binary; what it stored is read from storage, not asked of it. */
export class HelmBinary implements HelmPort {
  readonly #deps: HelmBinaryDeps;
  readonly #charts = new Map<string, Promise<ChartFacts>>();
  readonly #runs: HelmRuns;
  readonly #left: OrphanedLogs;

  constructor(deps: HelmBinaryDeps) {
    this.#deps = deps;
    const steps = new StepLogs(path.join(deps.folder, 'logs'));
    this.#left = new OrphanedLogs({ ...deps, steps });
    this.#runs = new HelmRuns(deps, { steps, left: this.#left });
  }

  async readNewest(release: ReleaseRef): Promise<StoredRevision | undefined> {
    requireName(release);
    return this.#deps.storage.readLatest(release);
  }

  async readStates(namespace: string): Promise<ReadonlyMap<string, HelmStatus>> {
    return this.#deps.stored?.statesIn(namespace, this.#deps.clock.now()) ?? this.#deps.storage.readStates(namespace);
  }

  async readHistory(release: ReleaseRef): Promise<readonly RevisionEntry[]> {
    requireName(release);
    return this.#deps.storage.readHistory(release);
  }

  async readRevision(release: ReleaseRef, revision: number): Promise<StoredRevision> {
    requireName(release);
    return this.#deps.storage.readRevision(release, revision);
  }

  async fingerprint(request: ReleaseRequest): Promise<string> {
    const { tree, version } = await this.factsOf(request);
    return toStableJson([tree, this.#deps.found.command, version, actorOf(this.#deps.identities, request.onBehalfOf), request.resetValues]);
  }

  async factsOf({ chart }: Pick<ReleaseRequest, 'chart'>): Promise<{ readonly tree: string; readonly version: string }> {
    return { tree: (await this.#factsOf(chart)).tree, version: this.#deps.found.version };
  }

  async dryRun(request: ReleaseRequest): Promise<DryRunResult> {
    const text = await this.#runRequest(request, dryRunArguments(request), 'dry-run');
    const contents = toContents(await this.#deps.decoder.decode({ kind: 'json', text }));
    const facts = await this.#factsOf(request.chart);
    return facts.hasDependencies ? { ...contents, treeDigest: facts.tree } : contents;
  }

  /**
   * What an upgrade would make, or an install where nothing is stored: rendered on the server, and not made. One at a time, so that people who
   * look leave the engine its turns; nothing is told to be under way.
   */
  async render(
    request: ReleaseRequest,
    { isNew, signal }: { readonly isNew: boolean; readonly signal: AbortSignal },
  ): Promise<DecodedRelease> {
    await this.#factsOf(request.chart);
    const args = isNew ? dryInstallArguments(request) : dryRunArguments(request);
    const call = { args, values: request.values, chart: request.chart.folder };
    return this.#deps.dryRunSlots.run(async () => {
      signal.throwIfAborted(); // whoever asked did not wait for their turn
      return this.#deps.decoder.decode({ kind: 'json', text: await this.#runs.render(request, call, signal) });
    });
  }

  async install(request: ReleaseRequest, { kept }: { readonly kept: boolean }): Promise<void> {
    // Helm would create one that is there as well, which only those may who may create namespaces.
    const isThere = request.createNamespace && (await this.#deps.hasNamespace?.(request.release.namespace)) === true;
    const wanted = isThere ? { ...request, createNamespace: false } : request;
    await this.#runRequest(wanted, installArguments(wanted, { kept, ...(await this.#actOptions(request)) }));
  }

  async upgrade(request: ReleaseRequest): Promise<void> {
    await this.#runRequest(request, upgradeArguments(request, await this.#actOptions(request)));
  }

  async rollback(act: ReleaseAct, to: number, policy: RollbackPolicy): Promise<void> {
    await this.#runs.run(act, { args: rollbackArguments(act.release, { to, policy, major: this.#deps.found.major }), to });
  }

  async uninstall(act: ReleaseAct, { hooks } = { hooks: true }): Promise<void> {
    await this.#runs.run(act, { args: uninstallArguments(act.release, { hooks }) });
  }

  async test(request: ReleaseRequest, policy: TestPolicy): Promise<void> {
    await this.#runs.run(request, { args: testArguments(request.release, policy), madeFrom: await this.#madeFrom(request) });
  }

  /** What Helm does to a release now; undefined where nothing is under way. */
  underWay(release: ReleaseRef): UnderWay | undefined {
    return this.#runs.underWay(release);
  }

  /** Waits for the end of what a server that was killed had begun. */
  adopt(release: ReleaseRef, left: OrphanedProcessGroup): Promise<void> {
    return this.#runs.adopt(release, left);
  }

  /** Tells what was logged by every Helm of an earlier server that runs no more: all but those of some releases. */
  takeLogs(running: ReadonlySet<string>): Promise<void> {
    return this.#left.take(running);
  }

  async lacksDependencies(chart: ChartAt): Promise<boolean> {
    return (await missingDependencies(chart)).length > 0;
  }

  /** By us: Helm would fetch them from wherever the chart says. */
  buildDependencies(chart: ChartAt, access: DependencyAccess, wanted?: readonly FetchedDependency[]): Promise<ChartAt> {
    return this.#deps.dependencies.build(chart, access, wanted);
  }

  async #actOptions({ chart }: ReleaseRequest) {
    return { major: this.#deps.found.major, description: toRevisionDescription((await this.#factsOf(chart)).tree, chart.revision) };
  }

  #factsOf(chart: ChartAt): Promise<ChartFacts> {
    const { folder } = chart;
    const known = this.#charts.get(folder) ?? readFacts(chart);
    this.#charts.set(folder, known);
    known.catch(() => this.#charts.delete(folder)); // whoever waits hears of it; the next one tries again
    if (this.#charts.size > MAX_CHARTS) this.#charts.delete(this.#charts.keys().next().value ?? '');
    return known;
  }

  async #runRequest(request: ReleaseRequest, args: readonly string[], purpose: 'change' | 'dry-run' = 'change'): Promise<string> {
    const { chart, values } = request;
    const madeFrom = await this.#madeFrom(request);
    const mayBegin = purpose === 'change' && request.mayBegin !== undefined ? { mayBegin: request.mayBegin } : {};
    return this.#runs.run(request, { args, values, chart: chart.folder, madeFrom, purpose, ...mayBegin });
  }

  async #madeFrom({ chart, generation }: Pick<ReleaseRequest, 'chart' | 'generation'>): Promise<RevisionSource> {
    const { tree } = await this.#factsOf(chart); // which no Helm is given that has no end
    return { revision: chart.revision, chart: tree, generation };
  }
}

async function readFacts(chart: ChartAt): Promise<ChartFacts> {
  const { folder, path: within, revision, instead } = chart;
  // What cannot be looked at is told as not there.
  if ((await stat(folder).catch(() => undefined))?.isDirectory())
    return { tree: await digestTree(folder), hasDependencies: await hasDependencies(chart) };
  throw new AppError('not-found', `there is no chart at ${within} of ${shortRevision(revision)}${describeFoundInstead(instead)}`);
}
