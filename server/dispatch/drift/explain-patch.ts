import type { PathStep } from '@/lib/kube/field-owners';
import type { Fields } from '@/lib/kube/fields';
import { isFields } from '@/lib/kube/fields';
import { deepEqual } from '@/lib/std/deep-equal';
import type { MemberRule, MergeRules } from '../apply/merge-rules';

/** How a field differs: it has another value, it is gone, it is there although we took it out, or a list has another order. */
export type DifferenceKind = 'changed' | 'removed' | 'added' | 'reordered';

/** One field that a patch would write. */
export interface Difference {
  readonly steps: readonly PathStep[];
  readonly kind: DifferenceKind;
  readonly wanted: unknown;
  readonly found: unknown;
}

interface Node {
  readonly patch: Fields;
  readonly wanted: Fields;
  readonly found: Fields;
  readonly rules: MergeRules | undefined;
  readonly steps: readonly PathStep[];
}

const ORDER = '$setElementOrder/';
const TAKEN_OUT = '$deleteFromPrimitiveList/';
/** A list with more entries that differ is told as one. */
const MAX_ENTRIES = 50;

/** The fields that a patch of `computeThreeWayPatch` writes: none for an empty patch, at least one for any other. */
export function explainPatch(node: Node): readonly Difference[] {
  const { patch, wanted, found, steps } = node;
  if (patch.$patch === 'replace') return differences(wanted, found, steps);
  return Object.entries(patch).flatMap(([member, value]) => {
    if (member === '$retainKeys') return excluded(value, node);
    if (member.startsWith(ORDER)) return reordered(member.slice(ORDER.length), node);
    if (member.startsWith(TAKEN_OUT)) return takenOut(member.slice(TAKEN_OUT.length), value, steps);
    return explainMember(member, value, node);
  });
}

/** Members that must not stand beside what is wanted, since a union has one of them. */
function excluded(stay: unknown, { patch, found, steps }: Node): readonly Difference[] {
  const kept = Array.isArray(stay) ? stay : [];
  const going = Object.entries(found).filter(([member]) => !kept.includes(member) && !(member in patch));
  return going.map(([member, value]) => ({ steps: [...steps, member], kind: 'added', wanted: undefined, found: value }));
}

function reordered(member: string, { patch, wanted, found, rules, steps }: Node): readonly Difference[] {
  if (member in patch) return [];
  const key = rules?.rule(member)?.mergeKey ?? '';
  const keys = (list: unknown) => (Array.isArray(list) ? list.map((entry) => (isFields(entry) ? entry[key] : entry)) : []);
  const order = keys(wanted[member]);
  return [{ steps: [...steps, member], kind: 'reordered', wanted: order, found: keys(found[member]).filter((one) => order.includes(one)) }];
}

function takenOut(member: string, values: unknown, steps: readonly PathStep[]): readonly Difference[] {
  const list: readonly unknown[] = Array.isArray(values) ? values : [];
  return list.map((item) => ({ steps: [...steps, member, { item }], kind: 'added', wanted: undefined, found: item }));
}

function explainMember(member: string, value: unknown, { wanted, found, rules, steps }: Node): readonly Difference[] {
  const here = [...steps, member];
  const want = own(wanted, member);
  const live = own(found, member);
  if (value === null) return [{ steps: here, kind: 'added', wanted: undefined, found: live }];
  const rule = rules?.rule(member) ?? {};
  const inside = rules?.inside(member);
  if (Array.isArray(value) && Array.isArray(want) && Array.isArray(live)) {
    if (rule.primitives) return value.map((item) => ({ steps: [...here, { item }], kind: 'removed', wanted: item, found: undefined }));
    if (rule.mergeKey !== undefined && !isReplaced(value)) return explainEntries({ value, want, live, rule, inside, steps: here });
    return rule.fixed ? wantedDifferences(want, live, here) : differences(want, live, here);
  }
  if (isFields(value) && isFields(want) && isFields(live))
    return explainPatch({ patch: value, wanted: want, found: live, rules: inside, steps: here });
  return differences(want, live, here);
}

interface Entries {
  readonly value: readonly unknown[];
  readonly want: readonly unknown[];
  readonly live: readonly unknown[];
  readonly rule: MemberRule;
  readonly inside: MergeRules | undefined;
  readonly steps: readonly PathStep[];
}

function explainEntries({ value, want, live, rule, inside, steps }: Entries): readonly Difference[] {
  const key = rule.mergeKey ?? '';
  const named = (list: readonly unknown[], name: unknown) => list.find((entry) => isFields(entry) && entry[key] === name);
  return value.flatMap((entry): readonly Difference[] => {
    if (!isFields(entry)) return [];
    const { [key]: name, ...patch } = entry;
    const here = [...steps, { key, value: name }];
    const [wanted, found] = [named(want, name), named(live, name)];
    if (patch.$patch === 'delete') return [{ steps: here, kind: 'added', wanted: undefined, found }];
    if (!isFields(wanted) || !isFields(found)) return differences(wanted, found, here);
    return explainPatch({ patch, wanted, found, rules: inside, steps: here });
  });
}

function isReplaced(list: readonly unknown[]): boolean {
  const [first] = list;
  return isFields(first) && first.$patch === 'replace';
}

/** An own member: names such as `toString` are data here. */
function own(object: Fields, member: string): unknown {
  return Object.hasOwn(object, member) ? object[member] : undefined;
}

/** How two values differ, field by field; at least one field, since it is asked only where something is written. */
function differences(wanted: unknown, found: unknown, steps: readonly PathStep[]): readonly Difference[] {
  if (wanted === undefined) return [{ steps, kind: 'added', wanted, found }];
  if (found === undefined) return [{ steps, kind: 'removed', wanted, found }];
  const inner =
    membersOf(wanted, found)?.flatMap(([step, want, live]) => (deepEqual(want, live) ? [] : differences(want, live, [...steps, step]))) ??
    [];
  return inner.length === 0 ? [{ steps, kind: 'changed', wanted, found }] : inner;
}

/** How a list that the server fills in differs in what is wanted; in what there is of it besides where it differs in nothing else. */
function wantedDifferences(wanted: readonly unknown[], found: readonly unknown[], steps: readonly PathStep[]): readonly Difference[] {
  const all = differences(wanted, found, steps);
  const inWanted = all.filter(({ kind }) => kind !== 'added');
  return inWanted.length === 0 ? all : inWanted;
}

type MemberPair = readonly [step: PathStep, wanted: unknown, found: unknown];

function membersOf(wanted: unknown, found: unknown): readonly MemberPair[] | undefined {
  if (isFields(wanted) && isFields(found)) {
    const names = new Set([...Object.keys(wanted), ...Object.keys(found)]);
    return [...names].map((name): MemberPair => [name, own(wanted, name), own(found, name)]);
  }
  if (!Array.isArray(wanted) || !Array.isArray(found)) return undefined;
  const [want, live]: readonly (readonly unknown[])[] = [wanted, found];
  const pairs = Array.from({ length: Math.max(wanted.length, found.length) }, (_, at): MemberPair => [at, want?.[at], live?.[at]]);
  return pairs.filter(([, left, right]) => !deepEqual(left, right)).length > MAX_ENTRIES ? undefined : pairs;
}
