import type { RecordEntry } from '@/lib/contract/record-entry';
import { PLAN, PLAN_ACCEPTED } from '@/lib/kube/kinds';
import type { ObjectAddress } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { Cluster, PreviewedPlan } from '@/server/kube';
import { ignoreError, isInvalid, isNotFound } from '@/server/kube';
import type { Clock } from '@/server/platform';
import { withTimeout } from '@/server/platform';
import { compareRelease } from '../compare/compare-release';
import { digestValues } from '../compare/values-digest';
import type { DeclaredRelease } from '../model/declared';
import { readDeclared } from '../model/declared';
import type { HelmPort, PlanPort, ReleaseRequest, ResourcePort, SkippedRun } from '../ports';
import type { ReleasePlanner } from './planner';

const FIELD_MANAGER = 'slipway.dev/chartsync';
const LIMIT_MS = 120_000;

interface SeenPlansDeps {
  readonly planner: Pick<ReleasePlanner, 'plan'>;
  readonly resources: Pick<ResourcePort, 'read'>;
  readonly helm: Pick<HelmPort, 'readHistory' | 'readRevision' | 'dryRun'>;
  readonly cluster: Pick<Cluster, 'patch'>;
  readonly record: (entry: RecordEntry) => Promise<void>;
  readonly clock: Clock;
  /** Ends what is being compared. */
  readonly signal: AbortSignal;
}

/** A resource that may be released, with its plan where it has one. */
interface Accepted {
  readonly resource: DeclaredRelease;
  /** The newest revision that was stored when its plan was accepted. */
  readonly over: number;
}

/** What a write about a plan is bound to. */
interface Bound {
  readonly generation: number;
  readonly text: string;
}

const pathOf = (annotation: string) => `/metadata/annotations/${annotation.replace('/', '~1')}`;
const remove = (annotation: string) => ({ op: 'remove', path: pathOf(annotation) });

/**
 * Holds chart sync to what somebody saw of a change of a resource.
 *
 * 1. A plan counts for the spec that it was made for; for any other there is none.
 * 2. It is compared right before Helm runs, alone on the release, with the very request that is run then. Another one: nothing is run.
 * 3. The same: that is noted beside it before Helm runs, with the revision that was stored by then. Whoever finds the note after a crash compares again as long
 *    as Helm had stored nothing, so that nothing else is run in its place.
 * 4. Once Helm has begun, however that ends, both go: what was accepted and begun is not asked about again.
 */
export class PreviewedPlans implements PlanPort {
  readonly #deps: SeenPlansDeps;

  constructor(deps: SeenPlansDeps) {
    this.#deps = deps;
  }

  async run(listed: DeclaredRelease, request: ReleaseRequest, act: () => Promise<void>): Promise<SkippedRun | undefined> {
    const accepted = await this.#accept(listed, request);
    if ('outcome' in accepted) return accepted;
    const { resource, over } = accepted;
    if (resource.plan === undefined) {
      await act();
      return undefined;
    }
    let hasBegun = true;
    try {
      await act();
    } catch (error) {
      hasBegun = await this.#hasBegun(request, over).catch(() => false); // the next look asks again
      throw error;
    } finally {
      // Helm has done what it did; what stays here for now the next look takes off.
      if (hasBegun) await this.clearPreviewedPlan(resource).catch(() => undefined);
    }
    return undefined;
  }

  async clearPreviewedPlan({ at, generation, plan, annotations }: DeclaredRelease): Promise<void> {
    if (plan === undefined) return;
    const isNoted = annotations[PLAN_ACCEPTED] !== undefined;
    await this.#patch(at, { generation, text: plan.text }, [remove(PLAN.seen), ...(isNoted ? [remove(PLAN_ACCEPTED)] : [])]);
  }

