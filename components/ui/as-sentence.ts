import { beginsWithUser } from '@/lib/words/say-asker';

/** A field, such as `spec.template`, is written as it is written. */
const FIELD = /^[a-z]\w*(?:\.|\[)\w/;

/** Words that stand by themselves: with a capital, unless they begin with the name of a field or user, and with an end. */
export function asSentence(words: string): string {
  const first = FIELD.test(words) || beginsWithUser(words) ? words.charAt(0) : words.charAt(0).toUpperCase();
  return `${first}${words.slice(1)}${/[.!?]$/.test(words) ? '' : '.'}`;
}
