import { AppError, messageOf } from '@/lib/contract/app-error';
import type { KeptGate } from '@/lib/contract/release-gate';
import { readString } from '@/lib/kube/fields';
import { deepEqual } from '@/lib/std/deep-equal';
import { toIso } from '@/lib/std/instant';
import { formatRelease } from '@/lib/words/format-release';
import type { Clock, Log } from '@/server/platform';
import { withTimeout } from '@/server/platform';
import type { DeclaredRelease, ExtendedRelease } from '../model/declared';
import type { FetchedDependency } from '../model/release';
import type { ApprovableCommit, ChartSources, GatedChart, GatePort, Pulled } from '../ports';
import type { RequestedCommit } from '../preview/charts-of-commits';
import { ArchiveGate } from './archive-gate';
import type { FindDependencies } from './chart-identity';
import { identifyChart, treeOf } from './chart-identity';
import type { CommitSource, CommitSources } from './commit-source';
import { commitSourceOf } from './commit-source';
import { allowedWith } from './dependency-gate';
import type { Gates } from './gates';
import { waitingSince } from './waiting-since';

const GIT_LIMIT_MS = 30_000;

/** What is known of a commit of the branch, without the commit that touched its chart last: it is that. */
export type ListedFacts = Omit<ApprovableCommit, 'last'>;

interface CommitGateDeps extends CommitSources {
  readonly gates: Gates;
  readonly sources: Pick<ChartSources, 'mirrorOf' | 'pull'>;
  readonly dependenciesOf: FindDependencies;
  /** The commit that a release is at, by what is told or stored of it. */
  readonly releasedAt: (resource: DeclaredRelease) => Promise<string | undefined>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The gate before commits.
 *
 * 1. A gated release is at the last commit that was approved for it, and nowhere before the first.
 * 2. An approval counts for a commit of the branch, and is void for good once the branch was seen without it before the release was there: also between
 *    the look that decided and the moment that Helm begins. A release that is there stays, kept by a ref of ours; a force push does not move it.
 * 3. While the mirror cannot be asked, the release stays at the commit that was found good before.
 * 4. What its chart depends on and does not hold is approved with the commit; `allowedWith` keeps the release to that.
 * 5. A chart that is pulled has no commits: of its archives `ArchiveGate` tells which one the release may be at.
 */
export class CommitGate implements GatePort {
  readonly #deps: CommitGateDeps;
  readonly #archives: ArchiveGate;
  readonly #found = new Map<string, string>();

  constructor(deps: CommitGateDeps) {
    this.#deps = deps;
    this.#archives = new ArchiveGate(deps);
  }

  async commitFor(resource: DeclaredRelease, signal: AbortSignal): Promise<string | null | undefined> {
    const gate = await this.#deps.gates.enter(resource);
    if (gate === undefined) {
      this.#found.delete(resource.uid);
      return undefined;
    }
    const source = commitSourceOf(resource, this.#deps);
    if (source === undefined) return this.#withoutCommits(resource);
    try {
      return await this.#look(resource, { gate, source }, signal);
    } catch (error) {
      const found = this.#found.get(resource.uid);
      if (found === undefined || found !== gate.approved?.commit) throw error;
      this.#deps.log.warn(
        { resource: resource.key, error: messageOf(error) },
        'could not list the commits of a gated release; it stays at its commit',
      );
      return found;
    }
  }

