import type { PathStep } from '@/lib/kube/field-owners';
import type { Fields } from '@/lib/kube/fields';
import { isFields } from '@/lib/kube/fields';
import { ANNOTATION, LABEL } from './labels';

/** What tells the revision and who rendered it: each one has it otherwise. */
const REVISION: readonly string[] = [LABEL.appRevision, LABEL.appRevisionHash, ANNOTATION.platformVersion];
/** The record of what was applied last. */
const RECORD: readonly string[] = [ANNOTATION.lastApplied, ANNOTATION.lastAppliedDigest];
/** Owners, also as a patch orders or replaces them. */
const OWNERS = /^(\$[A-Za-z]+\/)?ownerReferences$/;
const WORDS: readonly string[] = ['labels', 'annotations'];

/** True for what says whose an object is and what was applied, which is no content of it. */
export function isBookkeeping([first, second, third]: readonly PathStep[]): boolean {
  if (first !== 'metadata' || typeof second !== 'string') return false;
  return OWNERS.test(second) || (second === 'annotations' && typeof third === 'string' && RECORD.includes(third));
}

/** True for everything that a dispatch keeps on an object for itself: the bookkeeping, and of which revision it is. No change of a person's. */
export function isDispatchMetadata(steps: readonly PathStep[]): boolean {
  const [first, second, third] = steps;
  if (isBookkeeping(steps)) return true;
  return (
    first === 'metadata' && typeof second === 'string' && WORDS.includes(second) && typeof third === 'string' && REVISION.includes(third)
  );
}

/** An object, or a patch of one, without the marks of a dispatch. */
export function withoutDispatchMetadata<Marked extends Fields>({ metadata, ...rest }: Marked): Fields {
  if (!isFields(metadata)) return metadata === undefined ? rest : { ...rest, metadata };
  const own = Object.entries(metadata).flatMap(([name, value]): [string, unknown][] => {
    if (isDispatchMetadata(['metadata', name])) return [];
    if (!WORDS.includes(name) || !isFields(value)) return [[name, value]];
    const kept = Object.entries(value).filter(([word]) => !isDispatchMetadata(['metadata', name, word]));
    return kept.length === 0 ? [] : [[name, Object.fromEntries(kept)]];
  });
  return own.length === 0 ? rest : { ...rest, metadata: Object.fromEntries(own) };
}
