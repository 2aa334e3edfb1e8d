import { messageOf } from '@/lib/contract/app-error';
import { readString } from '@/lib/kube/fields';
import type { KubeObject, ObjectAddress, TypeRef } from '@/lib/kube/object';
import { describeObject, groupOf, toAddress } from '@/lib/kube/object';
import type { AccessReviewer, AccessRight, Discovery } from '@/server/kube';
import { describeRight, isAlreadyExists, isImpersonationRefused, isNoMatch, isNotFound, placeOfRight, toKindRef } from '@/server/kube';
import type { RightsNeeded } from './rights-needed';

/** Somebody on whose behalf objects are written, and how the cluster is asked about them. */
export interface Requester {
  readonly user: string;
  may(right: AccessRight): Promise<boolean>;
  /** Tries to create an object as them, without effect. */
  tryCreate(object: KubeObject): Promise<unknown>;
}

const RBAC = 'rbac.authorization.k8s.io';
const MAX_NAMED = 100;
/** So many rights are asked about at once. */
const AT_ONCE = 16;

interface Wanted {
  readonly right: AccessRight;
  /** What is done with it, as a sentence says it. */
  readonly deed: string;
  /** What wants it; never empty. */
  readonly objects: readonly ObjectAddress[];
}

/**
 * Why somebody may not have these objects written or taken away: the first right they lack, in a sentence. Undefined when
 * they hold all of them.
 *
 * 1. One question per right and namespace, however many objects want it, and some at once; by name only where the right is not held for all.
 * 2. What gives rights is tried as them, since only the API server tells whether they hold what they would give.
 */
