import { severityOf } from '@/lib/contract/health';
import type { TreeNode } from '@/lib/contract/tree-rows';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { toObjectId } from '@/lib/kube/object';
import type { ApplicationFacts, TrackedObject } from '../applications/application-facts';
import type { ClusterView } from '../cluster-view';
import type { Health } from '../live-state';
import { statusOfCopy } from '../live-state';
import { ownerTracker } from '../trackers/tracker-row';

type Known = TreeNode['known'];
type ObjectPlace = Pick<ObjectAddress, 'apiVersion' | 'kind' | 'name'> & { readonly namespace?: string | undefined };

/** What a tree is made from. */
export interface TreeDeps {
  readonly view: ClusterView;
  readonly healthOf: (object: KubeObject) => Health;
  /** How an object is known now. */
  readonly knownOf: (at: ObjectPlace) => Known;
}

/** An object with everything below it. */
export interface Branch {
  readonly node: TreeNode;
  /** The copy it was made from; undefined where there is none. */
  readonly object: KubeObject | undefined;
  readonly children: readonly Branch[];
  /** Severity of the worst of it and of all below it. */
  readonly worst: number;
  /** It and everything below it. */
  readonly size: number;
  /** Of what trackers record: their names, that of its owner last. */
  readonly trackers: readonly string[];
}

/** The resource tree of an application: what trackers list, and below it what controllers made of it. Worst first within each parent. */
export function toTree(facts: ApplicationFacts, deps: TreeDeps): Branch {
  const known = createKnown(deps.knownOf);
  const root = rootNode(facts, known);
  // What two owners name is shown once, below the first.
  const seen = new Set<string>([root.id]);
  const below = (object: KubeObject | undefined, node: TreeNode): readonly Branch[] => {
    const uid = object?.metadata.uid;
    return uid === undefined ? [] : deps.view.children(uid).flatMap((child) => branchBelow(child, node));
  };
  const branchBelow = (child: KubeObject, parent: TreeNode): readonly Branch[] => {
    const node = generatedNode(child, parent, deps, known);
    if (seen.has(node.id)) return [];
    seen.add(node.id);
    return [toBranch(node, child, below(child, node))];
  };
  const listed = dedupe(facts.objects);
  for (const { one } of listed) seen.add(toObjectId(one));
  const children = listed.map(({ one, trackers }) => {
    const node = recordedNode(one, root.id, known);
    return toBranch(node, one.object, below(one.object, node), trackers);
  });
  return toBranch(root, facts.application, children);
}

function toBranch(node: TreeNode, object: KubeObject | undefined, children: readonly Branch[], trackers: readonly string[] = []): Branch {
  let [worst, size] = [severityOf(node.health), 1];
  for (const child of children) {
    worst = Math.min(worst, child.worst);
    size += child.size;
  }
  return { node, object, children: children.length > 1 ? [...children].sort(worstFirst) : children, worst, size, trackers };
}

function worstFirst(a: Branch, b: Branch): number {
  return a.worst - b.worst || compare(a.node.kind, b.node.kind) || compare(a.node.name, b.node.name);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Thousands of nodes are of a few kinds; what is watched is known as well as every other of its kind. */
function createKnown(knownOf: TreeDeps['knownOf']): TreeDeps['knownOf'] {
  const held = new Map<string, Known>();
  return (at) => {
    const kind = `${at.apiVersion} ${at.kind}`;
    const known = held.get(kind) ?? knownOf(at);
    if (known.source === 'watch') held.set(kind, known);
    return known;
  };
}

function rootNode({ application, status }: ApplicationFacts, known: TreeDeps['knownOf']): TreeNode {
  return {
    ...identityOf(application),
    parent: null,
    ...healthFields(status),
    origin: 'application',
    component: null,
    revision: null,
    known: known(placeOf(application)),
  };
}

function healthFields({ health, message, rule }: Health): Pick<TreeNode, 'health' | 'message' | 'rule'> {
  return { health, message, ...(rule === undefined ? {} : { rule }) };
}

/** One object is listed by several trackers while it is handed over, and after an abort. It is shown once, as the tracker lists it that owns it. */
function dedupe(objects: readonly TrackedObject[]): readonly { readonly one: TrackedObject; readonly trackers: readonly string[] }[] {
  const byId = new Map<string, TrackedObject[]>();
  for (const one of objects) {
    const id = toObjectId(one);
    const held = byId.get(id);
    if (held === undefined) byId.set(id, [one]);
    else held.push(one);
  }
  return [...byId.values()].flatMap((listings) => {
    const one = listingOfOwner(listings);
    return one === undefined ? [] : [{ one, trackers: [...listings.filter((other) => other !== one), one].map(({ tracker }) => tracker) }];
  });
}

/** The newest where none of them owns the object. */
function listingOfOwner(listings: readonly TrackedObject[]): TrackedObject | undefined {
  const newest = listings.at(-1);
  if (listings.length < 2) return newest;
  const owner = ownerTracker(newest?.object);
  return listings.find(({ tracker }) => tracker === owner) ?? newest;
}

function recordedNode(one: TrackedObject, parent: string, known: TreeDeps['knownOf']): TreeNode {
  return {
    id: toObjectId(one),
    parent,
    apiVersion: one.apiVersion,
    kind: one.kind,
    ns: one.namespace ?? null,
    name: one.name,
    uid: one.object?.metadata.uid ?? null,
    ...healthFields(one.status),
    origin: 'recorded',
    component: one.component ?? null,
    revision: one.revision ?? null,
    createdAt: one.object?.metadata.creationTimestamp ?? null,
    known: known(one),
  };
}

function generatedNode(object: KubeObject, parent: TreeNode, deps: TreeDeps, known: TreeDeps['knownOf']): TreeNode {
  const told = statusOfCopy(object, deps);
  return {
    ...identityOf(object),
    parent: parent.id,
    ...healthFields(told),
    origin: 'generated',
    component: parent.component,
    revision: parent.revision,
    known: known(placeOf(object)),
  };
}

function placeOf({ apiVersion, kind, metadata: { namespace, name = '' } }: KubeObject): ObjectPlace {
  return { apiVersion, kind, namespace, name };
}

function identityOf(object: KubeObject): Pick<TreeNode, 'id' | 'apiVersion' | 'kind' | 'ns' | 'name' | 'uid' | 'createdAt'> {
  const { namespace, name = '', uid, creationTimestamp } = object.metadata;
  return {
    id: toObjectId({ ...object, namespace, name }),
    apiVersion: object.apiVersion,
    kind: object.kind,
    ns: namespace ?? null,
    name,
    uid: uid ?? null,
    createdAt: creationTimestamp ?? null,
  };
}
