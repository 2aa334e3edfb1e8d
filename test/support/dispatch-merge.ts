import type { Fields } from '@/lib/kube/fields';
import { isFields } from '@/lib/kube/fields';

/** Merge keys by member name, as far as the cases need them; elsewhere `$setElementOrder` tells the key. */
const KEYS: Readonly<Record<string, string>> = {
  ownerReferences: 'uid',
  containers: 'name',
  initContainers: 'name',
  volumes: 'name',
  env: 'name',
};

/** Lists of plain values that merge as a set. */
const SETS: ReadonlySet<string> = new Set(['finalizers']);

/** Applies an RFC 7386 merge patch. */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isFields(patch)) return patch;
  const result: Record<string, unknown> = { ...(isFields(target) ? target : {}) };
  for (const [member, value] of Object.entries(patch)) {
    if (value === null) delete result[member];
    else result[member] = applyMergePatch(Object.hasOwn(result, member) ? result[member] : undefined, value);
  }
  return result;
}

/** Applies a strategic merge patch with the directives our diffs send. */
export function applyStrategicPatch(target: Fields, patch: Fields): Fields {
  if (patch.$patch === 'replace') return withoutDirectives(patch);
  const retained = Array.isArray(patch.$retainKeys) ? patch.$retainKeys : undefined;
  const result: Record<string, unknown> = Object.fromEntries(
    Object.entries(target).filter(([member]) => retained?.includes(member) ?? true),
  );
  for (const [member, value] of Object.entries(patch)) {
    if (member.startsWith('$')) applyDirective(result, member, value);
    else if (value === null) delete result[member];
    else if (SETS.has(member)) result[member] = mergeSet(result[member], value);
    else result[member] = mergeMember(result[member], value, keyOf(member, patch, value));
  }
  for (const directive of Object.keys(patch).filter((name) => name.startsWith('$setElementOrder/'))) {
    const member = directive.slice('$setElementOrder/'.length);
    const [before, after] = [target[member], result[member]];
    // A real server compares with the live list after what it deletes made room for what it adds.
    reorder(result, member, patch[directive], Array.isArray(before) && Array.isArray(after) ? after.slice(0, before.length) : []);
  }
  return result;
}

function mergeMember(current: unknown, value: unknown, key: string | undefined): unknown {
  if (Array.isArray(value)) return mergeList(current, value, key);
  return isFields(value) ? applyStrategicPatch(isFields(current) ? current : {}, value) : value;
}

function mergeSet(current: unknown, values: unknown): unknown {
  if (!Array.isArray(values) || !Array.isArray(current)) return values;
  return [...values.filter((value) => !current.includes(value)), ...current];
}

function applyDirective(result: Record<string, unknown>, directive: string, values: unknown): void {
  const [name, of = ''] = directive.split('/');
  const current = result[of];
  if (name === '$deleteFromPrimitiveList' && Array.isArray(current) && Array.isArray(values))
    result[of] = current.filter((item) => !values.includes(item));
}

function keyOf(member: string, patch: Fields, value: unknown): string | undefined {
  const entries = Array.isArray(value) ? value : [];
  const order = patch[`$setElementOrder/${member}`];
  const sample =
    Array.isArray(order) && order.length > 0 ? order[0] : entries.find((entry) => isFields(entry) && entry.$patch === 'delete');
  const found = isFields(sample) ? Object.keys(sample).find((name) => name !== '$patch') : undefined;
  return found ?? KEYS[member];
}

function mergeList(current: unknown, entries: readonly unknown[], key: string | undefined): unknown {
  if (entries.some((entry) => isFields(entry) && entry.$patch === 'replace'))
    return entries.filter((entry) => !(isFields(entry) && entry.$patch === 'replace'));
  if (!Array.isArray(current) || key === undefined) return entries.map((entry) => (isFields(entry) ? withoutDirectives(entry) : entry));
  let merged: unknown[] = [...current];
  for (const entry of entries) {
    if (!isFields(entry)) continue;
    const at = merged.findIndex((item) => isFields(item) && item[key] === entry[key]);
    if (entry.$patch === 'delete') merged = merged.filter((_item, index) => index !== at);
    else if (at < 0) merged.push(withoutDirectives(entry));
    else merged[at] = applyStrategicPatch(merged[at] as Fields, entry);
  }
  return merged;
}

function reorder(result: Record<string, unknown>, member: string, order: unknown, live: readonly unknown[]): void {
  const list = result[member];
  const first: unknown = Array.isArray(order) ? order[0] : undefined;
  if (!Array.isArray(list) || !Array.isArray(order) || !isFields(first)) return;
  const key = Object.keys(first)[0] ?? '';
  const rank = (item: unknown) => order.findIndex((entry) => isFields(entry) && isFields(item) && entry[key] === item[key]);
  const named = list.filter((item) => rank(item) >= 0).sort((a, b) => rank(a) - rank(b));
  const others = list.filter((item) => rank(item) < 0);
  const place = (item: unknown) => live.findIndex((entry) => isFields(entry) && isFields(item) && entry[key] === item[key]);
  // As a real server does it: what the patch does not name stays before a named entry that it was before.
  const ordered: unknown[] = [];
  for (const item of named) {
    while (others.length > 0 && place(others[0]) >= 0 && place(others[0]) < place(item)) ordered.push(others.shift());
    ordered.push(item);
  }
  result[member] = [...ordered, ...others];
}

function withoutDirectives(object: Fields): Fields {
  return Object.fromEntries(Object.entries(object).filter(([member]) => !member.startsWith('$')));
}
