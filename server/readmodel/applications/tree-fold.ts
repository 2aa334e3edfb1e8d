import type { TreeNode } from '@/lib/contract/application-rows';
import type { HealthStatus } from '@/lib/contract/health';
import { HEALTH_STATUSES, severityOf } from '@/lib/contract/health';
import { groupOf } from '@/lib/kube/object';

/** Siblings of one kind that are well, with all below them: more than so many stand behind one line. */
const MAX_WELL = 5;
/** Siblings of one kind that are not well are named one by one, up to so many. */
const MAX_UNWELL = 20;
/** Members of one group that are sent along, so that it can be opened. */
const MAX_MEMBERS = 50;
/** Nodes sent at most. A row is pushed whole when anything in it changes; its size is what every change costs. */
const MAX_NODES = 500;

/** An object with everything below it. */
export interface Branch {
  readonly node: TreeNode;
  readonly children: readonly Branch[];
}

/** A branch as it is shown: children ordered and folded, and of a group the members that may be opened. */
interface Shown {
  readonly node: TreeNode;
  readonly children: readonly Shown[];
  readonly members: readonly Branch[];
}

/** Objects of a tree in all. */
export function sizeOf({ children }: Branch): number {
  return children.reduce((sum, child) => sum + sizeOf(child), 1);
}

/**
 * The nodes that are sent.
 *
 * 1. Siblings stand worst first; what is worst counts with everything below it.
 * 2. Alike siblings are folded into one node that says how many are how. Nothing that is not well is hidden behind what is well.
 * 3. When there are too many nodes, lines come before members of groups, and upper levels before lower ones.
 */
export function toShownNodes(root: Branch): TreeNode[] {
  const worst = new Map<Branch, number>();
  rank(root, worst);
  const nodes: TreeNode[] = [];
  const groups: Shown[] = [];
  let level: readonly Shown[] = [show(root, worst)];
  while (level.length > 0) {
    for (const shown of level) {
      if (nodes.length < MAX_NODES) nodes.push(shown.node);
      if (shown.members.length > 0) groups.push(shown);
    }
    level = nodes.length < MAX_NODES ? level.flatMap((shown) => shown.children) : [];
  }
  for (const { node, members } of groups) {
    for (const member of members.slice(0, Math.min(MAX_MEMBERS, MAX_NODES - nodes.length))) nodes.push({ ...member.node, parent: node.id });
  }
  return nodes;
}

function rank(branch: Branch, worst: Map<Branch, number>): number {
  let least = severityOf(branch.node.health);
  for (const child of branch.children) least = Math.min(least, rank(child, worst));
  worst.set(branch, least);
  return least;
}

function show(branch: Branch, worst: ReadonlyMap<Branch, number>): Shown {
  return { node: branch.node, children: fold(branch.children, worst), members: [] };
}

/** A line among its siblings. */
interface Placed {
  readonly rank: number;
  readonly shown: Shown;
}

function fold(siblings: readonly Branch[], worst: ReadonlyMap<Branch, number>): readonly Shown[] {
  const byKind = new Map<string, Branch[]>();
  for (const one of siblings) {
    const kind = `${one.node.kind}.${groupOf(one.node.apiVersion)}`;
    const alike = byKind.get(kind);
    if (alike === undefined) byKind.set(kind, [one]);
    else alike.push(one);
  }
  return [...byKind.values()]
    .flatMap((alike) => foldAlike(alike, worst))
    .sort((a, b) => a.rank - b.rank || compare(a.shown.node.kind, b.shown.node.kind))
    .map(({ shown }) => shown);
}

function foldAlike(alike: readonly Branch[], worst: ReadonlyMap<Branch, number>): readonly Placed[] {
  const rankOf = (branch: Branch) => worst.get(branch) ?? 0;
  const sorted = [...alike].sort((a, b) => rankOf(a) - rankOf(b) || compare(a.node.name, b.node.name));
  const unwell = sorted.filter((one) => rankOf(one) < WELL);
  const well = sorted.slice(unwell.length);
  const [shownWell, foldedWell] = well.length > MAX_WELL ? [[], well] : [well, []];
  const single = [...unwell.slice(0, MAX_UNWELL), ...shownWell].map((one): Placed => ({ rank: rankOf(one), shown: show(one, worst) }));
  const groups = [unwell.slice(MAX_UNWELL), foldedWell].flatMap((folded): readonly Placed[] => {
    const [first] = folded;
    return first === undefined ? [] : [{ rank: rankOf(first), shown: groupOfAlike(first.node, folded) }];
  });
  return [...single, ...groups];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const WELL = severityOf('Current');

function groupOfAlike(first: TreeNode, members: readonly Branch[]): Shown {
  const byHealth = new Map<HealthStatus, number>();
  for (const { node } of members) byHealth.set(node.health, (byHealth.get(node.health) ?? 0) + 1);
  const counts = HEALTH_STATUSES.flatMap((health) => {
    const count = byHealth.get(health);
    return count === undefined ? [] : [{ health, count }];
  });
  const health = counts[0]?.health ?? 'Current';
  const { rule: _ofFirst, ...shared } = first;
  const node: TreeNode = {
    ...shared,
    // Stable while members come and go, so that an opened group stays open.
    id: `${first.parent}+${first.kind}.${groupOf(first.apiVersion)}+${health === 'Current' ? 'well' : 'unwell'}`,
    uid: null,
    name: `${members.length} alike`,
    message: '',
    origin: 'group',
    count: members.length,
    counts,
    health,
    component: null,
    revision: members.every((one) => one.node.revision === first.revision) ? first.revision : null,
    createdAt: null,
  };
  return { node, children: [], members };
}
