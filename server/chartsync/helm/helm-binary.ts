import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '@/lib/contract/app-error';
import type { Fields } from '@/lib/kube/fields';
import { toStableJson } from '@/lib/std/stable-json';
import type { Clock } from '@/server/platform';
import { childEnvironment } from '@/server/platform';
import type { RollbackPolicy, TestPolicy } from '../model/extended-spec';
import type { ChartAt, DryRunResult, HelmStatus, ReleaseRef, RevisionEntry, StoredRevision } from '../model/release';
import type { HelmPort, ReleaseAct, ReleaseRequest } from '../ports';
import { runProcess } from '../process/run-process';
import type { Turns } from '../process/turns';
import { dryRunArguments, installArguments, rollbackArguments, testArguments, uninstallArguments, upgradeArguments } from './arguments';
import { digestTree, hasDependencies, missingDependencies } from './chart-tree';
import type { Decoder } from './decoder';
import type { FoundHelm } from './find-helm';
import { maskValues } from './mask-values';
import type { HelmStorage } from './storage';
import { toContents } from './storage';

/** More charts than anybody has at one commit; older ones are read again. */
const MOST_TREES = 2000;
const MAX_BYTES = 64 * 1024 * 1024;
/** Helm cleans up when it is asked to end; killed, it leaves the release pending. */
const GRACE_MS = 30_000;

export interface HelmBinaryDeps {
  readonly found: FoundHelm;
  readonly storage: HelmStorage;
  readonly decoder: Decoder;
  /** Helm's homes, and nothing else. */
  readonly folder: string;
  /** A kubeconfig, readable by this process only, as whom Helm acts for a resource of a namespace. */
  readonly kubeconfigFor: (namespace: string) => Promise<string>;
  readonly turns: Turns;
  /** Ends every Helm that runs. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** Helm by its binary; what it stored is read from storage, not asked of it. */
export class HelmBinary implements HelmPort {
  readonly #deps: HelmBinaryDeps;
  readonly #trees = new Map<string, Promise<string>>();

  constructor(deps: HelmBinaryDeps) {
    this.#deps = deps;
  }

  async readNewest(release: ReleaseRef): Promise<StoredRevision | undefined> {
    const newest = (await this.readHistory(release)).at(-1);
    return newest && this.readRevision(release, newest.revision);
  }

  readStates(namespace: string): Promise<ReadonlyMap<string, HelmStatus>> {
    return this.#deps.storage.readStates(namespace);
  }

  readHistory(release: ReleaseRef): Promise<readonly RevisionEntry[]> {
    return this.#deps.storage.readHistory(release);
  }

  readRevision(release: ReleaseRef, revision: number): Promise<StoredRevision> {
    return this.#deps.storage.readRevision(release, revision);
  }

  async fingerprint({ chart, onBehalfOf, resetValues }: ReleaseRequest): Promise<string> {
    const { version, command } = this.#deps.found;
    return toStableJson([await this.#treeOf(chart), command, version, onBehalfOf, resetValues]);
  }

  async dryRun(request: ReleaseRequest): Promise<DryRunResult> {
    const text = await this.#runRequest(request, dryRunArguments(request));
    const contents = toContents(await this.#deps.decoder.decode({ kind: 'json', text }));
    return (await hasDependencies(request.chart)) ? { ...contents, treeDigest: await this.#treeOf(request.chart) } : contents;
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

  async lacksDependencies(chart: ChartAt): Promise<boolean> {
    return (await missingDependencies(chart)).length > 0;
  }

  /** Helm would fetch them from wherever the chart says, so for now they have to be there. */
  async buildDependencies(chart: ChartAt): Promise<void> {
    const names = (await missingDependencies(chart)).map(({ name }) => name).join(', ');
    throw new AppError('rejected', `chart ${chart.path} declares dependencies that do not lie in its charts folder: ${names}; commit them there`);
  }

  async #actOptions({ chart }: ReleaseRequest) {
    return { major: this.#deps.found.major, description: await this.#treeOf(chart) };
  }

  /** Of a chart's folder, which does not change once it is exported. */
  #treeOf({ folder }: ChartAt): Promise<string> {
    const known = this.#trees.get(folder) ?? digestTree(folder);
    this.#trees.set(folder, known);
    known.catch(() => this.#trees.delete(folder));
    if (this.#trees.size > MOST_TREES) this.#trees.delete(this.#trees.keys().next().value ?? '');
    return known;
  }

  #runRequest(request: ReleaseRequest, args: readonly string[]): Promise<string> {
    return this.#run(request, { args, values: request.values });
  }

  async #run({ onBehalfOf }: ReleaseAct, { args, values = {} }: { readonly args: readonly string[]; readonly values?: Fields }): Promise<string> {
    const { found, turns, signal, clock, folder, kubeconfigFor } = this.#deps;
    const KUBECONFIG = await kubeconfigFor(onBehalfOf);
    const env = await this.#environment();
    return turns.run(async () => {
      const call = { command: found.command, args, env: { ...env, KUBECONFIG }, cwd: folder, input: JSON.stringify(values) };
      const { code, stdout, stderr } = await runProcess({ ...call, signal, clock, maxBytes: MAX_BYTES, graceMs: GRACE_MS });
      if (code !== 0) throw new AppError('rejected', maskValues(sentenceOf(stderr, args[0] ?? 'helm'), values));
      return stdout;
    });
  }

  async #environment(): Promise<Readonly<Record<string, string>>> {
    const { folder } = this.#deps;
    const at = (name: string) => path.join(folder, name);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const homes = { HOME: folder, HELM_CACHE_HOME: at('cache'), HELM_CONFIG_HOME: at('config'), HELM_DATA_HOME: at('data'), HELM_PLUGINS: at('no-plugins') };
    // What a chart of many templates may take before the collector works for its life.
    return { ...childEnvironment(), ...homes, GOMEMLIMIT: '768MiB' };
  }
}

/** Helm's last word, which is the error; what comes before are log lines. */
function sentenceOf(stderr: string, command: string): string {
  const at = stderr.lastIndexOf('Error: ');
  const text = (at < 0 ? stderr : stderr.slice(at + 'Error: '.length)).trim().slice(0, 2000);
  return text === '' ? `helm ${command} failed without saying why` : text;
}
