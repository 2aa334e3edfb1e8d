import { createHash } from 'node:crypto';
import { isSecretLike, maskForReading } from '@/lib/kube/mask';
import type { KubeObject } from '@/lib/kube/object';
import { toStableJson } from '@/lib/std/stable-json';
import { writable } from '../../object-diff';

/** An object as people edit it: what they write, as they may read it. */
export function shownOf(object: KubeObject): { readonly value: unknown; readonly masked: boolean } {
  return maskForReading(writable(object));
}

/**
 * Names a state of an object: what people write in it, so that a status that moves on is no other state. Of a Secret it is the version: a digest over
 * a short value could be guessed.
 */
export function stateOf(object: KubeObject): string {
  if (isSecretLike(object)) return `version:${object.metadata.resourceVersion ?? ''}`;
  return `sha256:${createHash('sha256')
    .update(toStableJson(shownOf(object).value))
    .digest('hex')}`;
}
