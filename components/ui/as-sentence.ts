import { beginsWithName } from '@/lib/words/format-requester';

/** Words that stand by themselves, such as a message of the API: with a capital, unless they begin with a name, as of a field or user, and with an end. */
export function asSentence(words: string): string {
  const first = beginsWithName(words) ? words.charAt(0) : words.charAt(0).toUpperCase();
  return `${first}${words.slice(1)}${/[.!?…]$/.test(words) ? '' : '.'}`;
}
