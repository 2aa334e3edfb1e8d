import { createHmac } from 'node:crypto';
import type { Fields } from '@/lib/kube/fields';
import { isFields, readFields } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { toStableJson } from '@/lib/std/stable-json';
import { ANNOTATION } from '../labels';
import { isTrackerOwner } from '../owners';

/** How the last-applied record is kept. With a key, a Secret carries a keyed digest instead of its manifest. */
export interface LastAppliedOptions {
  readonly secretKey?: string | undefined;
}

/** True for objects whose values must not be written anywhere else. */
export function isSecret(object: { readonly apiVersion: string; readonly kind: string }): boolean {
  return object.kind === 'Secret' && object.apiVersion === 'v1';
}

/** The manifest together with its own record, as it is sent. */
export function withRecord(manifest: KubeObject, { secretKey }: LastAppliedOptions): KubeObject {
  const bare = withoutRecord(manifest);
  if (secretKey !== undefined && isSecret(manifest)) {
    const digest = createHmac('sha256', secretKey).update(toStableJson(bare)).digest('hex');
    return annotate(bare, ANNOTATION.lastAppliedDigest, digest);
  }
  return annotate(bare, ANNOTATION.lastApplied, JSON.stringify(bare));
}

function annotate(object: KubeObject, key: string, value: string): KubeObject {
  return { ...object, metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, [key]: value } } };
}

/** The manifest as it is recorded: without its own record. */
export function withoutRecord(manifest: KubeObject): KubeObject {
  const { annotations, ...metadata } = manifest.metadata;
  const kept = Object.entries(annotations ?? {}).filter(([key]) => key !== ANNOTATION.lastApplied && key !== ANNOTATION.lastAppliedDigest);
  return { ...manifest, metadata: kept.length === 0 ? metadata : { ...metadata, annotations: Object.fromEntries(kept) } };
}

/** What we applied last time, as far as the live object tells; undefined when it was never ours. */
export function readRecord(live: KubeObject, { secretKey }: LastAppliedOptions): Fields | undefined {
  if (secretKey !== undefined && isSecret(live)) return secretRecord(live);
  const text = live.metadata.annotations?.[ANNOTATION.lastApplied];
  if (text === undefined || text === '') return undefined;
  const record: unknown = JSON.parse(text);
  return isFields(record) ? record : undefined;
}

/**
 * A digest cannot tell which members we set, so a Secret of ours counts as ours whole: data that the manifest no longer
 * has goes, entries of older trackers go, labels and annotations of others stay.
 */
function secretRecord(live: KubeObject): Fields | undefined {
  const annotations = live.metadata.annotations ?? {};
  if (annotations[ANNOTATION.lastAppliedDigest] === undefined && annotations[ANNOTATION.lastApplied] === undefined) return undefined;
  const manifest = annotations[ANNOTATION.lastApplied];
  return {
    data: readFields(live, 'data'),
    metadata: {
      ownerReferences: (live.metadata.ownerReferences ?? []).filter(isTrackerOwner),
      // A record in clear text, left by another writer, is taken away.
      ...(manifest === undefined ? {} : { annotations: { [ANNOTATION.lastApplied]: manifest } }),
    },
  };
}

/** A Secret as the server will hold it: `stringData` folded into `data`, so that it can be compared. */
export function foldStringData(manifest: KubeObject): KubeObject {
  const { stringData, ...rest } = manifest;
  if (!isFields(stringData)) return manifest;
  const encoded = Object.entries(stringData).map(([key, text]) => [key, Buffer.from(String(text), 'utf8').toString('base64')]);
  return { ...rest, data: { ...readFields(manifest, 'data'), ...Object.fromEntries(encoded) } } as KubeObject;
}