export async function explainMissingRight(change: RightsNeeded, asker: Requester, discovery: Discovery): Promise<string | undefined> {
  const wanted = await wantedRights(change, discovery);
  for (let from = 0; from < wanted.length; from += AT_ONCE) {
    const some = wanted.slice(from, from + AT_ONCE);
    const lacking = await Promise.all(some.map(async (one) => ({ ...one, object: await firstLacking(one.right, one.objects, asker) })));
    const first = lacking.find(({ object }) => object !== undefined);
    if (first?.object === undefined) continue;
    const { right, deed, object } = first;
    return `${asker.user} may not ${deed} ${describeObject(object)}, which ${change.application} would have the server do for them: ${formatUnserved(right, object)}it requires the right ${describeRight(right)}; nothing was changed`;
  }
  for (const object of writtenIn(change).filter(({ apiVersion }) => groupOf(apiVersion) === RBAC)) {
    const refusal = await explainGrant(object, change, asker);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** Which objects an application may hold when nothing tells who asked for it. */
export type PermittedKinds = 'own' | 'all' | 'none';

/** How the engine learns what whoever asked for an application may do. */
export interface Permission {
  readonly review: AccessReviewer;
  /** Whom the API server takes the server for. */
  readonly ownUser: () => Promise<string | undefined>;
  /** What an application may hold that nobody is known to have asked for. */
  readonly unattributed: PermittedKinds;
}

/** Why an application of nobody in particular may not hold what it holds. */
export async function explainUnattributedObject(
  change: RightsNeeded,
  reach: PermittedKinds,
  discovery: Discovery,
): Promise<string | undefined> {
  if (reach === 'all') return undefined;
  const { application, namespace } = change;
  for (const object of [...change.written.map((one) => toAddress(one.object)), ...change.going]) {
    const resource = await resourceOf(object, change, discovery);
    const isOwn = resource.namespaced && object.namespace === namespace && resource.group !== RBAC;
    if (reach === 'own' && isOwn) continue;
    const what = describeObject(resource.namespaced ? object : { kind: object.kind, name: object.name });
    const wanted = reach === 'none' ? 'nothing at all' : `only objects in namespace ${namespace} that grant no rights`;
    return `it is unknown who requested ${what} of ${application}, so it may contain ${wanted}; change it in the console, install all of deploy/admission.yaml, or see the setting --unattributed; nothing was changed`;
  }
  return undefined;
}

/** What is written, and not only read. */
const writtenIn = ({ written }: RightsNeeded) => written.flatMap(({ object, verbs }) => (verbs.includes('get') ? [] : object));

async function wantedRights(change: RightsNeeded, discovery: Discovery): Promise<readonly Wanted[]> {
  type Gathered = Wanted & { readonly objects: ObjectAddress[] };
  const wanted = new Map<string, Gathered>();
  const kinds = new Map<string, NamedResource>();
  const want = async (verbs: readonly string[], object: ObjectAddress, deed?: string) => {
    const kind = `${object.apiVersion} ${object.kind}`;
    const { group, resource, namespaced } = kinds.get(kind) ?? (await resourceOf(object, change, discovery));
    kinds.set(kind, { group, resource, namespaced });
    const at = namespaced ? object : withoutNamespace(object);
    for (const verb of verbs) {
      const key = `${verb}|${deed ?? ''}|${group}|${resource}|${at.namespace ?? ''}`;
      const held: Gathered = wanted.get(key) ?? {
        right: toRight(verb, { group, resource, namespaced }, at),
        deed: deed ?? verb,
        objects: [],
      };
      held.objects.push(at);
      wanted.set(key, held);
    }
  };
  for (const { object, verbs, deed } of change.written) await want(verbs, toAddress(object), deed);
  for (const object of change.going) await want(['delete'], object);
  return [...wanted.values()];
}

interface NamedResource {
  readonly group: string;
  readonly resource: string;
  readonly namespaced: boolean;
}

/** A kind that is not served yet is known by the definition beside it; for any other, only who may do anything in its group will do. */
async function resourceOf(type: TypeRef, change: RightsNeeded, discovery: Discovery): Promise<NamedResource> {
  const group = groupOf(type.apiVersion);
  try {
    const { plural, namespaced } = await discovery.resolveKind(toKindRef(type));
    return { group, resource: plural, namespaced };
  } catch (error) {
    if (!isNoMatch(error)) throw error;
  }
  const definition = writtenIn(change).find(
    (one) =>
      one.kind === 'CustomResourceDefinition' &&
      readString(one, 'spec', 'group') === group &&
      readString(one, 'spec', 'names', 'kind') === type.kind,
  );
  return {
    group,
    resource: readString(definition, 'spec', 'names', 'plural') ?? '*',
    namespaced: definition !== undefined && readString(definition, 'spec', 'scope') === 'Namespaced',
  };
}

/** Why more is required than the right on one kind. */
function formatUnserved({ resource }: AccessRight, { apiVersion, kind }: ObjectAddress): string {
  return resource === '*' ? `the cluster serves no kind ${kind} of ${apiVersion}, and ` : '';
}

async function firstLacking(right: AccessRight, objects: readonly ObjectAddress[], asker: Requester): Promise<ObjectAddress | undefined> {
  if (await asker.may(right)) return undefined;
  if (right.verb === 'create' || objects.length > MAX_NAMED) return objects[0]; // what is not there yet has no name to hold a right by
  for (const object of objects) if (!(await asker.may({ ...right, name: object.name }))) return object;
  return undefined;
}

/** Roles may be given by who holds what is in them, or may escalate; bindings by who holds what they give, or may bind. */
async function explainGrant(object: KubeObject, change: RightsNeeded, asker: Requester): Promise<string | undefined> {
  const role = readString(object, 'roleRef', 'name');
  const kind = readString(object, 'roleRef', 'kind') ?? object.kind;
  const namespace = kind === 'Role' && object.metadata.namespace !== undefined ? { namespace: object.metadata.namespace } : {};
  const resource = kind === 'Role' ? 'roles' : 'clusterroles';
  const shortcut: AccessRight = {
    verb: role === undefined ? 'escalate' : 'bind',
    group: RBAC,
    resource,
    ...(kind === 'Role' ? {} : { isClusterScoped: true }),
    ...namespace,
    ...(role ? { name: role } : {}),
  };
  if (await asker.may(shortcut)) return undefined;
  try {
    await asker.tryCreate(object);
  } catch (error) {
    // Whether the rights may be given is judged before whether the name is taken.
    if (isAlreadyExists(error)) return undefined;
    // A role that comes with its binding has been judged itself.
    if (isNotFound(error) && role !== undefined && writtenIn(change).some((one) => one.kind === kind && one.metadata.name === role))
      return undefined;
    // Nobody can be tried as, so who holds what is given cannot be told: the right to give anything will do.
    if (isImpersonationRefused(error))
      return `${formatGiving(object, change, asker)}: the server may not impersonate them to find out whether they hold these rights, so it requires the right ${describeRight(shortcut)}; nothing was changed`;
    return `${formatGiving(object, change, asker)}: ${messageOf(error)}; nothing was changed`;
  }
  return undefined;
}

function formatGiving({ kind, metadata: { name, namespace } }: KubeObject, { application }: RightsNeeded, { user }: Requester): string {
  const what = describeObject({ kind, name, namespace: kind.startsWith('Cluster') ? undefined : namespace });
  return `${user} may not grant the rights in ${what}, which ${application} would have the server do for them`;
}

function withoutNamespace({ apiVersion, kind, name }: ObjectAddress): ObjectAddress {
  return { apiVersion, kind, name };
}

function toRight(verb: string, { group, resource, namespaced }: NamedResource, { namespace }: ObjectAddress): AccessRight {
  // Of a kind that nobody serves it is not known.
  return { verb, group, resource, ...(resource === '*' ? { ...(namespace && { namespace }) } : placeOfRight({ namespaced }, namespace)) };
}
