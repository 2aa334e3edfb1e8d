import { AppError } from '@/lib/contract/app-error';
import type { Replacement, ReplaceRequest } from '@/lib/contract/drift-rows';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { describeObject } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import { actWithAudit } from '@/server/application';
import type { Session } from '@/server/auth';
import { isConflict, isNotFound, placeOfRight } from '@/server/kube';
import type { Accepted, CommandDeps, Place } from './command-deps';
import { requireEngine, toAccepted } from './command-deps';
import { findReplacement } from './drift-replacement';
import type { ObservedDrift } from './read-visible-drift';
import { readVisibleDrift } from './read-visible-drift';
import { askEngine } from './request-revert';

/**
 * Deletes, as the person, an object that no change brings to what is wanted; the application's engine makes it anew.
 *
 * 1. Exactly what was seen is deleted: the same uid and version, with the same differences and the same consequences.
 * 2. It is on record before it happens. After a crash in between the object is gone, and drift offers to make it again.
 * 3. It may be drift, or what keeps the newest revision from being applied: then the engine applies that once nothing of it is refused.
 * 4. Where the policy apply-once leaves what is gone, the engine is asked to make this one again.
 */
export async function replaceObject(deps: CommandDeps, session: Session, place: Place, request: ReplaceRequest): Promise<Accepted> {
  await deps.auth.authorise(session, { kind: 'change-application', ...place });
  requireEngine(deps, 'application');
  const { apiVersion, kind, ns, name } = request;
  const at: ObjectAddress = { apiVersion, kind, ...(ns === undefined ? {} : { namespace: ns }), name };
  const seen = await readVisibleDrift(deps, session, place, at);
  await requireOwnRights(deps, session, at);
  const live = await requireAsSeen(deps, session, place, { at, seen, request });
  await remove(deps, session, { at, live, request });
  if (seen.wanted.policy.keep?.includes('*')) await askEngine(deps, session, place, { at, paths: [] });
  return toAccepted(live);
}

async function requireOwnRights(
  { auth, cluster }: CommandDeps,
  session: Session,
  { apiVersion, kind, namespace, name }: ObjectAddress,
): Promise<void> {
  const { group, plural, namespaced } = await cluster.discovery.resolve({ apiVersion, kind });
  const right = { group, resource: plural, ...placeOfRight({ namespaced }, namespace) };
  await auth.authorise(session, { kind: 'write-object', right: { verb: 'delete', ...right, name } });
  await auth.authorise(session, { kind: 'write-object', right: { verb: 'create', ...right } });
}

interface Asked {
  readonly at: ObjectAddress;
  readonly seen: ObservedDrift;
  readonly request: ReplaceRequest;
}

async function requireAsSeen(deps: CommandDeps, session: Session, place: Place, { at, seen, request }: Asked): Promise<KubeObject> {
  const what = describeObject(at);
  const { live, fields } = seen;
  if (live === undefined) throw new AppError('conflict', `${what} no longer exists; review it again`);
  const replacement = await findReplacement(deps, session, place, seen);
  if (replacement === undefined)
    throw new AppError('rejected', `${what} need not be deleted: it can be changed to what is desired, or already matches it`);
  if (replacement.refused !== null) throw new AppError('rejected', `${what} is not replaced here. ${replacement.refused}`);
  const paths = fields.map(({ path }) => path).sort();
  const { uid, blast, waitsFor } = request;
  const same = deepEqual({ uid, blast, waitsFor, paths: [...request.seen].sort() }, { ...pick(replacement), paths });
  if (!same)
    throw new AppError('conflict', `${what}, or what is deleted with it, has changed since you opened it; review it, then replace it`);
  return live;
}

function pick({ uid, blast, waitsFor }: Replacement): Pick<Replacement, 'uid' | 'blast' | 'waitsFor'> {
  return { uid, blast, waitsFor };
}

interface Removal {
  readonly at: ObjectAddress;
  readonly live: KubeObject;
  readonly request: ReplaceRequest;
}

async function remove(deps: CommandDeps, session: Session, { at, live, request }: Removal): Promise<void> {
  const cluster = deps.cluster.as(session.person);
  const { uid = '', resourceVersion = '' } = live.metadata;
  const send = (dryRun: boolean) =>
    cluster.delete(at, { preconditions: { uid, resourceVersion }, propagationPolicy: 'Background', dryRun });
  const data = { uid, paths: [...request.seen], blast: [...request.blast], waitsFor: [...request.waitsFor] };
  const attempt = async (dryRun: boolean) => {
    try {
      await send(dryRun);
    } catch (error) {
      if (isConflict(error) || isNotFound(error))
        throw new AppError('conflict', `${describeObject(at)} was changed in the meantime; review it again`, { cause: error });
      throw error;
    }
  };
  const message = `deletes ${describeObject(at)}, so that it is created again as specified`;
  const entry = { id: deps.ids.uuid(), at: deps.clock.now(), actor: session.user, action: 'drift.replace', about: at, message, data };
  await actWithAudit(deps.record, entry, { send: attempt });
}
