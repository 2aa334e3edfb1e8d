import type { RecordEntry } from '@/lib/contract/record-entry';
import { PLAN } from '@/lib/kube/kinds';
import type { Cluster, SeenPlan } from '@/server/kube';
import { isInvalid, isNotFound } from '@/server/kube';
import type { Clock } from '@/server/platform';
import { within } from '@/server/platform';
import type { DeclaredRelease } from '../model/declared';
import type { NotRun, PlanPort, ReleaseRequest, ResourcePort } from '../ports';
import type { ReleasePlanner } from './planner';

const FIELD_MANAGER = 'slipway.dev/chartsync';
const LIMIT_MS = 120_000;

interface SeenPlansDeps {
  readonly planner: Pick<ReleasePlanner, 'plan'>;
  readonly resources: Pick<ResourcePort, 'read'>;
  readonly cluster: Pick<Cluster, 'patch'>;
  readonly record: (entry: RecordEntry) => Promise<void>;
  readonly clock: Clock;
  /** Ends what is being compared. */
  readonly signal: AbortSignal;
}

/**
 * Holds chart sync to what somebody saw of a change of a resource.
 *
 * 1. A plan counts for the spec that it was made for; for any other there is none.
 * 2. It is compared right before Helm runs, alone on the release, with the very request that is run then. Another one: nothing is run.
 * 3. The same: it is taken off the resource before Helm runs. What was accepted once is not asked about again, however that run ends.
 */
export class SeenPlans implements PlanPort {
  readonly #deps: SeenPlansDeps;

  constructor(deps: SeenPlansDeps) {
    this.#deps = deps;
  }

  async agree(resource: DeclaredRelease, request: ReleaseRequest): Promise<NotRun | undefined> {
    const { planner, resources, clock, signal } = this.#deps;
    // What was listed may be behind: a plan that came since counts, and one that is spent does not.
    const live = await resources.read(resource.at);
    if (live !== undefined && live.generation !== resource.generation) return { outcome: 'dropped' };
    const seen = live?.plan;
    if (seen === undefined) return undefined;
    const limit = { clock, ms: LIMIT_MS, signal, what: 'comparing with what was previewed' };
    const now = await within(limit, (ending) => planner.plan(request, ending));
    if (now.digest !== seen.digest) {
      await this.#note(resource, seen, { action: 'plan.moved', message: 'nothing was released: what it would do is not what was previewed', now: now.digest });
      return {
        outcome: 'plan-moved',
        seen: seen.digest,
        error: `what it would do is not what was previewed (previewed ${short(seen.digest)}, now ${short(now.digest)})`,
      };
    }
    if (!(await this.#takeOff(resource, seen))) return { outcome: 'dropped' };
    await this.#note(resource, seen, { action: 'plan.accepted', message: 'released as it was previewed: nothing has changed since', now: now.digest });
    return undefined;
  }

  async spend(resource: DeclaredRelease): Promise<void> {
    if (resource.plan !== undefined) await this.#takeOff(resource, resource.plan);
  }

  /** False where the resource has changed, or its plan: what was compared is not wanted any more. */
  async #takeOff({ at, generation }: DeclaredRelease, { text }: SeenPlan): Promise<boolean> {
    const path = `/metadata/annotations/${PLAN.seen.replace('/', '~1')}`;
    const body = [
      { op: 'test', path: '/metadata/generation', value: generation },
      { op: 'test', path, value: text },
      { op: 'remove', path },
    ];
    try {
      await this.#deps.cluster.patch(at, { type: 'json', body }, { fieldManager: FIELD_MANAGER });
      return true;
    } catch (error) {
      if (isInvalid(error) || isNotFound(error)) return false;
      throw error;
    }
  }

  async #note(
    { at, uid }: DeclaredRelease,
    { id, digest }: SeenPlan,
    { action, message, now }: { readonly action: string; readonly message: string; readonly now: string },
  ): Promise<void> {
    const { record, clock } = this.#deps;
    // The same is on record once, however often it is looked at.
    await record({ id: `${action}:${uid}:${id}:${now}`, at: clock.now(), actor: 'slipway', action, about: at, message, data: { seen: digest, now } });
  }
}

const short = (digest: string) => digest.slice(0, 'sha256:'.length + 12);
