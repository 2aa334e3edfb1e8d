import { AppError } from '@/lib/contract/app-error';
import type { ReleaseCommits } from '@/lib/contract/release-comparison';
import { readString } from '@/lib/kube/fields';
import { shortRevision } from '@/lib/words/say-release';
import type { Clock } from '@/server/platform';
import { within } from '@/server/platform';
import type { LiveObjects } from '../cluster/live-objects';
import type { RevisionContent } from '../describe/compare-revisions';
import type { CommitSource, CommitSources } from '../gate/commit-source';
import { commitSourceOf } from '../gate/commit-source';
import type { HelmBinary } from '../helm/helm-binary';
import { toContents } from '../helm/storage';
import { baseRequest } from '../loops/base-request';
import type { DeclaredRelease } from '../model/declared';
import type { ChartAt } from '../model/release';
import type { ChartSources, ReleaseRequest, WorkingCopy } from '../ports';
import { extendedRequest } from '../sync/extended-request';
import type { ValuesReader } from '../values/resolve';

const MOST_COMMITS = 50;
const GIT_LIMIT_MS = 30_000;
const RENDER_LIMIT_MS = 60_000;

interface RenderDeskDeps extends CommitSources {
  readonly sources: Pick<ChartSources, 'mirrorOf' | 'pull'>;
  readonly helm: Pick<HelmBinary, 'render' | 'lacksDependencies' | 'buildDependencies'>;
  readonly live: Pick<LiveObjects, 'parse'>;
  readonly values: ValuesReader;
  /** Whether dependencies are built that do not lie in the chart, per profile. */
  readonly updateDeps: { readonly base: boolean; readonly extended: boolean };
  readonly clock: Clock;
  /** Ends what is being rendered. */
  readonly signal: AbortSignal;
}

/** Where a release is, for what is asked about its commits. */
interface At {
  readonly commit: string;
  /** Whether Helm has stored nothing of it yet. */
  readonly isNew: boolean;
}

/** A chart on disk, and the export that it lies in where it was one. */
interface Found {
  readonly chart: ChartAt;
  readonly copy?: WorkingCopy;
}

/** What commits would make of a release, by the mirrors and the Helm of this process. Nothing is changed. */
export class RenderDesk {
  readonly #deps: RenderDeskDeps;

  constructor(deps: RenderDeskDeps) {
    this.#deps = deps;
  }

  /** The newest commits that touched the chart, and which of them the release was brought to. */
  async commits(resource: DeclaredRelease): Promise<ReleaseCommits> {
    const { mirror, ref, path } = this.#sourceOf(resource);
    const limit = { clock: this.#deps.clock, ms: GIT_LIMIT_MS, signal: this.#deps.signal, what: 'listing the commits' };
    return within(limit, async (signal) => {
      const head = await mirror.revision(ref, signal);
      const found = await mirror.commitsOn({ head, path, most: MOST_COMMITS + 1 }, signal);
      const taken = takenBy(resource);
      // A commit that the mirror does not have any more was on a branch that was rewritten.
      const waiting = taken === undefined ? 'all' : await mirror.commitsBetween({ from: taken, to: head, path }, signal).catch(() => 'unknown' as const);
      const stateOf = (commit: string) => {
        if (waiting === 'unknown') return waiting;
        return waiting === 'all' || waiting.includes(commit) ? 'waiting' : 'taken';
      };
      return { head, commits: found.slice(0, MOST_COMMITS).map((one) => ({ ...one, state: stateOf(one.commit) })), more: found.length > MOST_COMMITS };
    });
  }

  /** The commit that the branch of the chart is at, or the version that is pulled now. */
  async head(resource: DeclaredRelease): Promise<string> {
    const { clock, signal } = this.#deps;
    const source = commitSourceOf(resource, this.#deps);
    if (source === undefined) return (await this.#pull(resource)).revision;
    return within({ clock, ms: GIT_LIMIT_MS, signal, what: 'resolving the branch' }, (limit) => source.mirror.revision(source.ref, limit));
  }

  /** What the chart of a commit would make of the release, with its values as they are now, rendered as the account that acts for it. */
  async render(resource: DeclaredRelease, { commit, isNew }: At): Promise<RevisionContent> {
    const source = commitSourceOf(resource, this.#deps);
    return within({ clock: this.#deps.clock, ms: RENDER_LIMIT_MS, signal: this.#deps.signal, what: 'rendering the chart' }, async (signal) => {
      if (source === undefined) return this.#renderAs(resource, { chart: await this.#pull(resource), isNew }, signal);
      const head = await source.mirror.revision(source.ref, signal);
      const facts = await source.mirror.facts({ commit, head, path: source.path }, signal);
      if (facts === undefined) throw new AppError('not-found', `the repository of the chart has no commit ${shortRevision(commit)}`);
      if (facts.chart === undefined) throw new AppError('rejected', `there is no chart at ${source.path} in commit ${shortRevision(commit)}`);
      const copy = await source.mirror.export(commit, signal);
      try {
        const chart = { folder: `${copy.folder}/${source.path}`, path: source.path, revision: copy.revision };
        return await this.#renderAs(resource, { chart, copy, isNew }, signal);
      } finally {
        await copy.remove();
      }
    });
  }

  async #renderAs(resource: DeclaredRelease, { isNew, ...found }: Found & Pick<At, 'isNew'>, signal: AbortSignal): Promise<RevisionContent> {
    const { helm, live } = this.#deps;
    const decoded = await helm.render(await this.#requestOf(resource, found), { isNew, signal });
    return { values: toContents(decoded).values, objects: await live.parse(decoded.manifest), notes: decoded.notes };
  }

  /** A chart of a Helm repository or registry. */
  #pull(resource: DeclaredRelease): Promise<ChartAt> {
    if (resource.profile === 'base' || resource.spec.chart.kind === 'git') throw new Error('a chart in git is not pulled');
    return this.#deps.sources.pull(resource.spec.chart, resource.at.namespace ?? '');
  }

  #sourceOf(resource: DeclaredRelease): CommitSource {
    const source = commitSourceOf(resource, this.#deps);
    if (source === undefined) throw new AppError('rejected', 'its chart comes from a Helm repository or registry: it has versions and no commits');
    return source;
  }

  async #requestOf(resource: DeclaredRelease, { chart: found, copy }: Found): Promise<ReleaseRequest> {
    const { helm, values, chartsPath, updateDeps } = this.#deps;
    if (resource.profile === 'base') {
      return baseRequest(resource, copy ?? found, { helm, values, config: { chartsPath, updateDeps: updateDeps.base } });
    }
    const { chart } = resource.spec;
    const isBuilt = updateDeps.extended && chart.kind === 'git' && !chart.skipDepUpdate && (await helm.lacksDependencies(found));
    return extendedRequest(resource, isBuilt ? await helm.buildDependencies(found) : found, values);
  }
}

/** The commit that was attempted last; where that failed, the one that failed. */
function takenBy({ status }: DeclaredRelease): string | undefined {
  return readString(status, 'lastAttemptedRevision') ?? readString(status, 'failure', 'revision') ?? readString(status, 'lastAct', 'revision');
}
