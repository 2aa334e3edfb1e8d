import { AppError, messageOf } from '@/lib/contract/app-error';
import type { Fields } from '@/lib/kube/fields';
import { shortRevision } from '@/lib/words/format-release';
import type { Clock } from '@/server/platform';
import { withTimeout } from '@/server/platform';
import { baseRequest } from '../base/base-request';
import type { LiveObjects } from '../cluster/live-objects';
import type { RevisionContent } from '../describe/compare-revisions';
import type { ListedFacts } from '../gate/commit-gate';
import type { CommitSource, CommitSources } from '../gate/commit-source';
import { commitSourceOf } from '../gate/commit-source';
import { readReleased } from '../gate/released-commit';
import type { HelmBinary } from '../helm/helm-binary';
import { secretDefaults } from '../helm/masking/chart-defaults';
import { toContents } from '../helm/storage';
import { describeFoundInstead } from '../model/chart-path';
import type { DeclaredRelease } from '../model/declared';
import type { ChartAt } from '../model/release';
import { markNondeterministic, pairRenderings } from '../plan/nondeterministic';
import type { ReleasePlanner } from '../plan/planner';
import type { ReleasePlan } from '../plan/release-plan';
import type { ApprovableCommit, ChartSources, GatePort, GitQueries, GrantPort, ReleaseRequest, WorkingCopy } from '../ports';
import { readValuesSchema } from '../sources/chart-schema';
import { extendedRequest } from '../sync/extended-request';
import type { ValuesReader } from '../values/resolve';
import type { RequestedCommit } from './charts-of-commits';
import type { ListedCommits } from './listed-commits';

const MAX_COMMITS = 50;
const GIT_LIMIT_MS = 30_000;
/** Rendered twice, and perhaps after others. */
const PLAN_LIMIT_MS = 120_000;

interface ChartRendererDeps extends CommitSources {
  readonly sources: Pick<ChartSources, 'mirrorOf' | 'pull'>;
  readonly helm: Pick<HelmBinary, 'render' | 'lacksDependencies' | 'buildDependencies' | 'readHistory' | 'readRevision'>;
  readonly live: Pick<LiveObjects, 'parse'>;
  readonly values: ValuesReader;
  readonly planner: Pick<ReleasePlanner, 'plan'>;
  readonly gate: Pick<GatePort, 'commitFor'>;
  /** What is known of commits that people approve. */
  readonly lookAtCommits: (resource: DeclaredRelease, commits: readonly string[]) => Promise<ReadonlyMap<string, ListedFacts>>;
  /** The same of one. */
  readonly approvable: (resource: DeclaredRelease, asked: RequestedCommit, signal: AbortSignal) => Promise<ApprovableCommit | undefined>;
  readonly grants: Pick<GrantPort, 'predict'>;
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
export class ChartRenderer {
  readonly #deps: ChartRendererDeps;

  constructor(deps: ChartRendererDeps) {
    this.#deps = deps;
  }

