import { AppError } from '@/lib/contract/app-error';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { describeObject } from '@/lib/kube/object';
import type { Session } from '@/server/auth';
import type { DesiredObject, DriftField, NotCompared } from '@/server/dispatch';
import { ENGINE_MERGE_OPTIONS, findDrift } from '@/server/dispatch';
import { ignoreNotFound } from '@/server/kube';
import type { CommandDeps, Place } from './command-deps';

/** One object of an application, read live and as the person, beside what is wanted of it. */
export interface ObservedDrift {
  readonly wanted: DesiredObject;
  /** Absent when somebody deleted it. */
  readonly live: KubeObject | undefined;
  readonly fields: readonly DriftField[];
}

/** The drift of one object as the person sees it; throws for what they may not see, and for what the newest revision does not want. */
export async function readVisibleDrift(deps: CommandDeps, session: Session, place: Place, at: ObjectAddress): Promise<ObservedDrift> {
  const seen = await readVisibleComparison(deps, session, place, at);
  if ('uncompared' in seen) throw new AppError('not-found', `${describeObject(at)} cannot be compared: ${seen.uncompared}`);
  return seen;
}

/** The same where nothing may be wanted of the object by now: then it says why. */
export async function readVisibleComparison(
  deps: CommandDeps,
  session: Session,
  place: Place,
  at: ObjectAddress,
): Promise<ObservedDrift | NotCompared> {
  const { apiVersion, kind, namespace: ns, name } = at;
  await deps.auth.authorise(session, { kind: 'view-topic', topic: { kind: 'application', ...place } });
  await deps.auth.authorise(session, { kind: 'view-object', type: { apiVersion, kind }, ns, name });
  const wanted = deps.desiredOf(place, at);
  if ('uncompared' in wanted) return wanted;
  const live = await ignoreNotFound(deps.cluster.as(session.person).get(at));
  const { manifest, tracker, isApplied, policy } = wanted;
  return {
    wanted,
    live,
    fields: live === undefined ? [] : findDrift({ manifest, live, tracker, isApplied, policy, options: ENGINE_MERGE_OPTIONS }),
  };
}
