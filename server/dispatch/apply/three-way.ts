import { isAppliedList } from '@/lib/kube/applied-lists';
import type { Fields } from '@/lib/kube/fields';
import { isFields } from '@/lib/kube/fields';
import { deepEqual } from '@/lib/std/deep-equal';
import { byKey, byKeyAndProtocol, replacedKeys } from './keyed-list';
import type { MemberRule, MergeRules } from './merge-rules';
import { isSameQuantity } from './quantity';

type Json = Record<string, unknown>;

/** What a patch is computed from: what we applied last, what is live, what we want. */
export interface ThreeWay {
  readonly original: Fields | undefined;
  readonly current: Fields;
  readonly modified: Fields;
}

/** How a patch deals with what the original leaves open. */
export interface PatchOptions {
  /** Delete entries that took the place of ours under another merge key; left out, they stay beside what we put back, as `kubectl apply` has it. */
  readonly deleteReplaced?: boolean | undefined;
}

/** Parents whose members are amounts; only there may two texts mean the same. */
const OF_QUANTITIES: ReadonlySet<string> = new Set(['limits', 'requests', 'capacity', 'hard', 'default', 'defaultRequest', 'overhead']);

/** Members of built-in kinds that map names to values; an empty object elsewhere may say something, as `emptyDir` does. */
const MAPS: ReadonlySet<string> = new Set([
  ...OF_QUANTITIES,
  ...['annotations', 'binaryData', 'data', 'labels', 'matchLabels', 'nodeSelector', 'parameters', 'stringData'],
]);

/**
 * Patch that brings the live object to the wanted one. Members we applied before and no longer want go, whatever
 * others set stays, ours wins. With rules it is a strategic merge patch, without a JSON merge patch; it is empty when
 * nothing would change.
 */
export function computeThreeWayPatch(objects: ThreeWay, rules: MergeRules | undefined, options: PatchOptions = {}): Json {
  return rules === undefined ? mergeDiff(objects, '') : strategicDiff(objects, { rules, options }, '');
}

/** What holds at one place of the tree: the rules of its members, and the options of the whole. */
interface MergeContext {
  readonly rules: MergeRules;
  readonly options: PatchOptions;
}

function isUnchanged(current: unknown, modified: unknown, parent: string): boolean {
  return deepEqual(current, modified) || (OF_QUANTITIES.has(parent) && isSameQuantity(current, modified));
}

/** A null in a manifest says nothing, as tools that print `creationTimestamp: null` mean it. */
function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

/** In lists that are compared whole, the server leaves out of entries what it stores nowhere. */
const isAbsentOrEmpty = (value: unknown) => isAbsent(value) || (Array.isArray(value) && value.length === 0);

/** The server stores no empty list for built-in kinds, but for some that it answers as null, such as the rules of a Role; and no map without members. */
function isUnset(member: string, value: unknown, live: unknown): boolean {
  if (!isAbsent(live)) return false;
  if (Array.isArray(value)) return value.length === 0;
  return MAPS.has(member) && isFields(value) && Object.keys(value).length === 0;
}

function removals({ original, current, modified }: ThreeWay): Json {
  const patch: Json = {};
  for (const [member, value] of Object.entries(original ?? {})) {
    if (value !== undefined && isAbsent(own(modified, member)) && own(current, member) !== undefined) patch[member] = null;
  }
  return patch;
}

/** An own member: names such as `toString` are data here. */
function own(object: Fields | undefined, member: string): unknown {
  return object !== undefined && Object.hasOwn(object, member) ? object[member] : undefined;
}

const fieldsOrNone = (value: unknown): Fields | undefined => (isFields(value) ? value : undefined);

