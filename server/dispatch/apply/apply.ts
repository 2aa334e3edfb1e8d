import { markAppliedLists } from '@/lib/kube/applied-lists';
import type { Fields } from '@/lib/kube/fields';
import { isFields, readField, readFields } from '@/lib/kube/fields';
import type { KubeObject, ObjectAddress, OwnerReference } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import { isAlreadyExists, isNotFound } from '@/server/kube';
import { DispatchError } from '../dispatch-error';
import type { CacheReader, KubeClient } from '../kube-client';
import { resolveAddress } from '../kube-client';
import { ANNOTATION } from '../labels';
import { isTrackerOwner } from '../owners';
import { dropPaths, keepPaths } from './kept-paths';
import type { LastAppliedOptions } from './last-applied';
import { foldStringData, isSecret, readRecord, withoutRecord, withRecord } from './last-applied';
import { assertLongNumbersKept } from './long-numbers';
import { mergeRulesOf } from './merge-rules';
import type { PatchOptions } from './three-way';
import { computeThreeWayPatch } from './three-way';

export interface ApplyOptions extends LastAppliedOptions, PatchOptions {
  /** Says why the live object (undefined: none) may not be touched. */
  readonly check?: (existing: KubeObject | undefined) => string | undefined;
  /** Send nothing when nothing would change; the original always sends a patch. */
  readonly skipUnchanged?: boolean;
  /** Read from here first; only an object that is known and unchanged is taken from it. */
  readonly cache?: CacheReader | undefined;
  /** The body of a create, for members that only the first write carries; never part of record or patch. */
  readonly onCreate?: ((manifest: KubeObject) => KubeObject) | undefined;
  /** Given the live object, the manifest to apply instead, for kinds that must not change once they exist. */
  readonly whenExists?: ((existing: KubeObject) => KubeObject | undefined) | undefined;
  /** Paths whose live values stay as they are, for members that others may set. */
  readonly keep?: readonly string[];
  /** Ask the server whether it would, and change nothing. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** What applying one manifest came to; the object is the server's answer. */
export interface Applied {
  readonly verb: 'created' | 'patched' | 'unchanged';
  readonly object: KubeObject;
  /** The object as it was read just before it was patched. */
  readonly before?: KubeObject;
}

/** Client-side three-way apply of one manifest. */
export async function apply(client: KubeClient, desired: KubeObject, options: ApplyOptions = {}): Promise<Applied> {
  const manifest = options.secretKey !== undefined && isSecret(desired) ? foldStringData(desired) : desired;
  if (!manifest.metadata.name && manifest.metadata.generateName) return create(client, manifest, options);
  const at = await addressOf(client, manifest, options.signal);
  const placed = at.namespace === undefined ? withoutNamespace(manifest) : manifest;
  return (await applyFromCache(client, placed, at, options)) ?? (await applyLive(client, placed, at, options));
}

/** What the copies are enough for: an object that is as wanted, or one that is in none of them. Undefined: ask the server. */
async function applyFromCache(
  client: KubeClient,
  manifest: KubeObject,
  at: ObjectAddress,
  options: ApplyOptions,
): Promise<Applied | undefined> {
  if (!options.skipUnchanged || options.cache === undefined) return undefined;
  const cached = options.cache.read(at);
  if (cached !== undefined) return isSettled(cached, manifest, options) ? { verb: 'unchanged', object: cached } : undefined;
  return options.cache.lacks?.(at) ? createUnseen(client, manifest, options) : undefined;
}

async function applyLive(client: KubeClient, manifest: KubeObject, at: ObjectAddress, options: ApplyOptions): Promise<Applied> {
  const signal = options.signal ? { signal: options.signal } : {};
  const existing = await readLive(client, at, signal);
  const refusal = options.check?.(existing);
  if (refusal !== undefined) throw new DispatchError('cannot apply ApplyOption', { stage: 'apply', cause: new Error(refusal), object: at });
  if (existing === undefined) return create(client, manifest, options);
  const comparison = compareWithLive(existing, manifest, options);
  const { patch, isEmpty } = comparison;
  if (options.skipUnchanged && isEmpty) return { verb: 'unchanged', object: existing };
  try {
    assertLongNumbersKept(existing, comparison);
    const type = mergeRulesOf(manifest) === undefined ? 'merge' : 'strategic';
    return { verb: 'patched', object: await client.patch(at, { type, body: patch }, writeOptions(options)), before: existing };
  } catch (cause) {
    throw new DispatchError('cannot patch object', { stage: 'apply', cause, object: at });
  }
}

function writeOptions({ signal, dryRun }: ApplyOptions) {
  return { ...(signal ? { signal } : {}), ...(dryRun ? { dryRun } : {}) };
}

async function readLive(client: KubeClient, at: ObjectAddress, signal: { readonly signal?: AbortSignal }): Promise<KubeObject | undefined> {
  try {
    return await client.get(at, signal);
  } catch (cause) {
    if (isNotFound(cause)) return undefined;
    throw new DispatchError('cannot get object', { stage: 'apply', cause, object: at });
  }
}

async function addressOf(client: KubeClient, manifest: KubeObject, signal: AbortSignal | undefined): Promise<ObjectAddress> {
  try {
    return await resolveAddress(client, manifest, signal);
  } catch (cause) {
    throw new DispatchError('cannot get object', { stage: 'apply', cause });
  }
}

/** Creates what the copies lack; undefined when somebody was quicker, and the object must be read after all. */
async function createUnseen(client: KubeClient, manifest: KubeObject, options: ApplyOptions): Promise<Applied | undefined> {
  try {
    return await create(client, manifest, options);
  } catch (error) {
    if (isAlreadyExists(error)) return undefined;
    throw error;
  }
}

async function create(client: KubeClient, manifest: KubeObject, options: ApplyOptions): Promise<Applied> {
  const recorded = withRecord(manifest, options);
  const body = options.onCreate?.(recorded) ?? recorded;
  try {
    return { verb: 'created', object: await client.create(body, writeOptions(options)) };
  } catch (cause) {
    throw new DispatchError('cannot create object', { stage: 'apply', cause });
  }
}

function isSettled(cached: KubeObject, manifest: KubeObject, options: ApplyOptions): boolean {
  if (options.check?.(cached) !== undefined || cached.metadata.deletionTimestamp !== undefined) return false;
  return compareWithLive(cached, manifest, options).isEmpty;
}

/** What an apply would send, and what that was computed from. */
export interface Comparison {
  readonly patch: Fields;
  readonly isEmpty: boolean;
  /** The object as it would be sent, with its own record. */
  readonly modified: KubeObject;
}

/** Compares a live object with a manifest; pure. It is empty exactly when applying the manifest would write nothing. */
export function compareWithLive(existing: KubeObject, desired: KubeObject, options: ApplyOptions): Comparison {
  try {
    markAppliedLists(existing);
    const instead = options.whenExists?.(existing);
    const kept = options.keep ?? [];
    const modified = keepEqualRecord(existing, withRecord(instead ?? keepPaths(desired, existing, kept), options), options);
    // What is kept as it is was never ours to delete from, owner entries of older trackers aside.
    const original =
      instead === undefined
        ? dropPaths(isSameText(existing, modified) ? withoutRecord(modified) : readRecord(existing, options), kept)
        : { metadata: { ownerReferences: existing.metadata.ownerReferences ?? [] } };
    const patch = computeThreeWayPatch({ original, current: existing, modified }, mergeRulesOf(desired), options);
    assertIdentityUnchanged(patch);
    return { patch, modified, isEmpty: isEmptyPatch(patch, existing) };
  } catch (cause) {
    throw new DispatchError('cannot calculate patch by computing a three way diff', { stage: 'apply', cause });
  }
}

/** True when the live record is the wanted one to the letter, so that it need not be parsed to know what it says. */
function isSameText(existing: KubeObject, modified: KubeObject): boolean {
  const text = existing.metadata.annotations?.[ANNOTATION.lastApplied];
  return text !== undefined && text === modified.metadata.annotations?.[ANNOTATION.lastApplied];
}

/** Keeps the live text of the record when it says the same, so that another key order is no change. */
function keepEqualRecord(existing: KubeObject, modified: KubeObject, options: ApplyOptions): KubeObject {
  const live = existing.metadata.annotations?.[ANNOTATION.lastApplied];
  const wanted = modified.metadata.annotations?.[ANNOTATION.lastApplied];
  if (live === undefined || wanted === undefined || live === wanted) return modified;
  const kept = options.keep ?? [];
  const record = readRecord(existing, options);
  if (kept.includes('*') && record !== undefined) return withRecordText(modified, recordLeftWhole(record, modified) ?? live);
  return deepEqual(dropPaths(record, kept), dropPaths(JSON.parse(wanted), kept)) ? withRecordText(modified, live) : modified;
}

/**
 * The record of an object that is left as it lives: what was applied is still that of then, and nothing that others put there since is ours to take away later.
 * Only the tracker is another one. Undefined where it is the same.
 */
function recordLeftWhole(record: Fields, modified: KubeObject): string | undefined {
  const metadata = readFields(record, 'metadata');
  const owners = readOwners(record);
  const own = (modified.metadata.ownerReferences ?? []).filter(isTrackerOwner);
  const ownerReferences = [...own, ...owners.filter((owner) => !isTrackerOwner(owner))];
  return deepEqual(owners, ownerReferences) ? undefined : JSON.stringify({ ...record, metadata: { ...metadata, ownerReferences } });
}

function readOwners(record: Fields): readonly OwnerReference[] {
  const owners = readField(record, 'metadata', 'ownerReferences');
  return Array.isArray(owners) ? (owners as readonly OwnerReference[]) : []; // our own text
}

function withRecordText(object: KubeObject, text: string): KubeObject {
  return { ...object, metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, [ANNOTATION.lastApplied]: text } } };
}

/** True when the patch changes nothing but the digest of a record, which depends on a key that may change. */
function isEmptyPatch(patch: Fields, existing: KubeObject): boolean {
  const { metadata, ...rest } = patch;
  if (Object.keys(rest).length > 0) return false;
  if (metadata === undefined) return true;
  if (!isFields(metadata)) return false;
  const { annotations, ...others } = metadata;
  if (Object.keys(others).length > 0) return false;
  if (annotations === undefined) return true;
  const marked = existing.metadata.annotations?.[ANNOTATION.lastAppliedDigest] !== undefined;
  return marked && isFields(annotations) && Object.keys(annotations).every((key) => key === ANNOTATION.lastAppliedDigest);
}

function assertIdentityUnchanged(patch: Fields): void {
  const changed = ['apiVersion', 'kind'].filter((member) => member in patch);
  if (isFields(patch.metadata) && 'name' in patch.metadata) changed.push('metadata.name');
  if (changed.length > 0) throw new Error(`precondition failed: ${changed.join(', ')} must not change`);
}

function withoutNamespace(manifest: KubeObject): KubeObject {
  const { namespace: _dropped, ...metadata } = manifest.metadata;
  return { ...manifest, metadata };
}
