import type { Mark } from '@/server/chartsync/model/declared';
import type { Deviation } from '@/server/chartsync/model/drift-policy';
import type {
  ChartAt,
  ChartContent,
  DryRunResult,
  HelmStatus,
  ReleaseRef,
  RevisionEntry,
  StoredRevision,
} from '@/server/chartsync/model/release';
import { releaseKey } from '@/server/chartsync/model/release';
import type { HelmPort, ObjectsPort, ReleaseAct, ReleaseRequest } from '@/server/chartsync/ports';
import { mergeValues } from '@/server/chartsync/values/merge';
import type { FakeGit } from './fake-git';
import type { Faults } from './faults';
import type { Action, Chart, World } from './world';
import { toContent } from './world';

const LONGEST_NAME = 53;

interface FakeHelmDeps {
  readonly given: World;
  readonly git: FakeGit;
  readonly faults: Faults;
  readonly record: (action: Action) => void;
  /** Holds the work that has just had a dry run, when a step says so. */
  readonly gate: () => Promise<void>;
  /** As long as an act takes. */
  readonly takes?: () => Promise<void>;
}

interface FakeRelease {
  antecedent: string;
  revisions: StoredRevision[];
}

/** Helm and the objects of its releases, obeying what spec/chartsync 1 says of the fake. */
export class FakeHelm implements HelmPort, ObjectsPort {
  readonly releases = new Map<string, FakeRelease>();
  mostAtOnce = 0;
  readonly #deps: FakeHelmDeps;
  readonly #busy = new Map<string, number>();
  readonly #built = new Set<string>();
  readonly #drift: Map<string, readonly { readonly object: string; readonly path: string }[]>;

  constructor(deps: FakeHelmDeps) {
    this.#deps = deps;
    const { given, git } = deps;
    this.#drift = new Map(Object.entries(given.cluster.drift ?? {}));
    const tree = git.treeAt(given.git.engineRevision ?? git.head);
    for (const { namespace, name, antecedent = '', revisions } of given.cluster.helm) {
      const stored = revisions.map(({ revision, status, chartPath = '', chart, values = {}, description }) => ({
        revision,
        status,
        ...(description === undefined ? {} : { description }),
        chart: toContent(chart ?? tree.get(chartPath) ?? {}, chartPath),
        values,
      }));
      this.releases.set(releaseKey({ namespace, name }), { antecedent, revisions: stored });
    }
  }

  newest(release: ReleaseRef): StoredRevision | undefined {
    return this.releases.get(releaseKey(release))?.revisions.at(-1);
  }

  /** Somebody else used Helm. */
  outOfBand(
    release: ReleaseRef,
    change: {
      readonly gone?: boolean;
      readonly status?: HelmStatus;
      readonly chart: ChartContent;
      readonly values: StoredRevision['values'];
    },
  ): void {
    if (change.gone) this.releases.delete(releaseKey(release));
    else this.#store(release, change.status ?? 'deployed', change);
  }

  async readNewest(release: ReleaseRef): Promise<StoredRevision | undefined> {
    this.#deps.faults.meet('readRelease', { release: release.name, namespace: release.namespace });
    return this.newest(release);
  }

  async readStates(namespace: string): Promise<ReadonlyMap<string, HelmStatus>> {
    const states = new Map<string, HelmStatus>();
    for (const [key, { revisions }] of this.releases) {
      const name = key.slice(namespace.length + 1);
      const isRead =
        key === releaseKey({ namespace, name }) && this.#deps.faults.find('readRelease', { release: name, namespace }) === undefined;
      const newest = revisions.at(-1);
      if (isRead && newest !== undefined) states.set(name, newest.status);
    }
    return states;
  }

  async readHistory(release: ReleaseRef): Promise<readonly RevisionEntry[]> {
    return [...(this.releases.get(releaseKey(release))?.revisions ?? [])];
  }

  async readRevision(release: ReleaseRef, revision: number): Promise<StoredRevision> {
    const found = this.releases.get(releaseKey(release))?.revisions.find((each) => each.revision === revision);
    if (found === undefined) throw new Error('release: not found');
    return found;
  }

