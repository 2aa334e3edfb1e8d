import { isFields, readFields } from '@/lib/kube/fields';
import { deepEqual } from '@/lib/std/deep-equal';
import { toStableJson } from '@/lib/std/stable-json';
import { HASH_LABEL } from './model';

// Letters and digits that form no words, as the original writes hashes in names.
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** The hash that names a template's ReplicaSet; a collision count makes another one of the same template. */
export function hashTemplate(template: unknown, collisionCount: number | undefined): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(toStableJson([template, collisionCount ?? null]))) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return [...String(hash)].map((digit) => ALPHABET[digit.charCodeAt(0) % ALPHABET.length]).join('');
}

/** True when two templates are the same but for the hash label. */
export function isSameTemplate(left: unknown, right: unknown): boolean {
  return deepEqual(withoutHash(left), withoutHash(right));
}

function withoutHash(template: unknown): unknown {
  if (!isFields(template)) return template;
  const { [HASH_LABEL]: _hash, ...labels } = readFields(template, 'metadata', 'labels');
  const { creationTimestamp: _none, ...metadata } = readFields(template, 'metadata');
  return { ...template, metadata: { ...metadata, labels } };
}
