import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '@/lib/contract/app-error';
import type { Fields } from '@/lib/kube/fields';
import { toStableJson } from '@/lib/std/stable-json';
import type { Clock } from '@/server/platform';
import { childEnvironment, linkAbort } from '@/server/platform';
import type { HelmWorks, Purpose } from '../describe/helm-works';
import type { Identities } from '../identities';
import { actorOf } from '../identities';
import type { RollbackPolicy, TestPolicy } from '../model/extended-spec';
import type { ChartAt, DryRunResult, HelmStatus, ReleaseRef, RevisionEntry, StoredRevision } from '../model/release';
import { releaseKey } from '../model/release';
import type { HelmPort, ReleaseAct, ReleaseRequest } from '../ports';
import type { LeftGroup } from '../process/left-processes';
import { awaitGroup, WORK_VARIABLE } from '../process/left-processes';
import { OutOfMemory, runProcess } from '../process/run-process';
import { Turns } from '../process/turns';
import type { Dependencies } from '../sources/dependencies';
import { dryInstallArguments, dryRunArguments, installArguments, rollbackArguments, testArguments, uninstallArguments, upgradeArguments } from './arguments';
import { digestTree, hasDependencies, missingDependencies } from './chart-tree';
import type { DecodedRelease, Decoder } from './decoder';
import type { FoundHelm } from './find-helm';
import { readLogLine, sentenceOf } from './log-line';
import { maskerOf, maskValues } from './mask-values';
import type { HelmStorage } from './storage';
import { toContents } from './storage';

const NAME = /^[a-z0-9](?:[-.a-z0-9]*[a-z0-9])?$/;
/** More charts than anybody has at one commit; older ones are read again. */
const MOST_CHARTS = 2000;
const MAX_BYTES = 64 * 1024 * 1024;
/** Helm cleans up when it is asked to end; killed, it leaves the release pending. */
const GRACE_MS = 30_000;
const MAX_LINE = 500;

export interface HelmBinaryDeps {
  readonly found: FoundHelm;
  readonly storage: HelmStorage;
  readonly decoder: Decoder;
  /** Helm's homes, and nothing else. */
  readonly folder: string;
  readonly identities: Pick<Identities, 'kubeconfigFor' | 'accountOf'>;
  readonly turns: Turns;
  /** What one Helm may hold of memory. */
  readonly maxMemory: number;
  readonly dependencies: Pick<Dependencies, 'build'>;
  /** Hears how long each took. */
  readonly ran?: (command: string, result: 'done' | 'failed', ms: number) => void;
  /** Where it tells what it does. */
  readonly works: HelmWorks;
  /** Ends every Helm that runs. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** A Helm that runs. */
interface Running {
  readonly command: string;
  readonly ending: AbortController;
  readonly ended: Promise<void>;
}

/** What is known of a chart's folder, which does not change once it is exported. */
interface ChartFacts {
  readonly tree: string;
  readonly hasDependencies: boolean;
}

/** What Helm is to do, and whether it changes the release by it. */
interface HelmRun {
  readonly args: readonly string[];
  readonly values?: Fields;
  readonly purpose?: Purpose;
}

interface HelmCall {
  readonly args: readonly string[];
  readonly values: Fields;
  readonly onLine: (line: string) => void;
}

/** Helm by its binary; what it stored is read from storage, not asked of it. */
export class HelmBinary implements HelmPort {
  readonly #deps: HelmBinaryDeps;
  readonly #charts = new Map<string, Promise<ChartFacts>>();
  readonly #running = new Map<string, Running>();
  readonly #renders = new Turns(1);

  constructor(deps: HelmBinaryDeps) {
    this.#deps = deps;
  }

  async readNewest(release: ReleaseRef): Promise<StoredRevision | undefined> {
    demandName(release);
    return this.#deps.storage.readLatest(release);
  }

  readStates(namespace: string): Promise<ReadonlyMap<string, HelmStatus>> {
    return this.#deps.storage.readStates(namespace);
  }

  async readHistory(release: ReleaseRef): Promise<readonly RevisionEntry[]> {
    demandName(release);
    return this.#deps.storage.readHistory(release);
  }

  async readRevision(release: ReleaseRef, revision: number): Promise<StoredRevision> {
    demandName(release);
    return this.#deps.storage.readRevision(release, revision);
  }