  async fingerprint({ chart }: ReleaseRequest): Promise<string> {
    return chart.folder;
  }

  async factsOf({ chart }: Pick<ReleaseRequest, 'chart'>): Promise<{ readonly tree: string; readonly version: string }> {
    return { tree: JSON.stringify(this.#chartOf(chart)), version: 'v4.3.1' };
  }

  async dryRun(request: ReleaseRequest): Promise<DryRunResult> {
    return this.#alone(request.release, async () => {
      const result = this.#act('dryRun', request, () => {
        this.#refuseUpgrade(request);
        this.#meet('dryRun', request);
        return { chart: this.#chartOf(request.chart), values: this.#valuesOf(request) };
      });
      await this.#deps.gate();
      return result;
    });
  }

  async install(request: ReleaseRequest, { kept }: { readonly kept: boolean }): Promise<void> {
    await this.#alone(request.release, async () =>
      this.#act('install', request, () => {
        const newest = this.newest(request.release);
        if (newest !== undefined && !(kept && newest.status === 'uninstalled')) throw new Error('cannot reuse a name that is still in use');
        this.#release('install', request);
      }),
    );
  }

  async upgrade(request: ReleaseRequest): Promise<void> {
    await this.#alone(request.release, async () =>
      this.#act('upgrade', request, () => {
        this.#refuseUpgrade(request);
        this.#release('upgrade', request);
      }),
    );
  }

  async rollback(act: ReleaseAct, to: number): Promise<void> {
    await this.#alone(act.release, async () =>
      this.#tell({ do: 'rollback', ...act.release, to }, () => {
        this.#meet('rollback', act);
        const target = this.releases.get(releaseKey(act.release))?.revisions.find(({ revision }) => revision === to);
        if (target === undefined) throw new Error('release: not found');
        this.#store(act.release, 'deployed', target);
      }),
    );
  }

  async uninstall(act: ReleaseAct): Promise<void> {
    await this.#alone(act.release, async () =>
      this.#tell({ do: 'uninstall', ...act.release }, () => {
        this.#meet('uninstall', act);
        if (!this.releases.delete(releaseKey(act.release))) throw new Error('release: not found');
      }),
    );
  }

  async test(act: ReleaseAct): Promise<void> {
    await this.#alone(act.release, async () => this.#tell({ do: 'test', ...act.release }, () => this.#meet('test', act)));
  }

  async lacksDependencies(chart: ChartAt): Promise<boolean> {
    return this.#rawChart(chart)?.depsMissing === true && !this.#built.has(chart.folder);
  }

  async buildDependencies(chart: ChartAt): Promise<ChartAt> {
    this.#tell({ do: 'depBuild', path: chart.path, rev: chart.revision }, () => {
      this.#deps.faults.meet('depBuild', { path: chart.path });
      this.#built.add(chart.folder);
    });
    return chart;
  }

  async mark(act: ReleaseAct, { value }: Mark): Promise<void> {
    this.#tell({ do: 'annotate', ...act.release, value }, () => {
      this.#meet('annotate', act);
      const release = this.releases.get(releaseKey(act.release));
      if (release !== undefined) release.antecedent = value;
    });
  }

  async readMark({ release }: ReleaseAct): Promise<string | undefined> {
    return this.releases.get(releaseKey(release))?.antecedent || undefined;
  }

  async findDrift({ release }: ReleaseAct): Promise<readonly Deviation[]> {
    return this.#tell({ do: 'driftCheck', ...release }, () =>
      (this.#drift.get(releaseKey(release)) ?? []).map(({ object, path }) => {
        const [kind = '', name = ''] = object.split('/');
        return { object: { group: 'apps', version: 'v1', kind, name, namespace: release.namespace, labels: {}, annotations: {} }, path };
      }),
    );
  }

  async correctDrift({ release }: ReleaseAct, deviations: readonly Deviation[]): Promise<void> {
    const paths = deviations.map(({ path }) => path);
    this.#tell({ do: 'driftCorrect', ...release, paths }, () => {
      const left = (this.#drift.get(releaseKey(release)) ?? []).filter(({ path }) => !paths.includes(path));
      this.#drift.set(releaseKey(release), left);
    });
  }

  #release(on: 'install' | 'upgrade', request: ReleaseRequest): void {
    const chart = this.#chartOf(request.chart);
    const content = { chart, values: this.#valuesOf(request) };
    const fault = this.#deps.faults.find(on, { release: request.release.name, namespace: request.release.namespace });
    if (fault === undefined) {
      this.#store(request.release, 'deployed', content);
      return;
    }
    if ((fault.leaves ?? (on === 'upgrade' ? 'failed' : 'nothing')) === 'failed') this.#store(request.release, 'failed', content);
    throw new Error(fault.error);
  }

  #store(release: ReleaseRef, status: HelmStatus, { chart, values }: Pick<StoredRevision, 'chart' | 'values'>): void {
    const found = this.releases.get(releaseKey(release)) ?? { antecedent: '', revisions: [] };
    const before =
      status === 'deployed'
        ? found.revisions.map((each) => (each.status === 'deployed' ? { ...each, status: 'superseded' as const } : each))
        : found.revisions;
    found.revisions = [...before, { revision: (before.at(-1)?.revision ?? 0) + 1, status, chart, values }];
    this.releases.set(releaseKey(release), found);
  }

  #refuseUpgrade({ release }: ReleaseRequest): void {
    const newest = this.newest(release);
    if (newest === undefined) throw new Error(`"${release.name}" has no deployed releases`);
    if (newest.status.startsWith('pending-')) throw new Error('another operation (install/upgrade/rollback) is in progress');
  }

  #valuesOf({ release, values, resetValues }: ReleaseRequest): StoredRevision['values'] {
    return resetValues ? values : mergeValues(this.newest(release)?.values ?? {}, values);
  }

  #chartOf(chart: ChartAt): ChartContent {
    const raw = this.#rawChart(chart);
    if (raw === undefined) throw new Error(`path "${chart.folder}" not found`);
    if (raw.broken !== undefined) throw new Error(raw.broken);
    return toContent(raw, chart.path);
  }

  #rawChart({ folder, path, revision }: ChartAt): Chart | undefined {
    if (!folder.startsWith('pulled:')) return this.#deps.git.treeAt(revision).get(path);
    return this.#deps.given.chartRepos?.[folder.slice('pulled:'.length)]?.[path]?.[revision];
  }

  #meet(on: string, { release }: ReleaseAct): void {
    this.#deps.faults.meet(on, { release: release.name, namespace: release.namespace });
  }

  #act<Result>(kind: string, request: ReleaseRequest, act: () => Result): Result {
    const { release, chart, values, wait } = request;
    return this.#tell({ do: kind, ...release, path: chart.path, rev: chart.revision, values, wait }, () => {
      if (release.name.length > LONGEST_NAME) throw new Error(`release name "${release.name}" exceeds max length of 53`);
      return act();
    });
  }

  #tell<Result>({ name, ...action }: Action & { readonly name?: unknown }, act: () => Result): Result {
    const told = name === undefined ? action : { ...action, release: name };
    try {
      const result = act();
      this.#deps.record({ ...told, do: action.do, ok: true });
      return result;
    } catch (error) {
      this.#deps.record({ ...told, do: action.do, ok: false });
      throw error;
    }
  }

  async #alone<Result>(release: ReleaseRef, work: () => Promise<Result>): Promise<Result> {
    const key = releaseKey(release);
    const count = (this.#busy.get(key) ?? 0) + 1;
    this.#busy.set(key, count);
    this.mostAtOnce = Math.max(this.mostAtOnce, count);
    try {
      await (this.#deps.takes?.() ?? Promise.resolve()); // as long as Helm takes at least
      return await work();
    } finally {
      this.#busy.set(key, (this.#busy.get(key) ?? 1) - 1);
    }
  }
}
