import { AppError } from '@/lib/contract/app-error';
import type { ObjectRights } from '@/lib/contract/object-acts';
import { OBJECT_ACTS } from '@/lib/contract/object-acts';
import type { ManagerFields, ObjectDetail, ObjectEvents } from '@/lib/contract/object-rows';
import { ownedPaths, readOwnedFields } from '@/lib/kube/field-owners';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { toObjectId } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { toIso } from '@/lib/std/instant';
import type { Session } from '@/server/auth';
import { formatPath } from '@/server/dispatch';
import type { ApiResource, NamedKind } from '@/server/kube';
import { findResource, toApiVersion } from '@/server/kube';
import { describeConditions } from '@/server/status';
import type { CommandDeps } from '../command-deps';
import { readAs } from '../command-deps';
import { PerPersonLimit } from '../per-person-limit';
import { toManifestText } from '../read-object';
import { notAllowedReason } from './acts/rules';
import type { EventViewer } from './follow-events';
import { followEvents, readEvents, recheckEvents } from './follow-events';
import { toKindRow } from './read-kinds';
import { maySeeFound, readOwned, readOwners } from './related';
import { scopeOf } from './scope';

const MAX_PATHS = 200;
const MAX_FOUND = 8;
const MAX_CANDIDATES = 40;
/** Streams of events of a person at once, over all tabs. */
const MAX_STREAMS = 30;

/** Names one object as an address does. */
export interface NamedObjectAt {
  readonly of: NamedKind;
  readonly ns: string | undefined;
  readonly name: string;
}

/** Reads an object as the person, and what is around it: its owners as the person too, what it owns from the copies as far as they may see it. */
export async function readObjectDetail(deps: CommandDeps, session: Session, named: NamedObjectAt): Promise<ObjectDetail> {
  const { resource, object } = await readNamed(deps, session, named);
  const [owners, owned] = await Promise.all([readOwners(deps, session, object), readOwned(deps, session, object)]);
  const acts = await Promise.all(OBJECT_ACTS.map(async (verb) => [verb, await notAllowedReason(deps, session, verb, object)] as const));
  const { metadata } = object;
  const { health, message, rule = null } = deps.objectReader.healthOf(object);
  return {
    of: toKindRow(resource),
    uid: metadata.uid ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
    ns: metadata.namespace ?? null,
    name: metadata.name ?? '',
    createdAt: metadata.creationTimestamp ?? null,
    deletingSince: metadata.deletionTimestamp ?? null,
    finalizers: [...(metadata.finalizers ?? [])],
    labels: { ...metadata.labels },
    ...toManifestText(object),
    health,
    message,
    rule,
    conditions: [...describeConditions(object)],
    owners: [...owners],
    owned: [...owned.owned],
    ownedMore: owned.ownedMore,
    ownedHidden: [...owned.ownedHidden],
    managers: listManagers(object),
    applications: [...deps.objectReader.applicationsOf(object)],
    acts: Object.fromEntries(acts) as ObjectRights, // one entry for each verb of the list
    readAt: toIso(deps.clock.now()),
  };
}

/** Reads one object by its address, live and as the person. */
export async function readNamed(
  deps: CommandDeps,
  session: Session,
  { of, ns, name }: NamedObjectAt,
): Promise<{ readonly resource: ApiResource; readonly at: ObjectAddress; readonly object: KubeObject }> {
  await deps.auth.authorise(session, { kind: 'view-kind', verb: 'get', of, ns, name });
  const resource = await findResource(deps.cluster.discovery, of);
  const at = {
    apiVersion: toApiVersion(resource),
    kind: resource.kind,
    name,
    ...(resource.namespaced && ns !== undefined ? { namespace: ns } : {}),
  };
  return { resource, at, object: await readAs(deps, session, at) };
}

/** Throws why a kind, or one of its objects, cannot be seen: it is not served or not there, or a right is missing. */
export async function requireVisible(
  deps: CommandDeps,
  session: Session,
  { of, ns, name }: Omit<NamedObjectAt, 'name'> & { readonly name?: string },
): Promise<void> {
  if (name !== undefined) await readNamed(deps, session, { of, ns, name });
  else await deps.auth.authorise(session, { kind: 'view-kind', verb: 'list', of, ns });
}

function listManagers(object: KubeObject): ManagerFields[] {
  return (readOwnedFields(object) ?? []).map(({ owner, fields }) => {
    const { paths, more } = ownedPaths(fields, MAX_PATHS);
    const { manager, operation, subresource = null, since = null } = owner;
    return { manager, operation, subresource, at: since, fields: paths.map(formatPath), more };
  });
}

/** The newest events of an object and of what it owns, once. */
export async function readObjectEvents(deps: CommandDeps, session: Session, named: NamedObjectAt): Promise<ObjectEvents> {
  const { object } = await readNamed(deps, session, named);
  return readEvents(deps, session, scopeOf(deps, object));
}

/** Events that are followed until a signal aborts. */
export interface FollowedEvents {
  readonly told: AsyncGenerator<ObjectEvents, void, void>;
  /** Goes on as a person whose rights are asked for anew; throws what is missing. */
  recheck(session: Session, notBefore: Instant): Promise<void>;
}

/** Events of objects as they come; each stream is a watch of the person's in every namespace that it is about, so they may have so many. */
export function createFollowObjectEvents(deps: CommandDeps) {
  const places = new PerPersonLimit(MAX_STREAMS);
  return (session: Session, named: NamedObjectAt, signal: AbortSignal): FollowedEvents => {
    const viewer: EventViewer = { session, namespaces: [] };
    async function* told() {
      const { object } = await readNamed(deps, session, named);
      const free = places.take(session.user);
      if (free === undefined)
        throw new AppError(
          'too-many',
          `${session.user} follows the events of ${MAX_STREAMS} objects, which is the limit for one person: close one`,
        );
      try {
        yield* followEvents(deps, viewer, scopeOf(deps, object), signal);
      } finally {
        free();
      }
    }
    return {
      told: told(),
      async recheck(present, notBefore) {
        viewer.session = present;
        await recheckEvents(deps, viewer, notBefore);
      },
    };
  };
}

/** Objects of the server's copies with a part of a name, as far as the person may see them. */
export async function findObjects(deps: CommandDeps, session: Session, text: string) {
  await deps.auth.authorise(session, { kind: 'see-self' });
  if (text.trim().length < 2) throw new AppError('invalid', 'a search needs at least two letters of the name');
  const objects = [];
  for (const object of deps.objectReader.find(text.trim(), MAX_CANDIDATES)) {
    if (objects.length >= MAX_FOUND) break;
    if (!(await maySeeFound(deps, session, object))) continue;
    const { apiVersion, kind, metadata } = object;
    const { namespace, name = '' } = metadata;
    const id = toObjectId({ apiVersion, kind, namespace, name });
    objects.push({ id, apiVersion, kind, ns: namespace ?? null, name, health: deps.objectReader.healthOf(object).health });
  }
  return { objects };
}
