import { isFields, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { FieldSet } from './field-set';
import { union } from './field-set';
import { InternPool, intern, numberOf } from './intern';

/** One entry of metadata.managedFields: who set which fields, how, and since when. */
export interface ManagedField {
  readonly manager?: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly time?: string;
  readonly fieldsType: 'FieldsV1';
  readonly fieldsV1: FieldSet;
  readonly subresource?: string;
}

/** Entries by what makes them one manager's. */
export type Managers = ReadonlyMap<string, ManagedField>;

type Identity = Pick<ManagedField, 'manager' | 'operation' | 'apiVersion' | 'subresource'>;

const MAX_UPDATERS = 10;
const ANCIENT = 'ancient-changes';

/** What tells managers apart: whoever applies is one manager in all versions. */
export function idOf({ manager, operation, apiVersion, subresource }: Identity): string {
  return JSON.stringify({
    ...(manager ? { manager } : {}),
    operation,
    ...(operation === 'Apply' ? {} : { apiVersion }),
    ...(subresource ? { subresource } : {}),
  });
}

/** Reads managedFields; undefined when they are not as they should be. */
export function decodeManagers(entries: unknown): Managers | undefined {
  if (entries === undefined || entries === null) return new Map();
  if (!Array.isArray(entries)) return undefined;
  const managers = new Map<string, ManagedField>();
  for (const entry of entries) {
    const read = decodeEntry(entry);
    if (read === undefined) return undefined;
    managers.set(idOf(read), read);
  }
  return managers;
}

function decodeEntry(entry: unknown): ManagedField | undefined {
  const operation = readString(entry, 'operation');
  const apiVersion = readString(entry, 'apiVersion') ?? '';
  if (!isFields(entry) || (operation !== 'Apply' && operation !== 'Update') || apiVersion === '' || entry.fieldsType !== 'FieldsV1')
    return undefined;
  const fieldsV1 = intern(entry.fieldsV1);
  if (fieldsV1 === entry.fieldsV1) return entry as unknown as ManagedField; // ours, as the set shows
  const manager = readString(entry, 'manager');
  const time = readString(entry, 'time');
  const subresource = readString(entry, 'subresource');
  return toEntry({ operation, apiVersion, ...(manager ? { manager } : {}), ...(subresource ? { subresource } : {}) }, fieldsV1, time);
}

// What was written at one time alike is one object, entry and list of entries: objects are made in great numbers by few.
const MOST_OF_A_TIME = 512;
const entries = new InternPool<ManagedField>(MOST_OF_A_TIME);
const lists = new InternPool<readonly ManagedField[]>(MOST_OF_A_TIME);
const keyOf = (entry: ManagedField) => [idOf(entry), entry.apiVersion, entry.time ?? '', numberOf(entry.fieldsV1)].join(' ');

/** An entry in the order of members in which the original writes it. */
export function toEntry({ manager, operation, apiVersion, subresource }: Identity, set: FieldSet, time: string | undefined): ManagedField {
  const entry: ManagedField = {
    ...(manager ? { manager } : {}),
    operation,
    apiVersion,
    ...(time ? { time } : {}),
    fieldsType: 'FieldsV1',
    fieldsV1: intern(set),
    ...(subresource ? { subresource } : {}),
  };
  return entries.take(keyOf(entry), () => entry);
}

/** managedFields of an object, in the order in which the original writes them; undefined for none. */
export function encodeManagers(managers: Managers): readonly ManagedField[] | undefined {
  if (managers.size === 0) return undefined;
  const rank = ({ operation, time = '', manager = '', apiVersion, subresource = '' }: ManagedField) => [
    operation,
    time,
    manager,
    apiVersion,
    subresource,
  ];
  const sorted = [...managers.values()].sort((a, b) => compareRanks(rank(a), rank(b)));
  return lists.take(sorted.map(keyOf).join(' '), () => sorted);
}

function compareRanks(left: readonly string[], right: readonly string[]): number {
  for (const [at, mine] of left.entries()) {
    const other = right[at] ?? '';
    if (mine !== other) return mine < other ? -1 : 1;
  }
  return 0;
}

/** An object just read, with the sets of its entries shared with those that others have. */
export function withSharedOwners(object: KubeObject): KubeObject {
  const { managedFields } = object.metadata;
  const managers = managedFields === undefined ? undefined : decodeManagers(managedFields);
  return managers === undefined ? object : { ...object, metadata: { ...object.metadata, managedFields: encodeManagers(managers) } };
}

/** At most ten managers that update; the oldest beyond them become one per version. */
export function capManagers(managers: Managers): Managers {
  const updaters = [...managers].filter(([, { operation }]) => operation === 'Update');
  if (updaters.length <= MAX_UPDATERS) return managers;
  updaters.sort(([a, { time: since = '' }], [b, { time: until = '' }]) => (since !== until ? (since < until ? -1 : 1) : a < b ? -1 : 1));
  const capped = new Map(managers);
  const firstOf = new Map<string, string>();
  let count = updaters.length;
  for (const [id, entry] of updaters) {
    if (count <= MAX_UPDATERS) break;
    const { apiVersion, time, fieldsV1 } = entry;
    const first = firstOf.get(apiVersion);
    if (first === undefined) {
      firstOf.set(apiVersion, id);
      continue;
    }
    const identity: Identity = { manager: ANCIENT, operation: 'Update', apiVersion };
    const bucket = idOf(identity);
    const held = capped.get(bucket) ?? capped.get(first);
    if (!capped.has(bucket)) capped.delete(first);
    capped.delete(id);
    capped.set(bucket, toEntry(identity, union(fieldsV1, held?.fieldsV1 ?? {}), time));
    count--;
  }
  return capped;
}

/** True when both say the same but for the times. */
export function isSameManagers(left: readonly ManagedField[] | undefined, right: readonly ManagedField[] | undefined): boolean {
  if (left === right) return true;
  if (left?.length !== right?.length) return false;
  return (left ?? []).every((entry, at) => {
    const other = right?.[at];
    return (
      other !== undefined &&
      (entry === other ||
        (idOf(entry) === idOf(other) && entry.apiVersion === other.apiVersion && deepEqual(entry.fieldsV1, other.fieldsV1)))
    );
  });
}