  /** The newest commits that touched the chart, and which of them what is deployed contains: one that failed waits. */
  async commits(resource: DeclaredRelease, { isGated }: { readonly isGated: boolean }): Promise<ListedCommits> {
    const { mirror, ref, path } = this.#sourceOf(resource);
    const limit = { clock: this.#deps.clock, ms: GIT_LIMIT_MS, signal: this.#deps.signal, what: 'listing the commits' };
    return withTimeout(limit, async (signal) => {
      const head = await mirror.revision(ref, signal);
      const found = await mirror.commitsOn({ head, path, most: MAX_COMMITS + 1 }, signal);
      const { isDeployed, commit: from } = await readReleased(resource, this.#deps.helm);
      const { waiting, why } =
        from === undefined
          ? { waiting: isDeployed ? ('unknown' as const) : ('all' as const), why: null }
          : await readWaiting(mirror, { from, to: head, path }, signal);
      const stateOf = (commit: string): ListedCommits['commits'][number]['state'] => {
        if (waiting === 'unknown') return waiting;
        return waiting === 'all' || waiting.includes(commit) ? 'waiting' : 'taken';
      };
      const listed = found.slice(0, MAX_COMMITS).map((one) => ({ ...one, state: stateOf(one.commit) }));
      // What is released waits all the same where other dependencies were found for it, which only the newest is.
      const asked = isGated ? listed.filter(({ state }, at) => state !== 'taken' || at === 0) : [];
      const facts = await this.#deps.lookAtCommits(
        resource,
        asked.map(({ commit }) => commit),
      );
      const commits = listed.map((one) => ({ ...one, facts: facts.get(one.commit) }));
      return { head, commits, more: found.length > MAX_COMMITS, why };
    });
  }

  /** What is known of a commit that somebody is about to approve. */
  async approvable(resource: DeclaredRelease, asked: RequestedCommit): Promise<ApprovableCommit> {
    this.#sourceOf(resource);
    const limit = { clock: this.#deps.clock, ms: PLAN_LIMIT_MS, signal: this.#deps.signal, what: 'reading the commit' };
    const facts = await withTimeout(limit, (signal) => this.#deps.approvable(resource, asked, signal));
    if (facts === undefined) throw new AppError('not-found', `the repository of the chart has no commit ${shortRevision(asked.commit)}`);
    return facts;
  }

  /** The commit that the branch of the chart is at, or the version that is pulled now. */
  async head(resource: DeclaredRelease): Promise<string> {
    const { clock, signal } = this.#deps;
    const source = commitSourceOf(resource, this.#deps);
    if (source === undefined) return (await this.#pull(resource)).revision;
    return withTimeout({ clock, ms: GIT_LIMIT_MS, signal, what: 'resolving the branch' }, (limit) =>
      source.mirror.revision(source.ref, limit),
    );
  }

  /**
   * What the chart of a commit would make of the release, with its values as they are now, rendered as the account that acts for it: twice, since
   * only that tells what the chart makes up anew each time.
   */
  async render(resource: DeclaredRelease, { commit, isNew }: At): Promise<RevisionContent> {
    const { helm, live } = this.#deps;
    await this.#requireGrant(resource);
    return this.#withChart(resource, { commit, ms: PLAN_LIMIT_MS, what: 'rendering the chart' }, async (found, signal) => {
      const request = await this.#requestOf(resource, found);
      const decoded = await helm.render(request, { isNew, signal });
      const again = await helm.render(request, { isNew, signal });
      const secrets = await secretDefaults(request.chart.folder);
      const { notes, definitions } = decoded;
      const rendered = [await live.parse(decoded.manifest), await live.parse(again.manifest)] as const;
      const { both, nameless } = pairRenderings(...rendered, resource.release.namespace);
      const objects = both.map(({ first, second }) => markNondeterministic({ first, second, before: undefined }).after);
      return { values: toContents(decoded).values, objects, nameless, notes: notes === again.notes ? notes : '', definitions, secrets };
    });
  }

  /** What releasing the resource would do now, with the chart that the engine would take. */
  async plan(resource: DeclaredRelease): Promise<ReleasePlan> {
    const { planner } = this.#deps;
    await this.#requireGrant(resource);
    const limits = { commit: await this.#commitOf(resource), ms: PLAN_LIMIT_MS, what: 'previewing the release' };
    return this.#withChart(resource, limits, async (found, signal) => planner.plan(await this.#requestOf(resource, found), signal));
  }

  /** What the chart says of the values that it takes, as its author wrote it; undefined where it says nothing. */
  async schema(resource: DeclaredRelease): Promise<Fields | undefined> {
    const limits = { commit: await this.#commitOf(resource), ms: GIT_LIMIT_MS, what: 'reading the chart' };
    return this.#withChart(resource, limits, ({ chart }) => readValuesSchema(chart));
  }

  /** The commit that a gate keeps the release at, else the head; undefined for a chart that is pulled. */
  async #commitOf(resource: DeclaredRelease): Promise<string | undefined> {
    const { gate, signal } = this.#deps;
    if (commitSourceOf(resource, this.#deps) === undefined) return undefined;
    const approved = await gate.commitFor(resource, signal);
    if (approved === null) throw new AppError('rejected', 'no commit is approved for the release, so nothing would be released');
    return approved ?? this.head(resource);
  }

  /** Helm would tell the right alone, and nothing of who gives it. */
  async #requireGrant(resource: DeclaredRelease): Promise<void> {
    const ungranted = await this.#deps.grants.predict(resource);
    if (ungranted !== undefined) throw new AppError('forbidden', ungranted);
  }

  async #withChart<Result>(
    resource: DeclaredRelease,
    { commit, ms, what }: { readonly commit: string | undefined; readonly ms: number; readonly what: string },
    task: (found: Found, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const source = commitSourceOf(resource, this.#deps);
    return withTimeout({ clock: this.#deps.clock, ms, signal: this.#deps.signal, what }, async (signal) => {
      if (source === undefined || commit === undefined) return task({ chart: await this.#pull(resource) }, signal);
      const head = await source.mirror.revision(source.ref, signal);
      const facts = await source.mirror.facts({ commit, head, path: source.path }, signal);
      if (facts === undefined) throw new AppError('not-found', `the repository of the chart has no commit ${shortRevision(commit)}`);
      const copy = await source.mirror.export(commit, signal);
      try {
        const kind = await copy.kindOf(source.path);
        if (kind !== 'folder')
          throw new AppError(
            'rejected',
            `there is no chart at ${source.path} in commit ${shortRevision(commit)}${describeFoundInstead(kind)}`,
          );
        return await task({ chart: { folder: `${copy.folder}/${source.path}`, path: source.path, revision: copy.revision }, copy }, signal);
      } finally {
        await copy.remove();
      }
    });
  }

  /** A chart of a Helm repository or registry. */
  #pull(resource: DeclaredRelease): Promise<ChartAt> {
    if (resource.profile === 'base' || resource.spec.chart.kind === 'git') throw new Error('a chart in git is not pulled');
    return this.#deps.sources.pull(resource.spec.chart, resource.onBehalfOf);
  }

  #sourceOf(resource: DeclaredRelease): CommitSource {
    const source = commitSourceOf(resource, this.#deps);
    if (source === undefined)
      throw new AppError('rejected', 'its chart comes from a Helm repository or registry: it has versions and no commits');
    return source;
  }

  async #requestOf(resource: DeclaredRelease, { chart: found, copy }: Found): Promise<ReleaseRequest> {
    const { helm, values, chartsPath, updateDeps } = this.#deps;
    if (resource.profile === 'base') {
      return baseRequest(resource, copy ?? found, { helm, values, config: { chartsPath, updateDeps: updateDeps.base } });
    }
    const { chart } = resource.spec;
    const isWhole = !updateDeps.extended || chart.kind !== 'git' || chart.skipDepUpdate || !(await helm.lacksDependencies(found));
    if (isWhole) return extendedRequest(resource, found, values);
    const access = { onBehalfOf: resource.onBehalfOf, secrets: chart.dependencySecrets };
    return extendedRequest(resource, await helm.buildDependencies(found, access), values);
  }
}

type Range = Parameters<GitQueries['commitsBetween']>[0];

/** The commits since the one that is released; where git cannot tell them, what it says: it names no credentials. */
async function readWaiting(
  mirror: Pick<GitQueries, 'commitsBetween'>,
  range: Range,
  signal: AbortSignal,
): Promise<{ readonly waiting: readonly string[] | 'unknown'; readonly why: string | null }> {
  try {
    return { waiting: await mirror.commitsBetween(range, signal), why: null };
  } catch (error) {
    return { waiting: 'unknown', why: messageOf(error) };
  }
}
