import type { TreeNode } from '@/lib/contract/application-rows';
import { readString } from '@/lib/kube/fields';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { toObjectId } from '@/lib/kube/object';
import type { ClusterView } from '../cluster-view';
import type { Health } from '../live-state';
import { statusOfCopy } from '../live-state';
import type { ApplicationFacts, TrackedObject } from './application-facts';
import type { Branch } from './tree-fold';
import { sizeOf, toShownNodes } from './tree-fold';

type Known = TreeNode['known'];
type ObjectPlace = Pick<ObjectAddress, 'apiVersion' | 'kind' | 'name'> & { readonly namespace?: string | undefined };

/** What a tree is made from. */
export interface TreeDeps {
  readonly view: ClusterView;
  readonly healthOf: (object: KubeObject) => Health;
  /** How an object is known now. */
  readonly knownOf: (at: ObjectPlace) => Known;
}

/** The resource tree of an application: what trackers list, and below it what controllers made of it. Worst first within each parent. */
export function toTree(facts: ApplicationFacts, deps: TreeDeps): { readonly nodes: TreeNode[]; readonly total: number } {
  const known = createKnown(deps.knownOf);
  const root = rootNode(facts, known);
  const below = (object: KubeObject | undefined, node: TreeNode): readonly Branch[] =>
    object?.metadata.uid === undefined
      ? []
      : deps.view.children(object.metadata.uid).map((child) => {
          const made = generatedNode(child, node, deps, known);
          return { node: made, children: below(child, made) };
        });
  const children = dedupe(facts.objects).map((one) => {
    const node = recordedNode(one, root.id, known);
    return { node, children: below(one.object, node) };
  });
  const tree = { node: root, children };
  return { nodes: toShownNodes(tree), total: sizeOf(tree) };
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
    count: null,
    counts: null,
    component: null,
    revision: null,
    known: known(placeOf(application)),
  };
}

function healthFields({ health, message, rule }: Health): Pick<TreeNode, 'health' | 'message' | 'rule'> {
  return { health, message, ...(rule === undefined ? {} : { rule }) };
}

/** One object is listed by several trackers while it is handed over; the newest listing stands. */
function dedupe(objects: readonly TrackedObject[]): readonly TrackedObject[] {
  const byId = new Map<string, TrackedObject>();
  for (const one of objects) byId.set(toObjectId(one), one);
  return [...byId.values()];
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
    count: null,
    counts: null,
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
    count: null,
    counts: null,
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

/** Images of the containers of a workload, first one only: what a revision runs. */
export function imageOf(workload: KubeObject | undefined): string | undefined {
  return readString(workload, 'spec', 'template', 'spec', 'containers', 0, 'image');
}
