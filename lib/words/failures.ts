const LONGEST = 500;
/** API servers and parsers quote what they refuse, and of a Secret that is its value. */
const QUOTED_VALUE = /(Invalid value: )"(?:[^"\\]|\\.)*"/g;
const QUOTED_JSON = /(?:\.\.\.)?"[^"]*"(?:\.\.\.)? is not valid JSON/g;

/**
 * The message of what was thrown, in one line that may stand on an object's page: without what could be the value of a Secret. The sentence that
 * stands there already stays where only figures differ, since a write wakes whoever watches, and one that tells nothing new would do so for ever.
 */
export function formatFailure(message: string, held?: string): string {
  const said = oneLine(message);
  const bare = (text: string) => text.replaceAll(/\d+/g, '#');
  return held !== undefined && bare(held) === bare(said) ? held : said;
}

function oneLine(message: string): string {
  const [line = ''] = message.trim().split('\n', 1);
  const unquoted = line.replace(QUOTED_JSON, 'the text is not valid JSON');
  const told = /\bsecrets?\b/i.test(unquoted) ? unquoted.replace(QUOTED_VALUE, '$1(not repeated)') : unquoted;
  if (told === '') return 'it failed without a message';
  return told.length > LONGEST ? `${told.slice(0, LONGEST - 1)}…` : told;
}
