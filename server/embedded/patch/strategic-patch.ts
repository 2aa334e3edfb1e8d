import { isFields } from '@/lib/kube/fields';
import { deepEqual } from '@/lib/std/deep-equal';
import { KubeApiError } from '@/server/kube';
import { badRequest } from '../api/failures';
import type { Draft } from '../kinds/draft';
import type { Schema } from '../schemas/built-in';
import { SCHEMAS } from '../schemas/built-in';
import { clone } from '../schemas/decode';

const DELETE_FROM = '$deleteFromPrimitiveList/';
const SET_ORDER = '$setElementOrder/';
const RETAIN = '$retainKeys';
const DIRECTIVE = '$patch';

/** A strategic merge patch on an object of a built-in kind; how lists are merged comes from the published schema. */
export function applyStrategicPatch(object: Draft, body: unknown, schemaName: string): Draft {
  if (body === null) return object;
  if (!isFields(body))
    throw badRequest(`json: cannot unmarshal ${Array.isArray(body) ? 'array' : typeof body} into Go value of type map[string]interface {}`);
  return mergeMap(object, body, { $ref: schemaName }) as Draft;
}

function resolved(schema: Schema | undefined): Schema {
  return schema?.$ref === undefined ? (schema ?? {}) : (SCHEMAS[schema.$ref] ?? {});
}

function memberOf(schema: Schema, key: string): Schema {
  return schema.properties?.[key] ?? schema.additionalProperties ?? {};
}

function mergeMap(original: unknown, patch: Readonly<Record<string, unknown>>, of: Schema): unknown {
  const directive = patch[DIRECTIVE];
  if (directive === 'replace') return withoutDirectives(patch);
  if (directive === 'delete') return {};
  if (directive !== undefined && directive !== 'merge')
    throw unprocessable(`unknown patch type: ${String(directive)} in map: ${toGoMap(patch)}`);
  const schema = resolved(of);
  const merged: Draft = isFields(original) ? { ...original } : {};
  const retained = patch[RETAIN];
  if (Array.isArray(retained)) for (const key of Object.keys(merged)) if (!retained.includes(key)) delete merged[key];
  for (const [key, value] of Object.entries(patch)) {
    if (key !== '__proto__' && key !== DIRECTIVE && key !== RETAIN) mergeEntry(merged, patch, key, value, schema);
  }
  return merged;
}

function mergeEntry(merged: Draft, patch: Readonly<Record<string, unknown>>, key: string, value: unknown, schema: Schema): void {
  const member = key.slice(key.indexOf('/') + 1);
  if (key.startsWith(DELETE_FROM)) merged[member] = without(merged[member], value);
  else if (key.startsWith(SET_ORDER)) reorder(merged, member, patch, memberOf(schema, member));
  else if (patch[SET_ORDER + key] === undefined) mergeMember(merged, key, value, memberOf(schema, key));
}

function mergeMember(merged: Draft, key: string, value: unknown, schema: Schema): void {
  if (value === null) delete merged[key];
  else if (Array.isArray(value)) merged[key] = mergeList(merged[key], value, schema);
  else if (isFields(value)) merged[key] = isReplaced(schema) ? withoutDirectives(value) : mergeMap(merged[key], value, schema);
  else merged[key] = value;
}

const strategiesOf = (schema: Schema) => (schema['x-kubernetes-patch-strategy'] ?? '').split(',');
const isReplaced = (schema: Schema) => schema.type !== 'array' && strategiesOf(schema).includes('replace');
const isMerged = (schema: Schema) => strategiesOf(schema).includes('merge');

