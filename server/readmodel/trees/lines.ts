import { HEALTH_STATUSES } from '@/lib/contract/health';
import type { Facets } from '@/lib/contract/lists/facets';
import { metadataFilter } from '@/lib/contract/lists/metadata-filter';
import type { TreeQuery } from '@/lib/contract/lists/tree-query';
import { formatTreeQuery, isNarrowed } from '@/lib/contract/lists/tree-query';
import type { ObjectCounts, TreeLine, TreeLocation, TreeNode } from '@/lib/contract/tree-rows';
import { markOf, TREE_PAGE } from '@/lib/contract/tree-rows';
import { toFacets } from '../views/facets';
import type { View } from '../views/live-window';
import { metadataOf } from '../views/metadata';
import type { Branch } from './build';

/** Orders that are kept of one tree: as many as people filter one application by at the same time. */
const MAX_ORDERS = 8;

interface Place {
  readonly branch: Branch;
  readonly depth: number;
  readonly owner: Branch | undefined;
}

/** The lines of one tree as it is now, by any query: what two pages of one list need is made once. */
export interface TreeLines {
  page(query: TreeQuery): View;
  location(id: string, query: TreeQuery): TreeLocation | undefined;
  counts(): ObjectCounts;
  /** What they can be filtered by; what no copy is there of tells nothing. */
  facets(): Facets;
}

/** Lists the nodes of a tree. */
export function toTreeLines(root: Branch): TreeLines {
  const orders = new Map<string, readonly Place[]>();
  const orderOf = ({ page: _page, ...query }: TreeQuery): readonly Place[] => {
    const name = formatTreeQuery(query);
    const held = orders.get(name);
    if (held !== undefined) return held;
    if (orders.size >= MAX_ORDERS) orders.clear();
    const order = isNarrowed(query) ? match(root, query) : unfold(root, new Set(query.closed));
    orders.set(name, order);
    return order;
  };
  return {
    page(query) {
      const order = orderOf(query);
      const start = (query.page ?? 0) * TREE_PAGE;
      const closed = new Set(isNarrowed(query) ? [] : query.closed);
      const rows = order.slice(start, start + TREE_PAGE).map((place) => toLine(place, closed, isNarrowed(query)));
      return { order: rows.map(({ key }) => key), rows: new Map(rows.map((row) => [row.key, row])), total: order.length };
    },
    location(id, query) {
      const line = pathTo(root, id);
      const node = line?.[0]?.node;
      if (line === undefined || node === undefined) return undefined;
      const at = orderOf(query).findIndex(({ branch }) => branch.node.id === id);
      return { key: id, node, owners: line.slice(1).map((branch) => branch.node), at: at < 0 ? null : at };
    },
    counts: () => countObjects(root),
    facets: () => toFacets(root.node.id, marked(root), 'all'),
  };
}

/** How ids of a kind begin. */
export function kindOf({ id }: Pick<TreeNode, 'id'>): string {
  return id.slice(0, id.indexOf('/'));
}

/** The whole tree, what is closed left out. A stack and no recursion: the lines of ten thousand are one array. */
function unfold(root: Branch, closed: ReadonlySet<string>): readonly Place[] {
  const order: Place[] = [];
  const stack: Place[] = [{ branch: root, depth: 0, owner: undefined }];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    order.push(at);
    const { branch, depth } = at;
    if (branch.children.length === 0 || (closed.size > 0 && closed.has(markOf(branch.node.id)))) continue;
    for (let child = branch.children.length - 1; child >= 0; child--) {
      const below = branch.children[child];
      if (below !== undefined) stack.push({ branch: below, depth: depth + 1, owner: branch });
    }
  }
  return order;
}

/** What matches, the worst first; each names what it hangs below, since that is not above it here. */
function match(root: Branch, query: TreeQuery): readonly Place[] {
  const { q, kind, status, under } = query;
  const namespaces = query.ns && new Set(query.ns);
  const isMarked = metadataFilter(query);
  const wanted = q?.toLowerCase();
  const isWanted = ({ node, object }: Branch) =>
    (kind === undefined || kindOf(node) === kind) &&
    (status === undefined || (status === 'unwell' ? node.health !== 'Current' : node.health === status)) &&
    (namespaces === undefined || (node.ns !== null && namespaces.has(node.ns))) &&
    // What there is no copy of has labels and an owner that nobody knows.
    (isMarked === undefined || (object !== undefined && isMarked(metadataOf(object)))) &&
    (wanted === undefined || `${node.kind} ${node.name} ${node.message}`.toLowerCase().includes(wanted));
  const found = unfold(root, new Set()).filter(
    ({ branch, owner }) => isWanted(branch) && (under === undefined || (owner !== undefined && markOf(owner.node.id) === under)),
  );
  const severity = new Map(HEALTH_STATUSES.map((health, at) => [health, at]));
  const rank = ({ branch }: Place) => severity.get(branch.node.health) ?? 0;
  return found.map((place) => ({ ...place, depth: 0 })).sort((a, b) => rank(a) - rank(b));
}

function toLine({ branch, depth, owner }: Place, closed: ReadonlySet<string>, isFlat: boolean): TreeLine {
  const { node, children, worst } = branch;
  const { kind, name } = owner?.node ?? {};
  return {
    ...node,
    key: node.id,
    depth,
    children: isFlat ? 0 : children.length,
    isClosed: closed.size > 0 && closed.has(markOf(node.id)),
    worst: HEALTH_STATUSES[worst] ?? node.health,
    owner: isFlat && kind !== undefined && name !== undefined ? { kind, name } : null,
  };
}

/** The branch of an id and those above it, from the bottom up. */
function pathTo(root: Branch, id: string): readonly Branch[] | undefined {
  const above = new Map<Branch, Branch>();
  const stack = [root];
  for (let branch = stack.pop(); branch !== undefined; branch = stack.pop()) {
    if (branch.node.id === id) {
      const path = [branch];
      for (let owner = above.get(branch); owner !== undefined; owner = above.get(owner)) path.push(owner);
      return path;
    }
    for (const child of branch.children) {
      above.set(child, branch);
      stack.push(child);
    }
  }
  return undefined;
}

function* marked(root: Branch) {
  for (const { branch } of unfold(root, new Set()))
    if (branch.object !== undefined) yield { ns: branch.node.ns, ...metadataOf(branch.object) };
}

function countObjects(root: Branch): ObjectCounts {
  const kinds = new Map<string, number>();
  const statuses = new Map<string, number>();
  const namespaces = new Map<string, number>();
  let oldestPoll: string | null = null;
  for (const { branch } of unfold(root, new Set())) {
    const { node } = branch;
    const kind = kindOf(node);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    statuses.set(node.health, (statuses.get(node.health) ?? 0) + 1);
    if (node.ns !== null) namespaces.set(node.ns, (namespaces.get(node.ns) ?? 0) + 1);
    const polledAt = node.origin === 'recorded' && node.known.source === 'poll' ? node.known.at : null;
    if (polledAt !== null && (oldestPoll === null || polledAt < oldestPoll)) oldestPoll = polledAt;
  }
  return {
    total: root.size,
    kinds: [...kinds].map(([kind, count]) => ({ kind, count })).sort((a, b) => (a.kind < b.kind ? -1 : 1)),
    statuses: HEALTH_STATUSES.flatMap((health) => {
      const count = statuses.get(health);
      return count === undefined ? [] : [{ health, count }];
    }),
    namespaces: [...namespaces].map(([ns, count]) => ({ ns, count })).sort((a, b) => (a.ns < b.ns ? -1 : 1)),
    oldestPoll,
  };
}
