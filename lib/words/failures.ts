const LONGEST = 500;
/** API servers and parsers quote what they refuse, and of a Secret that is its value. */
const QUOTED_VALUE = /(Invalid value: )"(?:[^"\\]|\\.)*"/g;
const QUOTED_JSON = /(?:\.\.\.)?"[^"]*"(?:\.\.\.)? is not valid JSON/g;

/** The message of what was thrown, in one line that may stand on an object's page: without what could be the value of a Secret. */
export function sayFailure(message: string): string {
  const [line = ''] = message.trim().split('\n', 1);
  const unquoted = line.replace(QUOTED_JSON, 'the text is not valid JSON');
  const told = /\bsecrets?\b/i.test(unquoted) ? unquoted.replace(QUOTED_VALUE, '$1(not repeated)') : unquoted;
  if (told === '') return 'it failed without a message';
  return told.length > LONGEST ? `${told.slice(0, LONGEST - 1)}…` : told;
}
