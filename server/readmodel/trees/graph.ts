import type { RevisionRow } from '@/lib/contract/application-rows';
import type { GraphEdge, GraphNode } from '@/lib/contract/graph-rows';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toObjectId } from '@/lib/kube/object';
import { formatCount } from '@/lib/words/figures';
import { toRevisions } from '../applications/application-detail';
import type { FactsDeps } from '../applications/application-facts';
import { statusOfCopy } from '../live-state';
import type { View } from '../views/live-window';
import { metadataOf } from '../views/metadata';
import type { Branch, TreeDeps } from './build';
import { findEdges } from './edges';
import type { Folded, Siblings } from './graph-fold';
import { foldAll, representedIds } from './graph-fold';
import type { DescribedTree } from './trees';

/** Nodes of one graph at most: what a browser lays out and draws in a moment. */
const MAX_NODES = 2000;
/** Edges that leave one node at most: a group stands for many. */
const MAX_EDGES = 200;

type GraphDeps = FactsDeps & Pick<TreeDeps, 'knownOf'>;

/** The graph of an application: its revisions, their trackers, what these record and what controllers made of that. */
export function toGraph(seen: DescribedTree, open: readonly string[], deps: GraphDeps): View {
  const links = new Links();
  const top = headNode(seen.facts.application, 'application', deps);
  const application: GraphNode = { ...top, health: seen.root.node.health, message: seen.root.node.message };
  const heads = linkHeads(seen, application.id, links, deps);
  const shown = foldAll(siblingsOf(seen.root, application.id, heads.trackers), new Set(open));
  linkObjects(seen.root, shown, heads.trackers, links);
  const all = [application, ...heads.nodes, ...shown.map(({ node }) => node)];
  const nodes = all.slice(0, MAX_NODES);
  const ids = new Set(nodes.map(({ id }) => id));
  const rows = nodes.map((node): GraphNode => ({ ...node, edges: links.of(node.id).filter(({ to }) => ids.has(to)) }));
  return { order: rows.map(({ key }) => key), rows: new Map(rows.map((row) => [row.key, row])), total: all.length };
}

interface Heads {
  readonly nodes: readonly GraphNode[];
  /** By the name of a tracker: the id of its node. */
  readonly trackers: ReadonlyMap<string, string>;
}

/** Revisions that have a tracker or are about to get one, and the trackers, each below its revision. */
function linkHeads({ facts }: DescribedTree, top: string, links: Links, deps: GraphDeps): Heads {
  const trackers = new Map(facts.trackers.map((tracker) => [tracker.metadata.name ?? '', headNode(tracker, 'tracker', deps)]));
  const revisions: GraphNode[] = [];
  const owned = new Set<string>();
  for (const row of toRevisions(facts, deps).filter(isShown)) {
    const object = deps.view.get(KINDS.applicationRevision, `${facts.application.metadata.namespace}/${row.name}`);
    if (object === undefined) continue;
    const node = { ...headNode(object, 'revision', deps), note: STATE_WORDS[row.state] };
    revisions.push(node);
    links.add(top, { to: node.id, kind: 'owns', note: null });
    const tracker = trackers.get(row.tracker ?? '');
    if (tracker === undefined) continue;
    links.add(node.id, { to: tracker.id, kind: 'owns', note: null });
    owned.add(tracker.id);
  }
  for (const { id } of trackers.values()) if (!owned.has(id)) links.add(top, { to: id, kind: 'owns', note: null });
  const counted = [...trackers].map(([name, node]) => ({ ...node, note: formatCount(deps.tracked.entriesOf(name).length, 'object') }));
  return { nodes: [...revisions, ...counted], trackers: new Map([...trackers].map(([name, { id }]) => [name, id])) };
}

const isShown = ({ tracker, state }: RevisionRow) => tracker !== null || state === 'target' || state === 'unapplied' || state === 'current';

const STATE_WORDS: Readonly<Record<RevisionRow['state'], string>> = {
  current: 'current',
  target: 'target',
  unapplied: 'not applied',
  previous: 'previous',
  rejected: 'rejected',
  superseded: 'superseded',
};

/** What is recorded, below the tracker that owns it. */
function siblingsOf(root: Branch, top: string, trackers: Heads['trackers']): readonly Siblings[] {
  const below = new Map<string, Branch[]>();
  for (const child of root.children) {
    const above = trackers.get(child.trackers.at(-1) ?? '') ?? top;
    const held = below.get(above);
    if (held === undefined) below.set(above, [child]);
    else held.push(child);
  }
  return [...below].map(([above, branches]) => ({ above, branches }));
}

function linkObjects(root: Branch, shown: readonly Folded[], trackers: Heads['trackers'], links: Links): void {
  const placed = new Map<string, string>();
  for (const folded of shown) for (const id of representedIds(folded)) placed.set(id, folded.node.id);
  for (const { node, branches } of shown) {
    for (const branch of branches) {
      for (const tracker of branch.trackers) links.add(trackers.get(tracker), { to: node.id, kind: 'records', note: null });
      if (branch.trackers.length === 0) links.add(placed.get(branch.node.parent ?? ''), { to: node.id, kind: 'owns', note: null });
    }
  }
  for (const [from, edges] of findEdges(allBelow(root))) {
    for (const edge of edges) {
      const [source, target] = [placed.get(from), placed.get(edge.to)];
      if (target !== undefined && source !== target) links.add(source, { ...edge, to: target });
    }
  }
}

function allBelow({ children }: Branch): readonly Branch[] {
  const found: Branch[] = [];
  const stack = [...children];
  for (let branch = stack.pop(); branch !== undefined; branch = stack.pop()) {
    found.push(branch);
    stack.push(...branch.children);
  }
  return found;
}

function headNode(object: KubeObject, type: GraphNode['type'], deps: GraphDeps): GraphNode {
  const { apiVersion, kind } = object;
  const { namespace, name = '', uid, creationTimestamp } = object.metadata;
  const { health, message, rule } = statusOfCopy(object, deps);
  const id = toObjectId({ apiVersion, kind, namespace, name });
  return {
    ...{ id, key: id, type, apiVersion, kind, name, health, message, ...(rule === undefined ? {} : { rule }) },
    ns: namespace ?? null,
    uid: uid ?? null,
    createdAt: creationTimestamp ?? null,
    known: deps.knownOf({ apiVersion, kind, namespace, name }),
    ...{ revision: null, note: null, count: null, counts: null, marks: [metadataOf(object)], under: null, edges: [] },
  };
}

/** Edges by the node that they leave, each once. */
class Links {
  readonly #from = new Map<string, Map<string, GraphEdge>>();

  add(from: string | undefined, edge: GraphEdge): void {
    if (from === undefined) return;
    const held = this.#from.get(from) ?? new Map<string, GraphEdge>();
    this.#from.set(from, held);
    const name = `${edge.kind} ${edge.to}`;
    if (held.size < MAX_EDGES || held.has(name)) held.set(name, edge);
  }

  of(id: string): readonly GraphEdge[] {
    return [...(this.#from.get(id)?.values() ?? [])];
  }
}