function mergeList(original: unknown, patch: readonly unknown[], schema: Schema, order: readonly unknown[] = patch): unknown {
  if (!isMerged(schema)) return patch.filter((item) => !isFields(item) || item[DIRECTIVE] !== 'replace').map(clone);
  const held = Array.isArray(original) ? original : [];
  const mergeKey = schema['x-kubernetes-patch-merge-key'];
  if (mergeKey === undefined) {
    const merged = [...new Set([...held, ...patch])];
    return arrange(merged, order, held, (item) => item);
  }
  const keyOf = (item: unknown) => (isFields(item) ? item[mergeKey] : undefined);
  if (patch.some((item) => isFields(item) && item[DIRECTIVE] === 'replace')) {
    return patch.filter((item) => isFields(item) && item[DIRECTIVE] !== 'replace').map(clone);
  }
  const merged: unknown[] = [...held];
  for (const item of patch) mergeItem(merged, item, mergeKey, schema.items ?? {});
  // The API server compares with what it left of the list; where an order is given, with all of the list that it has changed in place, so that
  // what comes has the place that what goes left free.
  const gone = held.filter((item) =>
    patch.some((other) => isFields(other) && other[DIRECTIVE] === 'delete' && deepEqual(keyOf(other), keyOf(item))),
  );
  return arrange(merged, order, merged.slice(0, order === patch ? held.length - gone.length : held.length), keyOf);
}

function mergeItem(merged: unknown[], item: unknown, mergeKey: string, schema: Schema): void {
  if (!isFields(item)) throw unprocessable('expected a map in a list that is merged by key');
  const key = item[mergeKey];
  if (key === undefined) throw unprocessable(`map: ${toGoMap(item)} does not contain declared merge key: ${mergeKey}`);
  const at = merged.findIndex((held) => isFields(held) && deepEqual(held[mergeKey], key));
  if (item[DIRECTIVE] === 'delete') {
    for (let found = at; found >= 0; found = merged.findIndex((held) => isFields(held) && deepEqual(held[mergeKey], key)))
      merged.splice(found, 1);
  } else if (at >= 0) merged[at] = mergeMap(merged[at], item, schema);
  else merged.push(mergeMap({}, item, schema));
}

/** Items the patch speaks of in its order; the others keep theirs, before whatever followed them. */
function arrange(
  merged: readonly unknown[],
  order: readonly unknown[],
  held: readonly unknown[],
  keyOf: (item: unknown) => unknown,
): unknown[] {
  const placeIn = (list: readonly unknown[], item: unknown) => list.findIndex((other) => deepEqual(keyOf(other), keyOf(item)));
  const spoken = merged.filter((item) => placeIn(order, item) >= 0).sort((a, b) => placeIn(order, a) - placeIn(order, b));
  const others = merged.filter((item) => placeIn(order, item) < 0);
  const arranged: unknown[] = [];
  while (spoken.length > 0 && others.length > 0) {
    const other = placeIn(held, others[0]);
    const next = placeIn(held, spoken[0]);
    arranged.push(other >= 0 && next >= 0 && other < next ? others.shift() : spoken.shift());
  }
  return [...arranged, ...spoken, ...others];
}

function reorder(merged: Draft, key: string, patch: Readonly<Record<string, unknown>>, schema: Schema): void {
  const order = patch[SET_ORDER + key];
  const items = patch[key];
  if (!Array.isArray(order)) throw unprocessable(`expected a list in ${SET_ORDER}${key}`);
  if (items === null) delete merged[key];
  else if (merged[key] !== undefined || items !== undefined)
    merged[key] = mergeList(merged[key], Array.isArray(items) ? items : [], schema, order);
}

function without(original: unknown, items: unknown): unknown {
  if (!Array.isArray(original)) return original;
  return Array.isArray(items) ? original.filter((held) => !items.includes(held)) : original;
}

function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives);
  if (!isFields(value)) return value;
  const kept = Object.entries(value).filter(([key, member]) => !key.startsWith('$') && member !== null);
  return Object.fromEntries(kept.map(([key, member]) => [key, withoutDirectives(member)]));
}

/** A value as Go prints it in sentences: `map[spec:map[replicas:x]]`. */
export function toGoMap(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toGoMap).join(' ')}]`;
  if (!isFields(value)) return value === null ? '<nil>' : String(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${entries.map(([key, member]) => `${key}:${toGoMap(member)}`).join(' ')}]`;
}

function unprocessable(message: string): KubeApiError {
  return new KubeApiError({ code: 500, reason: '', message });
}