  /** The resource as it may be released now, its plan noted as accepted, and the revision that it was accepted over; else why it may not. */
  async #accept(resource: DeclaredRelease, request: ReleaseRequest): Promise<Accepted | SkippedRun> {
    const { planner, resources, clock, signal } = this.#deps;
    // What was listed may be behind: a plan that came since counts, and one that is spent does not.
    const live = await resources.read(resource.at);
    if (live !== undefined && (live.generation !== resource.generation || !deepEqual(live.onBehalfOf, request.onBehalfOf)))
      return { outcome: 'dropped' };
    const seen = live?.plan;
    if (live === undefined || seen === undefined) return { resource: { ...resource, plan: undefined }, over: 0 };
    const { planAcceptedAt: before } = live;
    if (before !== undefined && (await this.#hasBegun(request, before))) return { resource: live, over: before };
    const limit = { clock, ms: LIMIT_MS, signal, what: 'comparing with what was previewed' };
    const now = await withTimeout(limit, (ending) => planner.plan(request, ending));
    if (now.digest !== seen.digest) return this.#move(live, seen, now.digest);
    const over = now.stored ?? 0;
    const noted = await this.#patch(live.at, { generation: live.generation, text: seen.text }, [
      { op: 'add', path: pathOf(PLAN_ACCEPTED), value: `${over} ${seen.text}` },
    ]);
    if (noted === undefined) return { outcome: 'dropped' };
    await this.#note(resource, seen, {
      action: 'plan.accepted',
      message: 'released as it was previewed: nothing has changed since',
      now: now.digest,
    });
    return { resource: noted, over };
  }

  /** What was accepted before a crash is not accepted any more, so that a person may accept what it would be now. */
  async #move(live: DeclaredRelease, seen: PreviewedPlan, now: string): Promise<SkippedRun> {
    await this.#note(live, seen, {
      action: 'plan.moved',
      message: 'nothing was released: what it would do is not what was previewed',
      now,
    });
    const bound = { generation: live.generation, text: seen.text };
    if (live.planAcceptedAt !== undefined) await this.#patch(live.at, bound, [remove(PLAN_ACCEPTED)]);
    const error = `what it would do is not what was previewed (previewed ${short(seen.digest)}, now ${short(now)})`;
    return { outcome: 'plan-moved', seen: seen.digest, error };
  }

  /**
   * Whether Helm stored what a request makes right after the revision that its plan was accepted over. What somebody else stored there does not count, and
   * neither does another chart with the same values: that takes a dry run, which is asked for only after a kill or a failure.
   */
  async #hasBegun(request: ReleaseRequest, over: number): Promise<boolean> {
    const { helm } = this.#deps;
    const next = (await helm.readHistory(request.release)).find(({ revision }) => revision > over);
    if (next === undefined) return false;
    const stored = await helm.readRevision(request.release, next.revision);
    if (digestValues(stored.values) !== digestValues(request.values)) return false;
    const { treeDigest, ...wanted } = await helm.dryRun(request);
    // Helm notes which dependencies a chart had once it has ended well, and not before.
    const hasEnded = stored.status === 'deployed' || stored.status === 'superseded';
    return compareRelease(hasEnded && treeDigest !== undefined ? { ...wanted, treeDigest } : wanted, stored) === undefined;
  }

  /** The resource as it is then; undefined where it has changed, or its plan: what was compared is not wanted any more. */
  async #patch(at: ObjectAddress, { generation, text }: Bound, changes: readonly object[]): Promise<DeclaredRelease | undefined> {
    const body = [
      { op: 'test', path: '/metadata/generation', value: generation },
      { op: 'test', path: pathOf(PLAN.seen), value: text },
      ...changes,
    ];
    const request = this.#deps.cluster.patch(at, { type: 'json', body }, { fieldManager: FIELD_MANAGER });
    return ignoreError((error) => isInvalid(error) || isNotFound(error), request.then(readDeclared));
  }

  async #note(
    { at, uid }: DeclaredRelease,
    { id, digest }: PreviewedPlan,
    { action, message, now }: { readonly action: string; readonly message: string; readonly now: string },
  ): Promise<void> {
    const { record, clock } = this.#deps;
    // The same is on record once, however often it is looked at.
    await record({
      id: `${action}:${uid}:${id}:${now}`,
      at: clock.now(),
      actor: 'slipway',
      action,
      about: at,
      message,
      data: { seen: digest, now },
    });
  }
}

const short = (digest: string) => digest.slice(0, 'sha256:'.length + 12);
