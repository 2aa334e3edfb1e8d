import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { decompress as unzstd } from 'fzstd';
import { AppError, messageOf } from '@/lib/contract/app-error';
import type { Fields } from '@/lib/kube/fields';
import { isFields, readFields, readList, readNumber, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { groupOf } from '@/lib/kube/object';
import { formatCount } from '@/lib/words/figures';
import { ANNOTATION } from '../labels';
import type { RecordedUids } from './recreated';
import { withRecreated } from './recreated';

/** One object that a tracker lists. The cluster `local` is the one the tracker lives in. */
export interface TrackerEntry extends RecordedUids {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly cluster: string;
  readonly component: string;
  readonly trait?: string;
  /** The manifest as rendered; never of a Secret. */
  readonly raw?: Fields;
  readonly deleted: boolean;
  readonly skipGC: boolean;
}

/** A tracker as read: `legacy` keeps its record in status (2021), `managed` in spec (today). */
export interface ResourceTracker {
  readonly name: string;
  readonly uid: string;
  readonly form: 'legacy' | 'managed';
  /** `root`, `versioned`, `component-revision`, or empty in the legacy form. */
  readonly type: string;
  readonly applicationGeneration: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly deletionTimestamp?: string;
  readonly creationTimestamp?: string;
  readonly resourceVersion?: string;
  readonly entries: readonly TrackerEntry[];
  /** False when the record does not match the digest its last writer of ours left: somebody edited it. */
  readonly intact: boolean;
}

/** A third of the time of the usual level, for a tenth more text. */
const FAST = 1;
const COMPRESS_ABOVE = 256 * 1024;

/** Copies are frozen, so what one lists is read once: a record of thousands takes milliseconds, and claims are judged by it object by object. */
const READ = new WeakMap<KubeObject, ResourceTracker>();

/** Reads either form of a tracker, decompressing its record; throws AppError `invalid` for one that cannot be read. */
export function readTracker(object: KubeObject): ResourceTracker {
  const known = READ.get(object);
  if (known !== undefined) return known;
  const tracker = parseTracker(object);
  if (Object.isFrozen(object)) READ.set(object, tracker);
  return tracker;
}

function parseTracker(object: KubeObject): ResourceTracker {
  const type = readString(object, 'spec', 'type') ?? '';
  const managed = type !== '';
  const annotations = object.metadata.annotations ?? {};
  const listed = readEntries(managed ? managedList(object) : readList(object, 'status', 'trackedResources'), object);
  const entries = withRecreated(listed, annotations);
  const digest = annotations[ANNOTATION.recordDigest];
  const { creationTimestamp, deletionTimestamp, resourceVersion } = object.metadata;
  return {
    name: object.metadata.name ?? '',
    uid: object.metadata.uid ?? '',
    form: managed ? 'managed' : 'legacy',
    type,
    applicationGeneration: readNumber(object, 'spec', 'applicationGeneration') ?? 0,
    labels: object.metadata.labels ?? {},
    annotations,
    ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    entries,
    intact: digest === undefined || digest === digestRecord(entries),
  };
}

function managedList(object: KubeObject): readonly unknown[] {
  const compression = readFields(object, 'spec', 'compression');
  const type = readString(compression, 'type') ?? '';
  if (type === '') return readList(object, 'spec', 'managedResources');
  try {
    const list = unpack(type, readString(compression, 'data') ?? '');
    // A list without entries is `null` to the writers in Go.
    if (Array.isArray(list) || list === null) return list ?? [];
    throw new Error('the data is not a list');
  } catch (cause) {
    throw new AppError('invalid', `ResourceTracker ${object.metadata.name ?? ''}: its ${type} record cannot be read: ${messageOf(cause)}`, {
      cause,
    });
  }
}

/** By the list: that of a compressed record is the same for every copy of its text. */
const ENTRIES = new WeakMap<readonly unknown[], readonly TrackerEntry[]>();

function readEntries(listed: readonly unknown[], object: KubeObject): readonly TrackerEntry[] {
  const known = ENTRIES.get(listed);
  if (known !== undefined) return known;
  const entries = listed.map((entry, at) => toEntry(entry, at, object));
  ENTRIES.set(listed, entries);
  return entries;
}

/** What was unpacked last, by its text: whoever writes a record reads it again in the answer, and once more in the copy. */
const UNPACKED = new Map<string, unknown>();
const MAX_UNPACKED = 8;

function unpack(type: string, packed: string): unknown {
  const key = `${type} ${packed}`;
  const known = UNPACKED.get(key);
  if (known !== undefined) return known;
  const list: unknown = JSON.parse(decompress(type, Buffer.from(packed, 'base64')));
  remember(key, list);
  return list;
}

function remember(key: string, list: unknown): void {
  UNPACKED.set(key, list);
  const [oldest] = UNPACKED.keys();
  if (UNPACKED.size > MAX_UNPACKED && oldest !== undefined) UNPACKED.delete(oldest);
}

function decompress(type: string, data: Uint8Array): string {
  if (type === 'gzip') return gunzipSync(data).toString('utf8');
  if (type === 'zstd') return Buffer.from(unzstd(data)).toString('utf8');
  throw new Error(`the compression must be gzip or zstd, found ${type}`);
}

/** `v1` or `group/v1`: under anything else nothing is served, and whoever looked there would find nothing of the kind. */
const API_VERSION = /^([a-z0-9][-a-z0-9.]*\/)?[a-z][-a-z0-9]*$/;

function toEntry(entry: unknown, at: number, object: KubeObject): TrackerEntry {
  const fields = isFields(entry) ? entry : {};
  const kind = textOf(fields.kind);
  const name = textOf(fields.name);
  if (kind === '' || name === '') {
    throw new AppError(
      'invalid',
      `ResourceTracker ${object.metadata.name ?? ''}: entry ${at} needs a kind and a name, found ${JSON.stringify({ kind, name })}`,
    );
  }
  const apiVersion = textOf(fields.apiVersion);
  if (!API_VERSION.test(apiVersion)) {
    const what = `${kind} ${name}`;
    throw new AppError(
      'invalid',
      `ResourceTracker ${object.metadata.name ?? ''}: entry ${at}, ${what}, needs an API version, found ${JSON.stringify(apiVersion)}`,
    );
  }
  const namespace = textOf(fields.namespace);
  const uid = textOf(fields.uid);
  const trait = textOf(fields.trait);
  // Member by member: a record lists thousands, and spreading costs ten times as much.
  const line: Draft = {
    apiVersion,
    kind,
    name,
    cluster: textOf(fields.cluster) || 'local',
    component: textOf(fields.component),
    deleted: fields.deleted === true,
    skipGC: fields.skipGC === true,
  };
  if (namespace !== '') line.namespace = namespace;
  if (uid !== '') line.uid = uid;
  if (trait !== '') line.trait = trait;
  if (isFields(fields.raw)) line.raw = fields.raw;
  return line;
}

/** An entry in the making. */
type Draft = { -readonly [Member in keyof TrackerEntry]: TrackerEntry[Member] };

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The spec of a managed tracker; a large record is compressed and then absent from `managedResources`. */
export function toManagedSpec(tracker: Pick<ResourceTracker, 'type' | 'applicationGeneration' | 'entries'>): Fields {
  const list = tracker.entries.map(toLine);
  const base = { type: tracker.type || 'versioned', applicationGeneration: tracker.applicationGeneration };
  const text = JSON.stringify(list);
  if (text.length <= COMPRESS_ABOVE) return { ...base, managedResources: list };
  const data = gzipSync(text, { level: FAST }).toString('base64');
  remember(`gzip ${data}`, list);
  return { ...base, compression: { type: 'gzip', data } };
}

/** An entry as it is stored: without what goes without saying. */
function toLine({ apiVersion, kind, name, namespace, uid, trait, raw, cluster, component, deleted, skipGC }: TrackerEntry): Fields {
  const line: Partial<Draft> = { apiVersion, kind, name };
  if (namespace !== undefined) line.namespace = namespace;
  if (uid !== undefined) line.uid = uid;
  if (trait !== undefined) line.trait = trait;
  if (raw !== undefined) line.raw = raw;
  if (cluster !== 'local') line.cluster = cluster;
  if (component !== '') line.component = component;
  if (deleted) line.deleted = deleted;
  if (skipGC) line.skipGC = skipGC;
  return line;
}

/** The status of a legacy tracker. */
export function toLegacyStatus(entries: readonly TrackerEntry[]): Fields {
  return {
    trackedResources: entries.map(({ apiVersion, kind, name, namespace }) => ({
      apiVersion,
      kind,
      name,
      ...(namespace ? { namespace } : {}),
    })),
  };
}

/** How entries are told apart: with the API version as in the original, or by group and kind and cluster. */
export type Identity = 'apiVersion' | 'groupKind';

/** Identity of an entry as text. The cluster always counts: an object of another cluster is another object. */
export function identityOf(
  entry: Pick<TrackerEntry, 'apiVersion' | 'kind' | 'name' | 'namespace'> & { readonly cluster?: string },
  by: Identity,
): string {
  return `${by === 'apiVersion' ? entry.apiVersion : groupOf(entry.apiVersion)}|${entry.kind}|${entry.namespace ?? ''}|${entry.name}|${entry.cluster ?? 'local'}`;
}

/** Digest of what a record lists; order matters, neither manifests nor by which uid plans know an object do. */
export function digestRecord(entries: readonly TrackerEntry[]): string {
  const lines = entries.map(
    (entry) => `${identityOf(entry, 'groupKind')}|${entry.uid ?? ''}|${entry.component}|${entry.deleted}|${entry.skipGC}`,
  );
  return `sha256:${createHash('sha256').update(lines.join('\n')).digest('hex')}`;
}

/** A sentence about a tracker whose record somebody edited; undefined when nobody did. */
export function explainTampering(tracker: ResourceTracker): string | undefined {
  if (tracker.intact) return undefined;
  return (
    `ResourceTracker ${tracker.name}: its record of ${formatCount(tracker.entries.length, 'object')} is not the one this server wrote, so nothing that depends on it is ` +
    `done; restore the record, or accept it unchanged by removing the annotation ${ANNOTATION.recordDigest}`
  );
}
