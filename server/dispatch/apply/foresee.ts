import type { Fields } from '@/lib/kube/fields';
import { isFields } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { ANNOTATION, LABEL } from '../labels';
import type { ManifestPolicy } from '../options';
import { STANDING_OPTIONS } from '../options';
import { compareWithLive } from './apply';
import { foldStringData, isSecret } from './last-applied';
import { wantedOf } from './wanted';

/** What a dispatch keeps on every object for itself: whose it is, of which revision, and what was applied last. */
const MARKS: readonly string[] = [LABEL.appRevision, LABEL.appRevisionHash, ANNOTATION.lastApplied, ANNOTATION.lastAppliedDigest];
const OWNERS = /^(\$[A-Za-z]+\/)?ownerReferences$/;
const NOBODY = { name: '', uid: '' };

/**
 * The fields that a dispatch of a manifest would write over a live object, or make where there is none: the very patch of `apply`, without
 * what is kept of owner and revision. Empty where nothing of the content would change. Pure.
 */
export function foreseeWrite(manifest: KubeObject, live: KubeObject | undefined, policy: ManifestPolicy = {}): Fields {
  const plain = isSecret(manifest) ? foldStringData(manifest) : manifest;
  if (live === undefined) return withoutMarks(plain);
  const { desired, keep, whenExists } = wantedOf(plain, { tracker: NOBODY, policy, options: STANDING_OPTIONS });
  return withoutMarks(compareWithLive(live, desired, { secretKey: 'foreseen', keep, whenExists }).patch);
}

function withoutMarks(written: Fields): Fields {
  const { metadata, ...rest } = written;
  if (!isFields(metadata)) return written;
  const own = Object.entries(metadata).flatMap(([name, value]): [string, unknown][] => {
    if (OWNERS.test(name)) return [];
    if ((name !== 'labels' && name !== 'annotations') || !isFields(value)) return [[name, value]];
    const kept = Object.entries(value).filter(([key]) => !MARKS.includes(key));
    return kept.length === 0 ? [] : [[name, Object.fromEntries(kept)]];
  });
  return own.length === 0 ? rest : { ...rest, metadata: Object.fromEntries(own) };
}
