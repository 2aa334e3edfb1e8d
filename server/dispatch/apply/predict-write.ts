import type { Fields } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { withoutDispatchMetadata } from '../dispatch-metadata';
import type { ManifestPolicy } from '../options';
import { ENGINE_MERGE_OPTIONS } from '../options';
import { compareWithLive } from './apply';
import { desiredOf } from './desired';
import { foldStringData, isSecret } from './last-applied';

const NOBODY = { name: '', uid: '' };

/**
 * The fields that a dispatch of a manifest would write over a live object, or make where there is none: the very patch of `apply`, without
 * what is kept of owner and revision. Empty where nothing of the content would change. Pure.
 */
export function predictWrite(manifest: KubeObject, live: KubeObject | undefined, policy: ManifestPolicy = {}): Fields {
  const plain = isSecret(manifest) ? foldStringData(manifest) : manifest;
  if (live === undefined) return withoutDispatchMetadata(plain);
  const { desired, keep, whenExists } = desiredOf(plain, { tracker: NOBODY, policy, options: ENGINE_MERGE_OPTIONS });
  return withoutDispatchMetadata(compareWithLive(live, desired, { secretKey: 'foreseen', keep, whenExists }).patch);
}
