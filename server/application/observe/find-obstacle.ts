import { toObjectKey } from '@/lib/kube/object';
import { yieldToEventLoop } from '@/server/platform';
import type { ActContext } from '../act/context';
import type { RunPlan } from '../decide/model';
import type { Obstacle } from '../decide/obstacle';
import { explainUnpermitted } from '../permission/requester';
import { planWithValues } from '../values/act-values';
import { explainStaleObservation } from './live-checks';
import type { UnsyncedKinds } from './object-stores';
import type { Observation } from './observe';
import { explainUngranted } from './ungranted';
import type { PlanVerification } from './verify-plan';
import { verifyPlan } from './verify-plan';

/** Workloads whose first list is under way. */
const UNREAD_MS = 1000;
/** A change that the server has and the watch did not tell yet. */
export const OUTDATED_MS = 1000;

/** A plan that nothing is in the way of: with its values, and how it relates to what was previewed. */
interface Cleared {
  readonly kind: 'clear';
  readonly plan: RunPlan;
  readonly agreement: PlanVerification;
}

/** Looks for what keeps a plan from being carried out, the cheapest first: what one look costs is spared where an earlier one found something. */
export async function findObstacle(context: ActContext, asked: RunPlan, seen: Observation): Promise<Obstacle | Cleared> {
  const turn = () => yieldToEventLoop(context.deps.clock);
  await turn();
  // Before any kind that it names is watched: what is refused costs nothing.
  const unpermitted = await explainUnpermitted(context, asked, seen);
  if (unpermitted !== undefined) return { kind: 'unpermitted', why: unpermitted };
  await turn();
  const ungranted = await explainUngranted(context, asked, seen);
  if (ungranted !== undefined) return { kind: 'ungranted', why: ungranted };
  const unread = await findUnread(context, asked, seen);
  if (unread !== undefined) return { kind: 'unread', ...unread };
  await turn();
  const resolved = await planWithValues(context, asked, seen);
  if (resolved.kind === 'missing') return { kind: 'valuesMissing', why: resolved.why };
  const agreement = await verifyPlan(context, resolved.plan, seen);
  return agreement.kind === 'planMoved' || agreement.kind === 'planBlocked' ? agreement : { kind: 'clear', plan: resolved.plan, agreement };
}

/** Nothing is judged by copies whose first list is under way, nor by such as are behind. */
async function findUnread(
  context: ActContext,
  { application, rendered, olds, revision }: RunPlan,
  seen: Observation,
): Promise<UnsyncedKinds | undefined> {
  // A grant was given, and what it lets read is about to be.
  if (context.stores.deployments.covers(application.namespace).kind !== 'held') return { againMs: UNREAD_MS, why: undefined };
  await yieldToEventLoop(context.deps.clock);
  const needed = [...rendered.manifests, ...olds.flatMap(({ entries }) => entries)];
  const unknown = await context.objects.ensure(needed, toObjectKey(seen.object.metadata), context.signal);
  if (unknown !== undefined || revision.stored !== undefined) return unknown;
  await yieldToEventLoop(context.deps.clock);
  const outdated = await explainStaleObservation(context, seen);
  return outdated === undefined ? undefined : { againMs: OUTDATED_MS, why: outdated };
}
