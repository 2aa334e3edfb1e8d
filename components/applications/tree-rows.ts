import type { TreeNode } from '@/lib/contract/application-rows';
import type { HealthStatus } from '@/lib/contract/health';
import { HEALTH_STATUSES } from '@/lib/contract/health';

/** A line of the resource tree as it is shown. */
export interface TreeLine {
  readonly node: TreeNode;
  readonly depth: number;
  readonly children: number;
  /** The node's revision where it is not its owner's, so that each is named once. */
  readonly revision: string | null;
  /** Worst health of the node and of everything below it. */
  readonly worst: HealthStatus;
}

const rank = (health: HealthStatus) => HEALTH_STATUSES.indexOf(health);

/**
 * The tree as lines: children under their owner, what is worst first on every level, then by kind and name. What lies under a
 * closed node is left out. A node whose owner is not in the tree, or that owns itself by a detour, stands at the top, so that
 * nothing disappears.
 */
export function toTreeLines(nodes: readonly TreeNode[], closed: ReadonlySet<string>): readonly TreeLine[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const below = new Map<string | null, TreeNode[]>();
  for (const node of nodes) {
    const parent = hangsFromTop(node, byId) ? node.parent : null;
    const siblings = below.get(parent);
    if (siblings === undefined) below.set(parent, [node]);
    else siblings.push(node);
  }
  const worst = new Map<string, HealthStatus>();
  const worstOf = (node: TreeNode): HealthStatus => {
    const held = worst.get(node.id);
    if (held !== undefined) return held;
    const found = (below.get(node.id) ?? []).reduce<HealthStatus>((least, child) => {
      const health = worstOf(child);
      return rank(health) < rank(least) ? health : least;
    }, node.health);
    worst.set(node.id, found);
    return found;
  };
  const lines: TreeLine[] = [];
  const add = (parent: string | null, depth: number) => {
    const level = (below.get(parent) ?? []).map((node) => ({ node, health: worstOf(node) }));
    level.sort((a, b) => rank(a.health) - rank(b.health) || compare(a.node.kind, b.node.kind) || compare(a.node.name, b.node.name));
    for (const { node, health } of level) {
      lines.push({
        node,
        depth,
        revision: node.revision === byId.get(parent ?? '')?.revision ? null : node.revision,
        children: below.get(node.id)?.length ?? 0,
        worst: health,
      });
      if (!closed.has(node.id)) add(node.id, depth + 1);
    }
  };
  add(null, 0);
  return lines;
}

/** Whether going from owner to owner ends at the top. */
function hangsFromTop(node: TreeNode, byId: ReadonlyMap<string, TreeNode>): boolean {
  const passed = new Set<string>();
  for (let at: TreeNode | undefined = node; at !== undefined && at.parent !== null; at = byId.get(at.parent)) {
    if (!byId.has(at.parent)) return at !== node;
    if (passed.has(at.id)) return false;
    passed.add(at.id);
  }
  return true;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Owners of a node, from the one just above it up to the application; groups own nothing. */
export function ownersOf(node: TreeNode, nodes: readonly TreeNode[]): readonly TreeNode[] {
  const byId = new Map(nodes.map((one) => [one.id, one]));
  const owners: TreeNode[] = [];
  const passed = new Set([node.id]);
  for (let at = byId.get(node.parent ?? ''); at !== undefined && !passed.has(at.id); at = byId.get(at.parent ?? '')) {
    passed.add(at.id);
    if (at.origin !== 'group') owners.push(at);
  }
  return owners;
}
