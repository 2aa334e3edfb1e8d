/** What a word of state says: that something failed, or that something is under way. Most words say neither. */
export type StateWord = 'failed' | 'under-way';

const FAILURE =
  /^(fail(s|ed|ure|ures|ing)?|err(s|or|ors|ored)?|crash(ed|es|ing)?|invalid|unhealthy|degraded|broken|corrupt(ed)?|reject(ed)?|denied|refused|forbidden|unauthori[sz]ed|conflict(s|ed|ing)?|lost|abort(ed)?|unavailable|unreachable|disconnected|stalled|stuck|dead|offline|fault(s|y|ed)?|fatal|panic(ked)?|timeout|expired|unsupported|misconfigured|exhausted|exceeded|unresolved|violat(ed|ion|ions)|noncompliant|unrecoverable|evicted|killed|unschedulable|inaccessible|critical)$/;
/** Words of failure by themselves only: what is `ScalingDown` is under way. */
const FAILURE_ALONE = /^(down|bad|red|off)$/;
const UNDER_WAY =
  /^(pending|progress|queued|requested|submitted|unknown|incomplete|partial(ly)?|unready|unsynced|uninitiali[sz]ed|undetermined|retry|yellow)$/;
/** What lasts, although it is a participle. */
const LASTING =
  /^(runn|serv|listen|work|stream|monitor|watch|replicat|mirror|lead|follow|operat|function|exist|liv|record|track|logg|noth|someth|everyth|str)ing$/;
const WANTED =
  /^(ready|available|healthy|synced|sync|synchroni[sz]ed|insync|accepted|programmed|established|resolved|valid|validated|connected|reconciled|reachable|installed|deployed|initiali[sz]ed|succeeded|successful|success|completed?|applied|bound|running|up|online|provisioned|configured|created|admitted|published|registered|operational|joined|mounted|serving|launched|loaded|verified|authenticated|issued|scheduled|started|found|ok)$/;
const NEGATION = /^(no|not|non|without|un|never|zero|0)$/;

/** The words of a name in camel case, snake case or plain text, in small letters. */
export function wordsOf(text: string): readonly string[] {
  const spaced = text.replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, ' ');
  return spaced.toLowerCase().match(/[a-z0-9]+/g) ?? [];
}

/** Whether a word names a state that is wished for, as `ready` or `synced`. */
export function isWanted(word: string | undefined): boolean {
  return word !== undefined && WANTED.test(word);
}

/** Whether a word names something that goes on until it is done, as `creating` does and `running` does not. */
export function isParticiple(word: string | undefined): boolean {
  return word !== undefined && word.length > 4 && word.endsWith('ing') && !LASTING.test(word);
}

/** Reads words of state: `CreateFailed`, `in progress`, `Not ready`. A negated failure says nothing, a negated wish is under way. */
export function readWords(words: readonly string[]): StateWord | undefined {
  const negated = (at: number) => NEGATION.test(words[at - 1] ?? '');
  if (words.some((_, at) => isFailure(words, at) && !negated(at))) return 'failed';
  if (words.some((word, at) => !negated(at) && (UNDER_WAY.test(word) || isParticiple(word)))) return 'under-way';
  return words.some((word, at) => isWanted(word) && negated(at)) ? 'under-way' : undefined;
}

function isFailure(words: readonly string[], at: number): boolean {
  const word = words[at] ?? '';
  if (word === 'out') return words[at - 1] === 'timed';
  if (words.length === 1 && FAILURE_ALONE.test(word)) return true;
  return FAILURE.test(word);
}

/** The longest text that is read as a word of state; what is longer is a sentence. */
const LONGEST = 60;

/** Reads a text that a controller wrote as a state. */
export function readState(text: string): StateWord | undefined {
  return text.length > LONGEST ? undefined : readWords(wordsOf(text));
}