  async fingerprint(request: ReleaseRequest): Promise<string> {
    const { tree, version } = await this.factsOf(request);
    return toStableJson([tree, this.#deps.found.command, version, actorOf(this.#deps.identities, request.onBehalfOf), request.resetValues]);
  }

  /** The digest of the chart with its dependencies, and which Helm releases it. */
  async factsOf({ chart }: Pick<ReleaseRequest, 'chart'>): Promise<{ readonly tree: string; readonly version: string }> {
    return { tree: (await this.#factsOf(chart)).tree, version: this.#deps.found.version };
  }

  async dryRun(request: ReleaseRequest): Promise<DryRunResult> {
    const text = await this.#runRequest(request, dryRunArguments(request), 'look');
    const contents = toContents(await this.#deps.decoder.decode({ kind: 'json', text }));
    const facts = await this.#factsOf(request.chart);
    return facts.hasDependencies ? { ...contents, treeDigest: facts.tree } : contents;
  }

  /**
   * What an upgrade would make, or an install where nothing is stored: rendered on the server, and not made. One at a time, so that people who
   * look leave the engine its turns; nothing is told to be under way.
   */
  async render(request: ReleaseRequest, { isNew, signal }: { readonly isNew: boolean; readonly signal: AbortSignal }): Promise<DecodedRelease> {
    await this.#factsOf(request.chart);
    const call = { args: isNew ? dryInstallArguments(request) : dryRunArguments(request), values: request.values, onLine: () => undefined };
    return this.#renders.run(async () => {
      signal.throwIfAborted(); // whoever asked did not wait for their turn
      return this.#deps.decoder.decode({ kind: 'json', text: await this.#start(request, call, signal) });
    });
  }

  async install(request: ReleaseRequest, { kept }: { readonly kept: boolean }): Promise<void> {
    await this.#runRequest(request, installArguments(request, { kept, ...(await this.#actOptions(request)) }));
  }

  async upgrade(request: ReleaseRequest): Promise<void> {
    await this.#runRequest(request, upgradeArguments(request, await this.#actOptions(request)));
  }

  async rollback(act: ReleaseAct, to: number, policy: RollbackPolicy): Promise<void> {
    await this.#run(act, { args: rollbackArguments(act.release, { to, policy, major: this.#deps.found.major }) });
  }

  async uninstall(act: ReleaseAct): Promise<void> {
    await this.#run(act, { args: uninstallArguments(act.release) });
  }

  async test(act: ReleaseAct, policy: TestPolicy): Promise<void> {
    await this.#run(act, { args: testArguments(act.release, policy) });
  }

  /** Asks what Helm does to a release to end, and resolves when it has; undefined where nothing is under way. */
  async cancel(release: ReleaseRef, why: string): Promise<string | undefined> {
    const running = this.#running.get(releaseKey(release));
    if (running === undefined) return undefined;
    running.ending.abort(new AppError('rejected', why));
    await running.ended;
    return running.command;
  }

  /** Waits for the end of what a server that was killed had begun; meanwhile it is told as under way, and can be cancelled. */
  async adopt(release: ReleaseRef, { group, work }: LeftGroup): Promise<void> {
    const { clock } = this.#deps;
    await this.#underWay(release, { command: work?.command ?? 'helm', purpose: 'act' }, (signal) => awaitGroup(group, { clock, graceMs: GRACE_MS, signal }));
  }

  async lacksDependencies(chart: ChartAt): Promise<boolean> {
    return (await missingDependencies(chart)).length > 0;
  }

  /** By us: Helm would fetch them from wherever the chart says. */
  buildDependencies(chart: ChartAt): Promise<ChartAt> {
    return this.#deps.dependencies.build(chart);
  }

  async #actOptions({ chart }: ReleaseRequest) {
    return { major: this.#deps.found.major, description: (await this.#factsOf(chart)).tree };
  }

  #factsOf(chart: ChartAt): Promise<ChartFacts> {
    const { folder } = chart;
    const known = this.#charts.get(folder) ?? readFacts(chart);
    this.#charts.set(folder, known);
    known.catch(() => this.#charts.delete(folder)); // whoever waits hears of it; the next one tries again
    if (this.#charts.size > MOST_CHARTS) this.#charts.delete(this.#charts.keys().next().value ?? '');
    return known;
  }

  async #runRequest(request: ReleaseRequest, args: readonly string[], purpose: Purpose = 'act'): Promise<string> {
    await this.#factsOf(request.chart); // which no Helm is given that has no end
    return this.#run(request, { args, values: request.values, purpose });
  }

  async #run({ onBehalfOf, release }: ReleaseAct, { args, values = {}, purpose = 'act' }: HelmRun): Promise<string> {
    const { turns, works } = this.#deps;
    demandName(release);
    const mask = maskerOf(values);
    const onLine = (line: string) => works.say(release, mask(readLogLine(line)).slice(0, MAX_LINE));
    // Not with --debug, which tells each step: what writes dies of a broken pipe when the server does, and leaves the release pending.
    const call = { args, values, onLine };
    return this.#underWay(release, { command: args[0] ?? 'helm', purpose }, (signal) => turns.run(() => this.#start({ release, onBehalfOf }, call, signal)));
  }

  async #start({ onBehalfOf, release }: ReleaseAct, { args, values, onLine }: HelmCall, signal: AbortSignal): Promise<string> {
    const { found, clock, folder, maxMemory, identities } = this.#deps;
    demandName(release);
    const [KUBECONFIG, env] = await Promise.all([identities.kubeconfigFor(onBehalfOf), this.#environment()]);
    const command = args[0] ?? 'helm';
    const work = `${command} ${release.namespace} ${release.name}`;
    const call = { command: found.command, args, env: { ...env, KUBECONFIG, [WORK_VARIABLE]: work }, cwd: folder, input: JSON.stringify(values) };
    const limits = { maxBytes: MAX_BYTES, graceMs: GRACE_MS, maxMemory };
    const since = clock.now();
    const tell = (result: 'done' | 'failed') => this.#deps.ran?.(command, result, clock.now() - since);
    const running = runProcess({ ...call, ...limits, onLine, signal, clock });
    const { code, stdout, stderr } = await running.catch((error: unknown) => {
      tell('failed');
      return this.#tellEnd(error, release, command);
    });
    tell(code === 0 ? 'done' : 'failed');
    if (code !== 0) throw new AppError('rejected', maskValues(sentenceOf(stderr, command), values));
    return stdout;
  }

  /** While it runs it is told, and can be cancelled. */
  async #underWay<Result>(
    release: ReleaseRef,
    { command, purpose }: { readonly command: string; readonly purpose: Purpose },
    task: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const { works, signal } = this.#deps;
    const key = releaseKey(release);
    const { controller: ending, release: unlink } = linkAbort(signal);
    let tellEnded: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      tellEnded = resolve;
    });
    const running = { command, ending, ended };
    this.#running.set(key, running);
    works.begin(release, command, purpose);
    try {
      return await task(ending.signal);
    } finally {
      unlink();
      if (this.#running.get(key) === running) this.#running.delete(key);
      works.end(release);
      tellEnded();
    }
  }

  async #environment(): Promise<Readonly<Record<string, string>>> {
    const { folder } = this.#deps;
    const at = (name: string) => path.join(folder, name);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const homes = { HOME: folder, HELM_CACHE_HOME: at('cache'), HELM_CONFIG_HOME: at('config'), HELM_DATA_HOME: at('data'), HELM_PLUGINS: at('no-plugins') };
    // Above that the collector works for its life: what remains is for what it cannot collect.
    return { ...childEnvironment(), ...homes, GOMEMLIMIT: String(Math.floor((this.#deps.maxMemory * 3) / 4)) };
  }

  /** A Helm that was ended for its memory says nothing any more: what it left of the release is told for it. */
  async #tellEnd(error: unknown, release: ReleaseRef, command: string): Promise<never> {
    if (!(error instanceof OutOfMemory)) throw error;
    const newest = (await this.readHistory(release).catch(() => [])).at(-1); // what is told anyway is that Helm was ended
    const left = newest?.status.startsWith('pending') ? `; release ${release.name} is left ${newest.status} at revision ${newest.revision}` : '';
    throw new AppError('too-large', `helm ${command}: ${error.message} (--helm-memory)${left}`, { cause: error });
  }
}

/** A name stands where Helm takes options as well, so it is one or nothing is run. That it is too long Helm says itself. */
function demandName({ name, namespace }: ReleaseRef): void {
  for (const [what, text] of [
    ['release', name],
    ['namespace', namespace],
  ])
    if (!NAME.test(text ?? '')) throw new AppError('invalid', `${JSON.stringify(text)} is no name of a ${what}: lower case letters, digits, dots and dashes`);
}

async function readFacts(chart: ChartAt): Promise<ChartFacts> {
  const { folder, path: within, revision } = chart;
  // What cannot be looked at is told as not there.
  if ((await stat(folder).catch(() => undefined))?.isDirectory()) return { tree: await digestTree(folder), hasDependencies: await hasDependencies(chart) };
  throw new AppError('not-found', `there is no chart at ${within} of ${revision}`);
}