function mergeDiff(objects: ThreeWay, parent: string): Json {
  const patch = removals(objects);
  for (const [member, value] of Object.entries(objects.modified)) {
    const live = own(objects.current, member);
    if (isAbsent(value) || isUnchanged(live, value, parent)) continue;
    if (isFilledInList({ original: own(objects.original, member), current: live, modified: value })) continue;
    if (isFields(value) && isFields(live)) {
      const inner = mergeDiff({ original: fieldsOrNone(own(objects.original, member)), current: live, modified: value }, member);
      if (Object.keys(inner).length > 0) patch[member] = inner;
    } else patch[member] = value;
  }
  return patch;
}

function strategicDiff(objects: ThreeWay, { rules, options }: MergeContext, parent: string): Json {
  const patch = removals(objects);
  for (const [member, value] of Object.entries(objects.modified)) {
    if (isAbsent(value) || isUnset(member, value, own(objects.current, member))) continue;
    const current = own(objects.current, member);
    const original = own(objects.original, member);
    const rule = rules.rule(member) ?? {};
    const inside = { rules: rules.inside(member), options };
    const list = listDiff({ original, current, modified: value }, rule, inside, member);
    if (list !== undefined) Object.assign(patch, list);
    else if (!isUnchanged(current, value, parent) && !deepEqual(current, value, isAbsentOrEmpty)) {
      const inner = isFields(current) ? memberDiff({ original, current, modified: value }, rule, inside, member) : value;
      if (inner !== undefined) patch[member] = inner;
    }
  }
  return patch;
}

/** The diff of a list that merges entry by entry; undefined for anything else. */
function listDiff(
  member: { readonly original: unknown; readonly current: unknown; readonly modified: unknown },
  rule: MemberRule,
  inside: MergeContext,
  name: string,
) {
  const { original, current, modified } = member;
  if (!Array.isArray(modified) || !Array.isArray(current)) return undefined;
  const lists = { original: Array.isArray(original) ? original : [], current, modified };
  if (rule.primitives) return primitivesDiff(name, lists);
  if (rule.mergeKey === undefined && (rule.fixed || isAppliedList(current)) && isFilledIn(lists, name)) return {};
  return rule.mergeKey === undefined ? undefined : keyedDiff(name, lists, rule, inside);
}

interface Member {
  readonly original: unknown;
  readonly current: Fields;
  readonly modified: unknown;
}

function memberDiff({ original, current, modified }: Member, rule: MemberRule, inside: MergeContext, member: string): unknown {
  return isFields(modified) ? objectDiff({ original: fieldsOrNone(original), current, modified }, rule, inside, member) : modified;
}

function objectDiff(objects: ThreeWay, rule: MemberRule, inside: MergeContext, member: string): Json | undefined {
  if (rule.replace) return { ...objects.modified, $patch: 'replace' };
  const inner = strategicDiff(objects, inside, member);
  if (Object.keys(inner).length === 0) return undefined;
  return rule.retainKeys ? { ...inner, $retainKeys: Object.keys(objects.modified) } : inner;
}

interface Lists {
  readonly original: readonly unknown[];
  readonly current: readonly unknown[];
  readonly modified: readonly unknown[];
}

interface Compared {
  readonly original: unknown;
  readonly current: unknown;
  readonly modified: unknown;
}

/** True for a list that stands as we wrote it, and is as wanted but for what the server filled in. */
function isFilledInList({ original, current, modified }: Compared): boolean {
  return Array.isArray(current) && Array.isArray(modified) && isAppliedList(current) && isFilledIn({ original, current, modified }, '');
}

/** True where a value is as wanted but for members that we never set, also in entries of lists; `parent` is what a plain value is a member of. */
function isFilledIn({ original, current, modified }: Compared, parent: string): boolean {
  if (Array.isArray(current) && Array.isArray(modified)) {
    const before: readonly unknown[] = Array.isArray(original) ? original : [];
    return (
      current.length === modified.length &&
      modified.every((wanted, at) => isFilledIn({ original: before[at], current: current[at], modified: wanted }, ''))
    );
  }
  return isFields(current) && isFields(modified)
    ? isFilledInObject({ original: fieldsOrNone(original), current, modified }, parent)
    : isUnchanged(current, modified, parent);
}

