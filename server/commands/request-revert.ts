import { AppError } from '@/lib/contract/app-error';
import type { RevertRequest } from '@/lib/contract/drift-rows';
import { PUT_BACK } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { describeObject } from '@/lib/kube/object';
import { readAnnotatedUser } from '@/lib/kube/user-annotations';
import { deepEqual } from '@/lib/std/deep-equal';
import { actWithAudit, requestRevert } from '@/server/application';
import type { Session } from '@/server/auth';
import { longNumberReason } from '@/server/dispatch';
import { placeOfRight, retryOnConflict } from '@/server/kube';
import type { Accepted, CommandDeps, Place } from './command-deps';
import { applicationAt, FIELD_MANAGER, readAs, requireEngine, toAccepted } from './command-deps';
import type { ObservedDrift } from './read-visible-drift';
import { readVisibleDrift } from './read-visible-drift';

const MAX_NAMED = 10;

/**
 * Asks, as the person, that one object be put back to what the newest revision wants, also where apply-once leaves it.
 *
 * 1. Exactly what was seen is put back: an object that differs otherwise by now is refused, and its engine refuses one that was made anew since.
 * 2. It is written on the application, whose engine does it; the note of who asked for the application stays as it is.
 */
export async function revertObject(deps: CommandDeps, session: Session, place: Place, request: RevertRequest): Promise<Accepted> {
  await deps.auth.authorise(session, { kind: 'change-application', ...place });
  requireEngine(deps, 'application');
  const { apiVersion, kind, ns, name } = request;
  const at: ObjectAddress = { apiVersion, kind, ...(ns === undefined ? {} : { namespace: ns }), name };
  const seen = await readVisibleDrift(deps, session, place, at);
  refuseUnlessPossible(seen, at, request.seen);
  await requireOwnRight(deps, session, at, seen);
  return askEngine(deps, session, place, { at, uid: seen.live?.metadata.uid, paths: request.seen });
}

/** Asks the engine by the application's annotation, once more where somebody wrote the application in between. */
export async function askEngine(deps: CommandDeps, session: Session, place: Place, asked: Asked): Promise<Accepted> {
  return retryOnConflict(async () => {
    const application = await readAs(deps, session, applicationAt(place));
    refuseBesideAnother(application, session);
    const next = requestRevert(application, { ...asked.at, uid: asked.uid }, session);
    if (next === undefined)
      throw new AppError('rejected', `application ${place.name} already has fifty objects to revert; wait until it has finished`);
    return write(deps, session, next, asked);
  });
}

/** Whoever asks last answers for all that is asked, so nobody adds to what another asked for. */
function refuseBesideAnother(application: KubeObject, { user }: Session): void {
  const other = readAnnotatedUser(application, PUT_BACK)?.user;
  if (other === undefined || other === user) return;
  throw new AppError(
    'rejected',
    `${other} requested another revert of application ${application.metadata.name}, which is in progress; try again in a moment`,
  );
}

/** The engine writes it, so whoever asks must be somebody who could write it too. */
async function requireOwnRight(
  { auth, cluster }: CommandDeps,
  session: Session,
  { apiVersion, kind, namespace, name }: ObjectAddress,
  { live }: ObservedDrift,
): Promise<void> {
  const { group, plural, namespaced } = await cluster.discovery.resolve({ apiVersion, kind });
  const right = { group, resource: plural, ...placeOfRight({ namespaced }, namespace) };
  await auth.authorise(session, {
    kind: 'write-object',
    right: live === undefined ? { verb: 'create', ...right } : { verb: 'patch', ...right, name },
  });
}

function refuseUnlessPossible({ wanted, live, fields }: ObservedDrift, at: ObjectAddress, seenPaths: readonly string[]): void {
  const what = describeObject(at);
  const { repair, policy } = wanted;
  if (repair.when === 'waits') throw new AppError('rejected', `${what} cannot be reverted now. ${repair.why}`);
  if (repair.when === 'never' && !policy.keep?.includes('*')) throw new AppError('rejected', `${what} cannot be reverted. ${repair.why}`);
  if (policy.readOnly) throw new AppError('rejected', `${what} is never written, because the policy read-only names it`);
  const stays = live && longNumberReason(live, fields);
  if (stays !== undefined) throw new AppError('rejected', `${what} cannot be reverted: ${stays}`);
  const paths = fields.map(({ path }) => path);
  if (live !== undefined && paths.length === 0) throw new AppError('rejected', `${what} already matches what is desired`);
  if (!deepEqual([...paths].sort(), [...seenPaths].sort())) {
    throw new AppError('conflict', `${what} has changed since you opened it; review it, then revert it`);
  }
}

interface Asked {
  readonly at: ObjectAddress;
  /** Of the object that was seen; absent where it was gone, or is to be made anew. */
  readonly uid?: string | undefined;
  readonly paths: readonly string[];
}

async function write(deps: CommandDeps, session: Session, application: KubeObject, { at, paths }: Asked): Promise<Accepted> {
  const cluster = deps.cluster.as(session.person);
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : '';
  const message = `requests a revert of ${describeObject(at)}: ${paths.length === 0 ? 'it is gone' : paths.slice(0, MAX_NAMED).join(', ')}${more}`;
  const data = { paths: [...paths] };
  const entry = { id: deps.ids.uuid(), at: deps.clock.now(), actor: session.user, action: 'drift.put-back', about: at, message, data };
  const send = (dryRun: boolean) => cluster.update(application, { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict', dryRun });
  return toAccepted(await actWithAudit(deps.record, entry, { send }));
}
