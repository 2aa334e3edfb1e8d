import { isAppError } from '@/lib/contract/app-error';
import type { RelatedObject } from '@/lib/contract/object-rows';
import type { KubeObject, OwnerReference, TypeRef } from '@/lib/kube/object';
import { groupOf, toObjectId } from '@/lib/kube/object';
import type { Session } from '@/server/auth';
import { getServed, isForbidden } from '@/server/kube';
import type { CommandDeps } from '../command-deps';

const MAX_ABOVE = 6;
const MAX_BELOW_SHOWN = 200;

/** The owners of an object and theirs, nearest first, each read as the person. */
export async function readOwners(deps: CommandDeps, session: Session, object: KubeObject): Promise<readonly RelatedObject[]> {
  const owners: RelatedObject[] = [];
  let level: readonly KubeObject[] = [object];
  for (let depth = 1; level.length > 0 && owners.length < MAX_ABOVE; depth++) {
    const above: KubeObject[] = [];
    for (const child of level) {
      for (const reference of child.metadata.ownerReferences ?? []) {
        if (owners.length >= MAX_ABOVE || owners.some(({ uid }) => uid === reference.uid)) continue;
        const { owner, found } = await readOwner(deps, session, { reference, namespace: child.metadata.namespace, depth });
        owners.push(owner);
        if (found !== undefined) above.push(found);
      }
    }
    level = above;
  }
  return owners;
}

interface Above {
  readonly reference: OwnerReference;
  readonly namespace: string | undefined;
  readonly depth: number;
}

async function readOwner(
  deps: CommandDeps,
  session: Session,
  { reference, namespace, depth }: Above,
): Promise<{ readonly owner: RelatedObject; readonly found: KubeObject | undefined }> {
  const { apiVersion, kind, name, uid, controller = false } = reference;
  const resource = await deps.cluster.discovery.resolveKind({ group: groupOf(apiVersion), kind }).catch(() => undefined); // a kind that nobody serves owns nothing any more
  const ns = resource?.namespaced === false ? undefined : namespace;
  const at = { apiVersion, kind, name, ...(ns === undefined ? {} : { namespace: ns }) };
  const owner = { id: toObjectId(at), apiVersion, kind, ns: ns ?? null, name, uid, depth, controller } as const;
  try {
    const found = await getServed(deps.cluster.as(session.person), at);
    if (found?.metadata.uid !== uid) return { owner: { ...owner, state: 'gone', health: null, message: '' }, found: undefined };
    const { health, message } = deps.objectReader.healthOf(found);
    return { owner: { ...owner, state: 'there', health, message }, found };
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return { owner: { ...owner, state: 'hidden', health: null, message: '' }, found: undefined };
  }
}

/** What an object owns. */
export interface Owned {
  readonly owned: readonly RelatedObject[];
  readonly ownedMore: number;
  readonly ownedHidden: readonly string[];
}

/** What an object owns as the server's copies hold it, of the kinds that the person may read where they are. */
export async function readOwned(deps: CommandDeps, session: Session, object: KubeObject): Promise<Owned> {
  const { objects, more } = deps.objectReader.below(object);
  const allowed = new Map<string, Promise<boolean>>();
  // A right to one of them by its name says nothing of the others, so the right to all of the kind is asked for.
  const maySee = ({ apiVersion, kind, metadata: { namespace } }: KubeObject) => {
    const key = `${apiVersion} ${kind} ${namespace ?? ''}`;
    const held = allowed.get(key) ?? maySeeKind(deps, session, { apiVersion, kind, ns: namespace });
    allowed.set(key, held);
    return held;
  };
  const owned: RelatedObject[] = [];
  const hidden = new Set<string>();
  let left = more;
  for (const { object: child, depth, health: told } of objects) {
    const { apiVersion, kind, metadata } = child;
    const { namespace, name = '', uid, ownerReferences = [] } = metadata;
    if (!(await maySee(child))) {
      hidden.add(kind);
      continue;
    }
    if (owned.length >= MAX_BELOW_SHOWN) {
      left++;
      continue;
    }
    const named = {
      id: toObjectId({ apiVersion, kind, namespace, name }),
      apiVersion,
      kind,
      ns: namespace ?? null,
      name,
      uid: uid ?? null,
    };
    const { health, message } = told;
    owned.push({
      ...named,
      depth,
      controller: ownerReferences.some((owner) => owner.controller === true),
      state: 'there',
      health,
      message,
    });
  }
  return { owned, ownedMore: left, ownedHidden: [...hidden].sort() };
}

/** Whether a person may get every object of a kind where it is. */
export function maySeeKind(
  deps: CommandDeps,
  session: Session,
  { apiVersion, kind, ns }: TypeRef & { readonly ns: string | undefined },
): Promise<boolean> {
  return may(deps, session, { kind: 'view-kind', verb: 'get', of: { group: groupOf(apiVersion), named: kind }, ns });
}

async function may({ auth }: CommandDeps, session: Session, act: Parameters<CommandDeps['auth']['authorise']>[1]): Promise<boolean> {
  try {
    await auth.authorise(session, act);
    return true;
  } catch (error) {
    if (isAppError(error) && (error.code === 'forbidden' || error.code === 'not-found')) return false;
    throw error;
  }
}

/** Whether the person may see an object that was found in the server's copies. */
export function maySeeFound(deps: CommandDeps, session: Session, { apiVersion, kind, metadata }: KubeObject): Promise<boolean> {
  return may(deps, session, { kind: 'view-status', type: { apiVersion, kind }, ns: metadata.namespace, name: metadata.name ?? '' });
}