  async requireCommit(resource: DeclaredRelease, commit: string, signal: AbortSignal): Promise<void> {
    const source = this.isGated(resource) ? commitSourceOf(resource, this.#deps) : undefined;
    if (source === undefined || (await this.#deps.releasedAt(resource)) === commit) return;
    await this.#ask('fetching the branch', signal, (limit) => source.mirror.fetched(limit)).catch((error: unknown) =>
      this.#deps.log.warn({ resource: resource.key, error: messageOf(error) }, 'could not fetch the branch of an approved commit'),
    );
    const now = await this.commitFor(resource, signal);
    if (now === undefined || now === commit) return;
    throw new AppError('rejected', formatRelease({ id: now === null ? 'gate.void' : 'gate.moved', commit }));
  }

  async lostWhileHeld(resource: DeclaredRelease, signal: AbortSignal): Promise<string | undefined> {
    try {
      if (this.isGated(resource)) await this.commitFor(resource, signal);
      const [source, commit] = [commitSourceOf(resource, this.#deps), await this.#deps.releasedAt(resource)];
      if (source === undefined || commit === undefined || source.mirror.isGone(source.ref)) return undefined;
      const { mirror, ref, path } = source;
      const facts = await this.#ask('looking for the commit of a held release', signal, async (limit) =>
        mirror.facts({ commit, head: await mirror.revision(ref, limit), path }, limit),
      );
      return facts?.isOnBranch === true ? undefined : commit;
    } catch (error) {
      this.#deps.log.debug({ resource: resource.key, error: messageOf(error) }, 'could not look for the commit of a held release');
      return readString(resource.status, 'lostCommit', 'commit'); // what was found before stands
    }
  }

  /** What is known of a commit that somebody approves; undefined for one that the mirror does not have. */
  async look(
    resource: DeclaredRelease,
    { commit, approved }: { readonly commit: string; readonly approved: string | undefined },
    signal: AbortSignal,
  ): Promise<ApprovableCommit | undefined> {
    const source = commitSourceOf(resource, this.#deps);
    if (source === undefined) return undefined;
    const { mirror, ref, path } = source;
    return this.#ask('reading the commit', signal, async (limit) => {
      const head = await mirror.revision(ref, limit);
      const facts = await mirror.facts({ commit, head, path }, limit);
      if (facts === undefined) return undefined;
      if (mirror.isGone(ref)) return { ...facts, isOnBranch: false, lacks: undefined };
      // One that the branch does not contain any more is followed by whatever the branch has.
      const contains = async (inner: string, outer: string) =>
        (await mirror.facts({ commit: inner, head: outer, path }, limit))?.isOnBranch === true;
      const isLacking = approved !== undefined && (await contains(approved, head)) && !(await contains(approved, commit));
      return { ...facts, lacks: isLacking ? approved : undefined };
    });
  }

  /** The same of several commits of the branch, by their charts alone. */
  async lookAtAll(
    resource: DeclaredRelease,
    { commits, approved }: { readonly commits: readonly string[]; readonly approved: string | undefined },
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, ListedFacts>> {
    const source = commitSourceOf(resource, this.#deps);
    if (source === undefined || commits.length === 0) return new Map();
    const { mirror, ref, path } = source;
    return this.#ask('reading the commits', signal, async (limit) => {
      const head = await mirror.revision(ref, limit);
      const known = approved === undefined ? undefined : await mirror.facts({ commit: approved, head, path }, limit);
      const base = known?.isOnBranch === true ? approved : undefined;
      const found = await mirror.charts({ commits, head, path, base }, limit);
      const isOnBranch = !mirror.isGone(ref);
      return new Map(
        found.map(({ commit, chart, containsBase }) => [commit, { chart, isOnBranch, lacks: containsBase ? undefined : base }]),
      );
    });
  }

  /** The same, with the dependencies that its chart has now where it is on the branch; throws while they cannot be fetched. */
  async approvable(
    resource: DeclaredRelease,
    asked: Parameters<CommitGate['look']>[1] & Pick<RequestedCommit, 'asking'>,
    signal: AbortSignal,
  ): Promise<ApprovableCommit | undefined> {
    const facts = await this.look(resource, asked, signal);
    const source = commitSourceOf(resource, this.#deps);
    if (facts?.chart === undefined || !facts.isOnBranch || source === undefined) return facts;
    // Others may wait for what is fetched, so that goes on once it began.
    if (asked.asking?.aborted) throw new AppError('unavailable', 'the request for the commit was cancelled');
    const dependencies = await this.#deps.dependenciesOf(resource, { ...source, commit: asked.commit }, signal);
    return { ...facts, chart: identifyChart(facts.chart, dependencies) };
  }

  async archiveFor(resource: ExtendedRelease, pulled: Pulled): Promise<GatedChart> {
    const { chart } = resource.spec;
    return chart.kind === 'repository' ? this.#archives.allowed(resource, chart, pulled) : allowedWith(resource, pulled, this.#deps.gates);
  }

  dependenciesFor(resource: ExtendedRelease): readonly FetchedDependency[] | undefined {
    return this.#deps.gates.of(resource)?.approved?.dependencies ?? undefined;
  }

  isGated(resource: DeclaredRelease): boolean {
    return this.#deps.gates.of(resource) !== undefined;
  }

  forget(resource: DeclaredRelease): void {
    this.#found.delete(resource.uid);
    this.#deps.gates.forget(resource);
  }

  /** One that took its chart from git before may have had a commit that waited. */
  async #withoutCommits(resource: DeclaredRelease): Promise<undefined> {
    await this.#deps.gates.change(resource, (now) =>
      now.waiting == null && now.lost == null ? now : { ...now, waiting: null, lost: null },
    );
    return undefined;
  }

  async #look(
    resource: DeclaredRelease,
    { gate, source }: { readonly gate: KeptGate; readonly source: CommitSource },
    signal: AbortSignal,
  ): Promise<string | null> {
    const { mirror, ref, path } = source;
    const head = await this.#ask('resolving the branch', signal, (limit) => mirror.revision(ref, limit));
    const newest = await this.#ask('reading the head', signal, (limit) => mirror.facts({ commit: head, head, path }, limit));
    const { approved } = gate;
    const stands = approved == null ? 'lost' : await this.#standing(resource, { gate, commit: approved.commit, head, source }, signal);
    const isThere = approved != null && stands !== 'lost';
    // A branch that is gone holds no commit that could be approved.
    const found =
      mirror.isGone(ref) || newest?.chart === undefined || newest.last === undefined ? null : { ...newest.last, chart: newest.chart };
    const isSame = isThere && found?.chart === treeOf(approved.chart);
    const waiting =
      found === null || (isSame && approved.dependencies == null)
        ? null
        : await this.#waiting(resource, found, { source, signal, approved: isSame ? approved : null });
    const lost = approved != null && !isThere ? approved.commit : null;
    const gone = approved != null && stands === 'kept' && !mirror.isGone(ref) ? approved.commit : null;
    const foundAt = toIso(this.#deps.clock.now());
    signal.throwIfAborted(); // what a session finds while it ends must not stand over what the next one found
    await this.#deps.gates.change(resource, (now) =>
      // What was found is of an approval that another has taken the place of meanwhile.
      now.approved?.at !== approved?.at
        ? now
        : {
            ...now,
            waiting: waiting == null ? null : { ...waiting, ...waitingSince(waiting, { before: now.waiting, foundAt }) },
            lost,
            ...(now.gone == null && gone === null ? {} : { gone }),
            ...(now.archive == null ? {} : { archive: null }),
          },
    );
    if (approved == null || !isThere) {
      this.#found.delete(resource.uid);
      return null;
    }
    this.#found.set(resource.uid, approved.commit);
    return approved.commit;
  }

