import type { ChangeVerdict } from '@/lib/contract/change-rows';
import { bareDigest } from '@/lib/contract/change-rows';
import type { PreviewedPlan } from '@/server/kube';
import type { ActContext } from '../act/context';
import { heldSentence } from '../decide/applied';
import type { RunPlan } from '../decide/model';
import type { Obstacle } from '../decide/obstacle';
import { createCachedReader } from '../plan/cached-reader';
import type { ChangePlan } from '../plan/change-plan';
import { planChange } from '../plan/plan-change';
import { ACCEPTED, isAccepted, readAcceptedPlan, readPreviewedPlan } from '../plan/previewed-plan';
import { explainMoved } from './explain-moved';
import type { Observation } from './observe';

/** How a plan that may be carried out relates to what somebody saw: nobody saw anything, or it is the same. */
export type PlanVerification =
  | { readonly kind: 'unseen' }
  /** `deletions` is the digest of those in the accepted plan; `isNoted` once the revision says that it was accepted. */
  | { readonly kind: 'same'; readonly plan: PreviewedPlan; readonly deletions: string | undefined; readonly isNoted: boolean };

const BLOCKING: readonly ChangeVerdict[] = ['refused', 'unknown'];

/**
 * Works the plan out again before the first write, and compares it with the one that was seen. A plan that was accepted once stays so. One that
 * cannot be done as it stands is not accepted: once it can, it is another one, and somebody is asked.
 */
export async function verifyPlan(
  context: ActContext,
  { revision, isUnrecorded }: RunPlan,
  seen: Observation,
): Promise<PlanVerification | Extract<Obstacle, { kind: 'planMoved' | 'planBlocked' }>> {
  const { deps, objects, signal } = context;
  const noted = revision.stored?.object;
  // Some clients drop annotations that they do not know: what was accepted counts until the revision is reached.
  const plan = readPreviewedPlan(seen.object) ?? (isUnrecorded ? readAcceptedPlan(noted, seen.object) : undefined);
  if (plan === undefined) return { kind: 'unseen' };
  if (isAccepted(plan, noted)) return { kind: 'same', plan, deletions: noted?.metadata.annotations?.[ACCEPTED.deletions], isNoted: true };
  const reader = createCachedReader({ objects, cluster: deps.cluster, clock: deps.clock, signal, secrets: seen.inline?.secrets });
  const now = await planChange(seen, { object: seen.object, now: deps.clock.now() }, reader);
  if (bareDigest(now.digest) !== bareDigest(plan.digest)) return describeMoved(context, { plan, now }, seen);
  const blocking = now.objects.find(({ verdict }) => BLOCKING.includes(verdict));
  if (blocking === undefined) return { kind: 'same', plan, deletions: now.deletions, isNoted: false };
  return { kind: 'planBlocked', why: `${blocking.why}; the preview said so, and no part of the change is applied until this is resolved` };
}

async function describeMoved(
  context: ActContext,
  { plan, now }: { readonly plan: PreviewedPlan; readonly now: ChangePlan },
  seen: Observation,
): Promise<Extract<Obstacle, { kind: 'planMoved' }>> {
  const digests = `(previewed ${short(plan.digest)}, now ${short(now.digest)})`;
  const told = heldSentence(seen.object, 'PlanMoved');
  // Who wrote what has moved is asked of the server once for each pair of plans.
  if (told?.endsWith(digests)) return { kind: 'planMoved', why: told };
  const moved = await explainMoved(context, { plan, now }, seen);
  const why = `${moved}; nothing was applied: compare both plans and accept the current one, or edit the application ${digests}`;
  return { kind: 'planMoved', why, digests: { id: plan.id, seen: bareDigest(plan.digest), now: bareDigest(now.digest) } };
}

const short = (digest: string) => digest.slice(0, 'sha256:'.length + 12);