function isFilledInObject(objects: ThreeWay, name: string): boolean {
  if (Object.keys(removals(objects)).length > 0) return false;
  return Object.entries(objects.modified).every(([member, value]) => {
    const inner = { original: own(objects.original, member), current: own(objects.current, member), modified: value };
    return isAbsent(value) || isFilledIn(inner, isFields(value) ? member : name);
  });
}

function primitivesDiff(member: string, { original, current, modified }: Lists): Json {
  const added = modified.filter((value) => !current.includes(value));
  const dropped = original.filter((value) => !modified.includes(value) && current.includes(value));
  return {
    ...(added.length > 0 ? { [member]: added } : {}),
    ...(dropped.length > 0 ? { [`$deleteFromPrimitiveList/${member}`]: dropped } : {}),
  };
}

/**
 * Two entries under one key, such as a port served over TCP and UDP: merging by key would mix them up, so the list is replaced whole, with
 * what the server filled in. It is as wanted when each entry, told apart by its protocol too, is.
 */
function doubledDiff(member: string, lists: Lists, rule: MemberRule, inside: MergeContext): Json {
  const key = rule.mergeKey ?? '';
  const [original, current, modified] = [lists.original, lists.current, lists.modified].map((list) => byKeyAndProtocol(list, key, member));
  if (current === undefined || modified === undefined) {
    return deepEqual(lists.current, lists.modified) ? {} : { [member]: [{ $patch: 'replace' }, ...lists.modified] };
  }
  const isWanted = ([identity, wanted]: readonly [unknown, Fields]) => {
    const live = current.get(identity);
    return (
      live !== undefined &&
      objectDiff({ original: original?.get(identity), current: live, modified: wanted }, rule, inside, member) === undefined
    );
  };
  if (deepEqual([...current.keys()], [...modified.keys()]) && [...modified].every(isWanted)) return {};
  return {
    [member]: [
      { $patch: 'replace' },
      ...[...modified].map(([identity, wanted]) => ({ ...filledIn(current.get(identity), original?.get(identity)), ...wanted })),
    ],
  };
}

/** What others than we put into an entry. */
function filledIn(live: Fields | undefined, original: Fields | undefined): Json {
  return Object.fromEntries(Object.entries(live ?? {}).filter(([name]) => own(original, name) === undefined));
}

function keyedDiff(member: string, lists: Lists, rule: MemberRule, inside: MergeContext): Json {
  const key = rule.mergeKey ?? '';
  const [original, current, modified] = [lists.original, lists.current, lists.modified].map((list) => byKey(list, key, member));
  if (original === undefined || current === undefined || modified === undefined) return doubledDiff(member, lists, rule, inside);
  const entries: unknown[] = [];
  for (const [value, wanted] of modified) {
    const live = current.get(value);
    if (live === undefined) entries.push(wanted);
    else {
      const inner = objectDiff({ original: original.get(value), current: live, modified: wanted }, rule, inside, member);
      if (inner !== undefined) entries.push({ ...inner, [key]: value });
    }
  }
  for (const value of original.keys()) if (!modified.has(value) && current.has(value)) entries.push({ $patch: 'delete', [key]: value });
  if (inside.options.deleteReplaced)
    for (const value of replacedKeys({ original, current, modified }, key)) entries.push({ $patch: 'delete', [key]: value });
  const wantedOrder = [...modified.keys()];
  const inOrder = deepEqual(
    [...current.keys()].filter((value) => modified.has(value)),
    wantedOrder.filter((value) => current.has(value)),
  );
  if (entries.length === 0 && inOrder) return {};
  return {
    ...(entries.length > 0 ? { [member]: entries } : {}),
    [`$setElementOrder/${member}`]: wantedOrder.map((value) => ({ [key]: value })),
  };
}
