import type { GraphNode } from '@/lib/contract/graph-rows';
import type { HealthStatus } from '@/lib/contract/health';
import { HEALTH_STATUSES, severityOf } from '@/lib/contract/health';
import { markOf } from '@/lib/contract/tree-rows';
import { formatNumber } from '@/lib/words/figures';
import { metadataOf } from '../views/metadata';
import type { Branch } from './build';
import { kindOf } from './lines';

/** More siblings than so many are grouped by kind. */
const MAX_SIBLINGS = 30;
/** Siblings of one kind that are not well are named one by one, up to so many. */
const MAX_UNWELL = 20;
/** A kind with fewer members is not worth a group. */
const LEAST_GROUP = 4;
/** Sets of labels and owner that a group tells; of one whose members differ in more nobody looks closer. */
const MAX_MARKS = 8;
const WELL = severityOf('Current');

/** A node of the graph and the branches it stands for: one, or the members of a group. */
export interface Folded {
  readonly node: GraphNode;
  readonly branches: readonly Branch[];
}

/** Siblings, and the graph node that they hang below. */
export interface Siblings {
  readonly above: string;
  readonly branches: readonly Branch[];
}

/** Everything below these siblings as the graph shows it, upper levels first. Groups whose mark is open are not made. */
export function foldAll(top: readonly Siblings[], open: ReadonlySet<string>): readonly Folded[] {
  const shown: Folded[] = [];
  for (let level = top; level.length > 0; ) {
    const folded = level.flatMap((siblings) => foldSiblings(siblings, open));
    shown.push(...folded);
    level = folded.flatMap(({ node, branches: [only] }) =>
      node.type === 'group' || only === undefined || only.children.length === 0 ? [] : [{ above: node.id, branches: only.children }],
    );
  }
  return shown;
}

/** Everything that a node of the graph stands for: its branches, and of a group all below them. */
export function* representedIds({ node, branches }: Folded): Iterable<string> {
  for (const branch of branches) {
    yield branch.node.id;
    if (node.type === 'group') yield* idsBelow(branch);
  }
}

function* idsBelow({ children }: Branch): Iterable<string> {
  for (const child of children) {
    yield child.node.id;
    yield* idsBelow(child);
  }
}

function foldSiblings({ above, branches }: Siblings, open: ReadonlySet<string>): readonly Folded[] {
  if (branches.length <= MAX_SIBLINGS) return branches.map(single);
  const byKind = new Map<string, Branch[]>();
  for (const branch of branches) {
    const kind = kindOf(branch.node);
    const alike = byKind.get(kind);
    if (alike === undefined) byKind.set(kind, [branch]);
    else alike.push(branch);
  }
  return [...byKind].flatMap(([kind, alike]) => {
    // Siblings come worst first.
    const well = alike.findIndex(({ worst }) => worst >= WELL);
    const unwell = well < 0 ? alike : alike.slice(0, well);
    return [
      ...unwell.slice(0, MAX_UNWELL).map(single),
      ...group(`${above}+${kind}+unwell`, unwell.slice(MAX_UNWELL), open),
      ...group(`${above}+${kind}+well`, alike.slice(unwell.length), open),
    ];
  });
}

function group(id: string, members: readonly Branch[], open: ReadonlySet<string>): readonly Folded[] {
  const [first] = members;
  if (first === undefined || members.length < LEAST_GROUP || open.has(markOf(id))) return members.map(single);
  const byHealth = new Map<HealthStatus, number>();
  for (const { node } of members) byHealth.set(node.health, (byHealth.get(node.health) ?? 0) + 1);
  const counts = HEALTH_STATUSES.flatMap((health) => {
    const count = byHealth.get(health);
    return count === undefined ? [] : [{ health, count }];
  });
  const { rule: _ofFirst, ...node } = toNode(first);
  return [
    {
      branches: members,
      node: {
        ...node,
        id,
        key: id,
        type: 'group',
        uid: null,
        ns: members.every((member) => member.node.ns === first.node.ns) ? first.node.ns : null,
        name: `${formatNumber(members.length)} alike`,
        message: '',
        health: counts[0]?.health ?? 'Current',
        createdAt: null,
        revision: null,
        count: members.length,
        counts,
        marks: marksOfAll(members),
        under: first.node.parent === null ? null : markOf(first.node.parent),
      },
    },
  ];
}

function single(branch: Branch): Folded {
  return { node: toNode(branch), branches: [branch] };
}

/** What members are filtered by, each once. */
function marksOfAll(members: readonly Branch[]): GraphNode['marks'] {
  const told = new Map<string, NonNullable<GraphNode['marks']>[number]>();
  for (const { object } of members) {
    if (object === undefined) continue;
    const marks = metadataOf(object);
    told.set(JSON.stringify(marks), marks);
    if (told.size > MAX_MARKS) return null;
  }
  return [...told.values()];
}

function toNode(branch: Branch): GraphNode {
  const { parent: _parent, origin: _origin, component: _component, ...shared } = branch.node;
  return {
    ...shared,
    key: shared.id,
    type: 'object',
    note: null,
    count: null,
    counts: null,
    marks: marksOfAll([branch]),
    under: null,
    edges: [],
  };
}
