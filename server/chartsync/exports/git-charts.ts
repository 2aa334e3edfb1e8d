import { messageOf } from '@/lib/contract/app-error';
import { readString } from '@/lib/kube/fields';
import { toObjectId } from '@/lib/kube/object';
import { shortRevision } from '@/lib/words/format-release';
import type { Clock, Log } from '@/server/platform';
import { TimedGitQueries } from '../loops/timed-git-queries';
import { confinedPath, describeFoundInstead } from '../model/chart-path';
import type { ExtendedRelease } from '../model/declared';
import type { GitChart } from '../model/extended-spec';
import type { ChartAt } from '../model/release';
import type { ChartSources, GitQueries } from '../ports';
import type { RetainedCharts } from './shared-exports';
import { exportKey, SharedExports } from './shared-exports';

/** The commit that a resource takes its chart from, and the source it was resolved for. */
interface RecordedHead {
  readonly source: string;
  readonly ref: string;
  readonly path: string;
  readonly head: string;
  /** Whether a gate keeps the resource there; without its gate it follows its branch from then on. */
  readonly isPinned: boolean;
}

/** Two commits, and a path that is looked at between them. */
type Range = Parameters<GitQueries['commitsBetween']>[0];

const MAX_COMPARED = 5000;

interface GitChartsDeps {
  /** Whether a gate decides where a release is, and not the head. */
  readonly isGated: (resource: ExtendedRelease) => boolean;
  readonly sources: Pick<ChartSources, 'mirrorOf'>;
  /** The branch of a chart that names none. */
  readonly defaultRef: string;
  /** How much exports may take on disk together, but for what is read. */
  readonly maxExportsBytes: number;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Charts of the later kinds from git (X-SRC-1). Each resource keeps the head it was last given, and takes its chart from there until commits
 * on its path are signalled, so that a commit that nobody has taken yet is never released by the schedule. One export serves all who share a head.
 */
export class GitCharts {
  readonly #deps: GitChartsDeps;
  readonly #git: TimedGitQueries;
  readonly #heads = new Map<string, RecordedHead>();
  /** What the branches of gated releases were at when their mirrors signalled last. */
  readonly #branches = new Map<string, string>();
  /** Those whose branch was gone upstream when their mirror signalled last. */
  readonly #gone = new Set<string>();
  /** Those whose chart has links: what these lead to changes by commits that do not touch the path. */
  readonly #linked = new Set<string>();
  /** What is exported for them. */
  readonly exports: SharedExports;
  /** Whether commits touched a path between two commits, which does not change. */
  readonly #compared = new Map<string, boolean>();

