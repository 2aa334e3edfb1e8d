import { beginsWithName } from '@/lib/words/format-requester';

/**
 * A sentence as a row shows it: with a capital at its start, unless it begins with the name of an object or user, which is spelled as it is.
 * Names with digits, dashes, dots or slashes are told by their form, and what stands before a colon is one; plain words only when they are given.
 */
export function capitalise(sentence: string, names: readonly (string | undefined)[] = []): string {
  const [first = ''] = sentence.split(/[\s,]/, 1);
  if (/[-\d./]|:$/.test(first) || names.includes(first) || beginsWithName(sentence)) return sentence;
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
