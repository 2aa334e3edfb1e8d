import { AppError } from '@/lib/contract/app-error';
import type { AcceptReleasePlan } from '@/lib/contract/release-edit';
import { describeResource, PLAN } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { Session } from '@/server/auth';
import { readPlanAcceptedAt } from '@/server/chartsync';
import { readPlanFor, retryOnConflict } from '@/server/kube';
import type { Accepted, CommandDeps, Place } from '../command-deps';
import { readAs, toAccepted } from '../command-deps';
import type { ReleaseAt } from './edit-release';
import { addressOf, readSeen, requireEngine, writePlanned } from './edit-release';

/** A change of a release that waits, and the digest of what was seen of it. */
export interface WaitingRelease {
  readonly object: KubeObject;
  readonly plan: string;
}

/** The change of a release that is waiting with a previewed plan, read as the person. */
export async function readWaiting(deps: CommandDeps, session: Session, at: ReleaseAt): Promise<WaitingRelease> {
  const address = addressOf(at);
  await deps.auth.authorise(session, { kind: 'view-object', type: address, ns: at.ns, name: at.name });
  const object = await readAs(deps, session, address);
  return { object, plan: requireWaiting(object, 'not-found') };
}

/** Accepts what a waiting change of a release would do now: an act of its own, with the right to change it. Chart sync does that or nothing. */
export async function acceptPlanOfRelease(
  deps: CommandDeps,
  session: Session,
  place: Place,
  request: AcceptReleasePlan,
): Promise<Accepted> {
  const { kind, plan } = request;
  await deps.auth.authorise(session, { kind: 'change-release', of: kind, ...place });
  requireEngine(deps, place);
  return retryOnConflict(async () => {
    const object = await readSeen(deps, session, { ...place, ...request });
    requireWaiting(object, 'rejected');
    const message = `accepts what the change of ${describeResource({ ...object, ...object.metadata })} would do now, ${plan}`;
    return toAccepted(await writePlanned(deps, session, { object, plan, action: 'release.accept-plan', message }));
  });
}

function requireWaiting({ apiVersion, kind, metadata, spec }: KubeObject, code: 'not-found' | 'rejected'): string {
  const seen = readPlanFor(spec, metadata.annotations?.[PLAN.seen]);
  // What is accepted is released right now, or once the server is back: nobody waits for a person.
  if (seen !== undefined && readPlanAcceptedAt(metadata.annotations) === undefined) return seen.digest;
  throw new AppError(code, `no change of ${describeResource({ apiVersion, kind, ...metadata })} is waiting with a previewed plan`);
}