  constructor(deps: GitChartsDeps) {
    this.#deps = deps;
    this.#git = new TimedGitQueries(deps.clock);
    const named = () => new Set([...this.#heads.values()].map(({ source, head }) => exportKey(source, head)));
    this.exports = new SharedExports({ git: this.#git, named, maxBytes: deps.maxExportsBytes, log: deps.log });
  }

  /** The chart of a resource at its recorded head, or at the commit that a gate keeps it at; throws while the mirror is not ready, or when the path is no folder there. */
  async chartOf(
    resource: ExtendedRelease,
    { chart, commit, holding }: { readonly chart: GitChart; readonly commit: string | undefined; readonly holding: RetainedCharts },
    signal: AbortSignal,
  ): Promise<ChartAt> {
    const mirror = this.#deps.sources.mirrorOf(chart, resource.onBehalfOf);
    const path = confinedPath(chart.path);
    const recorded = this.#recordedFor(resource, mirror.id, chart);
    // Asked also where a head is recorded: a mirror that is not ready is told, not passed over.
    const head = await this.#git.headOf(mirror, this.#refOf(chart), signal);
    const isPinned = commit !== undefined;
    const revision = commit ?? (recorded?.isPinned ? head : (recorded?.head ?? head));
    if (recorded?.head !== revision || recorded.isPinned !== isPinned)
      this.#record(resource, { source: mirror.id, ref: this.#refOf(chart), path, head: revision, isPinned });
    const copy = await this.exports.at(mirror, revision, { holding, signal });
    if (copy.hasLinks(path)) this.#linked.add(toObjectId(resource.at));
    else this.#linked.delete(toObjectId(resource.at));
    const kind = await copy.kindOf(path);
    if (kind !== 'folder')
      throw new Error(`the repository has no folder ${path} at ${shortRevision(revision)}${describeFoundInstead(kind)}`);
    return { folder: `${copy.folder}/${path}`, path, revision };
  }

  /** Whether commits touched the chart after a commit; unknown where git cannot say, for instance because history was rewritten. */
  async changedSince(
    resource: ExtendedRelease,
    { from, chart }: { readonly from: string; readonly chart: ChartAt },
    signal: AbortSignal,
  ): Promise<'yes' | 'no' | 'unknown'> {
    if (from === chart.revision || resource.spec.chart.kind !== 'git') return 'no';
    const mirror = this.#deps.sources.mirrorOf(resource.spec.chart, resource.onBehalfOf);
    try {
      return (await this.#git.hasCommits(mirror, { from, to: chart.revision, path: chart.path }, signal)) ? 'yes' : 'no';
    } catch (error) {
      this.#deps.log.warn(
        { resource: resource.key, from, to: chart.revision, error: messageOf(error) },
        'cannot tell which commits touched the chart',
      );
      return 'unknown';
    }
  }

  /** The resources that signals of their mirrors concern: their path has new commits, or their head left the branch. Their head moves, but not that of a gated one, which is told whenever its branch moved. */
  async takeSignal(
    resources: readonly ExtendedRelease[],
    mirrors: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<readonly ExtendedRelease[]> {
    const touched: ExtendedRelease[] = [];
    for (const resource of resources) {
      if (resource.spec.chart.kind !== 'git') continue;
      try {
        if (!mirrors.has(this.#deps.sources.mirrorOf(resource.spec.chart, resource.onBehalfOf).id)) continue;
        const hasMoved = this.#deps.isGated(resource)
          ? this.#branchMoved(resource, resource.spec.chart, signal)
          : this.#advance(resource, resource.spec.chart, signal);
        // That its branch is gone, or back, is told at once, although there is nothing to release.
        const hasTurned = this.#turned(resource, resource.spec.chart);
        if ((await hasMoved) || hasTurned) touched.push(resource);
      } catch (error) {
        this.#deps.log.warn({ resource: resource.key, error: messageOf(error) }, 'could not handle an event of the mirror');
      }
    }
    return touched;
  }

  /** The resources of these mirrors whose chart could not be had when they were looked at last. */
  withoutChart(resources: readonly ExtendedRelease[], mirrors: ReadonlySet<string>): readonly ExtendedRelease[] {
    return resources.filter((resource) => {
      const { chart } = resource.spec;
      if (chart.kind !== 'git' || !mirrors.has(this.#deps.sources.mirrorOf(chart, resource.onBehalfOf).id)) return false;
      this.#branches.delete(toObjectId(resource.at)); // a gate that could not be told meanwhile is looked at again
      return readString(resource.status, 'phase') === 'ChartFetchFailed';
    });
  }

  /** Forgets the head of a resource that is gone. */
  async forget({ at }: Pick<ExtendedRelease, 'at'>): Promise<void> {
    const key = toObjectId(at);
    this.#heads.delete(key);
    this.#linked.delete(key);
    this.#branches.delete(key);
    this.#gone.delete(key);
    await this.exports.removeUnused();
  }

  /** Removes every export. */
  async clear(): Promise<void> {
    this.#heads.clear();
    await this.exports.removeUnused();
  }

  /** Whether the branch went upstream, or came back, since its mirror signalled last. */
  #turned({ at, onBehalfOf }: ExtendedRelease, chart: GitChart): boolean {
    const key = toObjectId(at);
    const isGone = this.#deps.sources.mirrorOf(chart, onBehalfOf).isGone(this.#refOf(chart));
    if (isGone === this.#gone.has(key)) return false;
    if (isGone) this.#gone.add(key);
    else this.#gone.delete(key);
    return true;
  }

  async #branchMoved(resource: ExtendedRelease, chart: GitChart, signal: AbortSignal): Promise<boolean> {
    const mirror = this.#deps.sources.mirrorOf(chart, resource.onBehalfOf);
    const ref = this.#refOf(chart);
    const now = JSON.stringify([mirror.id, ref, await this.#git.headOf(mirror, ref, signal), mirror.isGone(ref)]);
    const before = this.#branches.get(toObjectId(resource.at));
    this.#branches.set(toObjectId(resource.at), now);
    return now !== before;
  }

  async #advance(resource: ExtendedRelease, chart: GitChart, signal: AbortSignal): Promise<boolean> {
    const mirror = this.#deps.sources.mirrorOf(chart, resource.onBehalfOf);
    const head = await this.#git.headOf(mirror, this.#refOf(chart), signal);
    const recorded = this.#recordedFor(resource, mirror.id, chart);
    const path = confinedPath(chart.path);
    if (recorded?.head === head) return false;
    const isKnown = recorded !== undefined && !this.#linked.has(toObjectId(resource.at));
    if (isKnown && !(await this.#moved(mirror, { from: recorded.head, to: head, path }, signal))) return false;
    this.#record(resource, { source: mirror.id, ref: this.#refOf(chart), path, head, isPinned: false });
    await this.exports.removeUnused();
    return true;
  }

  /** Commits on either side count: after a force push the ones that are gone do. What git cannot say counts as moved. Git is asked once, however many releases share the chart. */
  async #moved(mirror: GitQueries & { readonly id: string }, { from, to, path }: Range, signal: AbortSignal): Promise<boolean> {
    const key = JSON.stringify([mirror.id, from, to, path]);
    const known = this.#compared.get(key);
    if (known !== undefined) return known;
    try {
      const moved =
        (await this.#git.hasCommits(mirror, { from, to, path }, signal)) ||
        (await this.#git.hasCommits(mirror, { from: to, to: from, path }, signal));
      if (this.#compared.size >= MAX_COMPARED) this.#compared.clear();
      this.#compared.set(key, moved);
      return moved;
    } catch (error) {
      this.#deps.log.warn({ from, to, path, error: messageOf(error) }, 'cannot tell which commits touched the chart');
      return true;
    }
  }

  /** A head counts only for the source and path that the resource names now. */
  #recordedFor({ at }: ExtendedRelease, source: string, chart: GitChart): RecordedHead | undefined {
    const recorded = this.#heads.get(toObjectId(at));
    const holds = recorded?.source === source && recorded.ref === this.#refOf(chart) && recorded.path === confinedPath(chart.path);
    return holds ? recorded : undefined;
  }

  #record({ at }: ExtendedRelease, head: RecordedHead): void {
    const key = toObjectId(at);
    if (this.#heads.has(key)) this.exports.moved();
    this.#heads.set(key, head);
  }

  #refOf(chart: GitChart): string {
    return chart.ref ?? this.#deps.defaultRef;
  }
}
