import { z } from 'zod';
import { AppError } from '@/lib/contract/app-error';
import { stageDecisionSpec } from '@/lib/contract/stage-decision';
import type { Session } from '@/server/auth';
import type { Accepted, CommandDeps, Place } from './command-deps';
import { applicationAt, readAs } from './command-deps';
import { createDecision, requireFresh, requireSame, toActor } from './stage-decision';

/** Lets a collection of an application go on that a safety rule holds. */
export const applicationDecisionRequest = z.strictObject({
  verb: z.literal('approve'),
  /** uid of the application that was seen. */
  uid: z.string().min(1),
  reason: z.string().trim().max(2000).optional(),
  /** Digest of the plan that was seen. */
  seen: z.strictObject({ garbage: z.string().min(1) }),
  garbage: stageDecisionSpec.shape.garbage,
});
export type ApplicationDecisionRequest = z.infer<typeof applicationDecisionRequest>;

/** Decides about what an application without a rollout leaves behind; exactly the plan that was seen is approved. */
export async function decideApplication(
  deps: CommandDeps,
  session: Session,
  place: Place,
  request: ApplicationDecisionRequest,
): Promise<Accepted> {
  const { verb, uid, reason, seen, garbage } = request;
  await deps.auth.authorise(session, { kind: 'decide', on: 'application', verb, ...place });
  requireFresh(verb, deps, place);
  requireSame(await readAs(deps, session, applicationAt(place)), uid);
  const counted = deps.approvedAlreadyReason(place, { actor: toActor(session), seen, garbage });
  if (counted !== null) throw new AppError('conflict', counted);
  const applicationRef = { name: place.name, uid };
  return createDecision(deps, session, place, {
    applicationRef,
    verb,
    seen,
    ...(reason ? { reason } : {}),
    ...(garbage ? { garbage } : {}),
  });
}
