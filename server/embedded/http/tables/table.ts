import { readField } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { stringifyExact } from '@/lib/std/exact-json';
import type { Instant } from '@/lib/std/instant';
import { badRequest } from '../../api/failures';
import type { PrinterColumn } from '../../kinds/custom-version';
import type { Resource } from '../../kinds/resource';
import { BUILT_IN_COLUMNS } from './built-in-columns';
import type { Cell, Column } from './column';
import { AGE, NAME, sinceText } from './column';

interface TableFlags {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
  readonly includeObject?: string | null;
}

const INCLUDED = new Set(['Metadata', 'Object', 'None']);

/** Objects as the table that `kubectl get` prints. */
export function toTable(
  { clock }: { readonly clock: { now(): Instant } },
  resource: Resource,
  objects: readonly KubeObject[],
  flags: TableFlags,
): object {
  const { includeObject, ...metadata } = flags;
  if (includeObject && !INCLUDED.has(includeObject)) {
    const wrong = `Invalid value: ${JSON.stringify(includeObject)}: must be 'Metadata', 'Object', 'None', or empty`;
    throw badRequest(`Unable to convert to Table as requested: includeObject: ${wrong}`);
  }
  const rows = objects.map((object) => rowOf(resource, object, includeObject ?? undefined, clock.now()));
  return { kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata, columnDefinitions: columnsOf(resource), rows };
}

/** How the columns of a kind are declared. */
export function columnsOf(resource: Resource): readonly object[] {
  return tableOf(resource).map(({ name, type, format = '', description = '', priority = 0 }) => ({
    name,
    type,
    format,
    description,
    priority,
  }));
}

/** One object as a row. */
export function rowOf(resource: Resource, object: KubeObject, includeObject: string | undefined, now: Instant): object {
  const cells = tableOf(resource).map(({ read }) => read(object, now));
  if (includeObject === 'None') return { cells, object: null };
  const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata };
  return { cells, object: includeObject === 'Object' ? object : partial };
}

function tableOf(resource: Resource): readonly Column[] {
  const { custom } = resource;
  if (!custom) return BUILT_IN_COLUMNS[resource.storage] ?? [NAME, AGE];
  return custom.columns.length === 0 ? [NAME, AGE] : [NAME, ...custom.columns.map(toColumn)];
}

function toColumn({ name, type, format, description, priority, jsonPath }: PrinterColumn): Column {
  const more = { ...(format ? { format } : {}), ...(description ? { description } : {}), ...(priority ? { priority } : {}) };
  return { name, type, ...more, read: (object, now) => toCell(readPath(object, jsonPath), type, now) };
}

function toCell(value: unknown, type: string, now: Instant): Cell {
  if (value === undefined || value === null) return type === 'date' ? '<unknown>' : null;
  if (type === 'date') return sinceText(value, now);
  if (typeof value === 'object') return stringifyExact(value);
  return type === 'string' ? String(value) : (value as Cell); // a number or a boolean
}

/** The first value at a path like `.status.conditions[?(@.type=="Ready")].status`, which is all that columns use. */
function readPath(object: unknown, path: string): unknown {
  let at: unknown[] = [object];
  for (const [, key, index, filterKey, wanted] of path.matchAll(
    /\.([\w-]+|\\\.[\w./-]+)|\[(\d+|\*|'[^']+')\]|\[\?\(@\.([\w.]+)\s*==\s*["']([^"']*)["']\)\]/g,
  )) {
    if (key !== undefined) at = at.map((value) => readField(value, key.replace(/\\/g, '')));
    else if (filterKey !== undefined)
      at = at.flatMap((value) =>
        Array.isArray(value) ? value.filter((item) => String(readField(item, ...filterKey.split('.'))) === wanted) : [],
      );
    else if (index === '*') at = at.flatMap((value) => (Array.isArray(value) ? value : []));
    else if (index !== undefined) at = at.map((value) => readField(value, /^\d+$/.test(index) ? Number(index) : index.slice(1, -1)));
  }
  return at.find((value) => value !== undefined);
} // prettier-ignore