  /**
   * A commit that waits, with its dependencies: the chart that is already approved where they moved. As long as they cannot be fetched it waits without, and
   * nobody's approval of it counts.
   */
  async #waiting(
    resource: DeclaredRelease,
    commit: NonNullable<KeptGate['waiting']>,
    { source, signal, approved }: { readonly source: CommitSource; readonly signal: AbortSignal; readonly approved: KeptGate['approved'] },
  ): Promise<KeptGate['waiting']> {
    try {
      const dependencies = await this.#deps.dependenciesOf(resource, { ...source, commit: commit.commit }, signal);
      if (approved != null && deepEqual(approved.dependencies, dependencies)) return null;
      if (dependencies === undefined) return commit;
      return { ...commit, chart: identifyChart(commit.chart, dependencies), dependencies: [...dependencies] };
    } catch (error) {
      this.#deps.log.warn(
        { resource: resource.key, commit: commit.commit, error: messageOf(error) },
        'could not fetch the dependencies of a commit that waits for approval',
      );
      return approved == null ? commit : null;
    }
  }

  /** Whether the approved commit is on the branch, and so is kept from now on; kept alone, since the release is at it; or lost, so that its approval is void. */
  async #standing(
    resource: DeclaredRelease,
    at: { readonly gate: KeptGate; readonly commit: string; readonly head: string; readonly source: CommitSource },
    signal: AbortSignal,
  ): Promise<'on-branch' | 'kept' | 'lost'> {
    const { gate, commit, head, source } = at;
    const { mirror, ref, path } = source;
    return this.#ask('keeping the approved commit', signal, async (limit) => {
      const [facts, kept] = [await mirror.facts({ commit, head, path }, limit), await mirror.kept(resource.uid, limit)];
      const isOnBranch = facts?.isOnBranch === true && !mirror.isGone(ref);
      const isVoid = gate.lost === commit; // it does not count again where the commit comes back
      if (isOnBranch && !isVoid) {
        if (kept !== commit) await mirror.keep(resource.uid, commit, limit);
        return 'on-branch';
      }
      const stays = kept === commit && (await this.#deps.releasedAt(resource)) === commit;
      if (!stays) return 'lost';
      return isOnBranch ? 'on-branch' : 'kept';
    });
  }

  #ask<Answer>(what: string, signal: AbortSignal, task: (limit: AbortSignal) => Promise<Answer>): Promise<Answer> {
    return withTimeout({ clock: this.#deps.clock, ms: GIT_LIMIT_MS, signal, what }, task);
  }
}
