import type { HierarchyNode } from 'd3-hierarchy';
import { partition, stratify } from 'd3-hierarchy';
import type { EdgeKind } from '@/lib/contract/graph-rows';

/** Size of a node and room around it, in pixels. */
export const NODE_WIDTH = 200;
/** Below this zoom words could not be read, and are not drawn. */
export const FAR = 0.45;
export const NODE_HEIGHT = 44;
/** Between two columns, and between two lines: edges pass there. */
export const COLUMN_GAP = 60;
export const LINE_GAP = 16;
const [COLUMN, LINE] = [NODE_WIDTH + COLUMN_GAP, NODE_HEIGHT + LINE_GAP];

/** As much of a graph as a layout needs: nodes in the order in which siblings stand. */
export interface LayoutInput {
  readonly nodes: readonly { readonly id: string; readonly edges: readonly { readonly to: string; readonly kind: EdgeKind }[] }[];
}

/** Where the upper left corner of a node is. */
export interface NodePosition {
  readonly id: string;
  readonly x: number;
  readonly y: number;
}

interface Row {
  readonly id: string;
  readonly parent: string;
  /** Place among all nodes. */
  readonly at: number;
}

type Parents = Map<string, string>;

/** What everything that nothing owns hangs from; no object has such an id. */
const TOP = '*';
const HANGS: ReadonlySet<EdgeKind> = new Set(['owns', 'records']);
/** More leaves of one owner than so many stand several in a line. */
const MAX_BELOW = 6;
const ABREAST = 4;
/** What puts a node right of its sibling; the first that does so counts. */
const LEADS: readonly EdgeKind[] = ['routes', 'selects', 'scales'];

/**
 * Places the nodes from left to right: what owns or records stands left of what it owns; what routes to, selects or scales a sibling
 * stands before it, so that requests are read along a line. The first child, which is the worst, stands in the line of its owner, so
 * that the first line leads to what is wrong. Close to linear in the number of nodes: a thousand take milliseconds.
 */
export function layOut({ nodes }: LayoutInput): readonly NodePosition[] {
  if (nodes.length === 0) return [];
  const known = new Set(nodes.map(({ id }) => id));
  const parents = packLeaves(nodes, leadSiblings(nodes, parentsOf(nodes, known)));
  const rows = nodes.map(({ id }, at): Row => ({ id, parent: parents.get(id) ?? TOP, at }));
  const root = stratify<Row>()
    .id(({ id }) => id)
    .parentId(({ id, parent }) => (id === TOP ? null : parent))([{ id: TOP, parent: '', at: -1 }, ...rows]);
  sortByFirst(root);
  // A band for everything below a node, as high as the leaves in it: the node stands at its upper end, beside the first of its children.
  root.count();
  const placed = partition<Row>().size([(root.value ?? 1) * LINE, root.height + 1])(root);
  return placed.descendants().flatMap(({ id = '', x0, depth }) => (id === TOP ? [] : [{ id, x: (depth - 1) * COLUMN, y: x0 }]));
}

/** What each node hangs below: the last that owns or records it, which of trackers is the newest. Rings are cut. */
function parentsOf(nodes: LayoutInput['nodes'], known: ReadonlySet<string>): Parents {
  const parents: Parents = new Map();
  for (const { id, edges } of nodes) {
    for (const { to, kind } of edges) if (HANGS.has(kind) && known.has(to) && !isAbove(to, id, parents)) parents.set(to, id);
  }
  return parents;
}

/** Hangs what is routed to, selected or scaled below the sibling that does so. Rings are cut. */
function leadSiblings(nodes: LayoutInput['nodes'], owners: ReadonlyMap<string, string>): Parents {
  const parents: Parents = new Map(owners);
  const led = new Set<string>();
  for (const wanted of LEADS) {
    for (const { id, edges } of nodes) {
      for (const { to, kind } of edges) {
        if (kind !== wanted || led.has(to) || owners.get(id) === undefined || owners.get(id) !== owners.get(to) || isAbove(to, id, parents))
          continue;
        led.add(to);
        parents.set(to, id);
      }
    }
  }
  return parents;
}

/** Where one owner has many leaves, pods for example, several stand in a line: hung below each other, each is a column further. */
function packLeaves(nodes: LayoutInput['nodes'], owners: ReadonlyMap<string, string>): Parents {
  const parents: Parents = new Map(owners);
  const inner = new Set(owners.values());
  const leaves = new Map<string, string[]>();
  for (const { id } of nodes) {
    const owner = owners.get(id);
    if (owner === undefined || inner.has(id)) continue;
    const held = leaves.get(owner);
    if (held === undefined) leaves.set(owner, [id]);
    else held.push(id);
  }
  for (const ids of leaves.values()) {
    if (ids.length <= MAX_BELOW) continue;
    for (const [at, id] of ids.entries()) {
      const before = ids[at - 1];
      if (before !== undefined && at % ABREAST !== 0) parents.set(id, before);
    }
  }
  return parents;
}

function isAbove(id: string, below: string, parents: ReadonlyMap<string, string>): boolean {
  for (let at: string | undefined = below; at !== undefined; at = parents.get(at)) if (at === id) return true;
  return false;
}

/** Siblings in their order, each where the first of all below it would stand. */
function sortByFirst(root: HierarchyNode<Row>): void {
  const first = new Map<HierarchyNode<Row>, number>();
  const firstOf = (node: HierarchyNode<Row>) => first.get(node) ?? node.data.at;
  root.eachAfter((node) => first.set(node, Math.min(node.data.at, ...(node.children ?? []).map(firstOf))));
  root.sort((a, b) => firstOf(a) - firstOf(b));
}
