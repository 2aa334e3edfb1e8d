/** Signs of a pattern; nobody means more, and reading it nests as deep as it does. */
const MAX_SIGNS = 1000;
/** As often Go repeats something. */
const MAX_TIMES = 1000;
const REPEATED = /^\{(\d{1,4})(?:(,)(\d{1,4})?)?\}/;
/** One sign of a text: an escape, a class, or itself. */
const SIGN = /^(?:\\[dDwWsS]|\\[^A-Za-z0-9]|\[\^?\]?(?:\\[\s\S]|[^\]\\])*\]|[^\\[\]()*+?{}|^$])/u;

/** What matching may still cost, over however many patterns and texts. */
export interface MatchBudget {
  left: number;
}

/** From places in a text to those at which a part of a pattern ends. */
type Part = (text: string, from: ReadonlySet<number>, steps: MatchBudget) => Set<number>;

/**
 * Reads a pattern as Go writes it that the whole of a text must match. It follows all ways at once, by places and never back, and stops when its steps are used
 * up: what somebody wrote keeps nobody waiting. Throws for what is no pattern, and for what looks around or back, which Go refuses as well.
 */
export function readPattern(pattern: string): (text: string, steps: MatchBudget) => boolean {
  if (pattern.length > MAX_SIGNS) throw new SyntaxError('the pattern is too long');
  const reader = new Reader(pattern);
  const whole = reader.readAlternatives();
  if (!reader.isDone) throw new SyntaxError('the pattern has an unmatched closing bracket');
  return (text, steps) => whole(text, new Set([0]), steps).has(text.length);
}

class Reader {
  #rest: string;

  constructor(pattern: string) {
    this.#rest = pattern;
  }

  get isDone(): boolean {
    return this.#rest === '';
  }

  readAlternatives(): Part {
    const parts = [this.#readSequence()];
    while (this.#take('|')) parts.push(this.#readSequence());
    return (text, from, steps) => new Set(parts.flatMap((part) => [...part(text, from, steps)]));
  }

  #readSequence(): Part {
    const parts: Part[] = [];
    while (this.#rest !== '' && !this.#rest.startsWith('|') && !this.#rest.startsWith(')')) parts.push(this.#readRepeated());
    return (text, from, steps) => parts.reduce((at, part) => part(text, at, steps), new Set(from));
  }

  #readRepeated(): Part {
    const part = this.#readOne();
    const [least, most] = this.#readTimes() ?? [1, 1];
    if (least === 1 && most === 1) return part;
    this.#take('?'); // greedy or not, the whole must match
    return (text, from, steps) => repeat({ part, least, most }, from, { text, steps });
  }

  #readTimes(): readonly [number, number] | undefined {
    if (this.#take('*')) return [0, Number.POSITIVE_INFINITY];
    if (this.#take('+')) return [1, Number.POSITIVE_INFINITY];
    if (this.#take('?')) return [0, 1];
    const found = REPEATED.exec(this.#rest);
    if (found === null) return undefined;
    this.#rest = this.#rest.slice(found[0].length);
    const [least, most] = [Number(found[1]), found[2] === undefined ? Number(found[1]) : Number(found[3] ?? Number.POSITIVE_INFINITY)];
    if (least > MAX_TIMES || (most > MAX_TIMES && found[3] !== undefined) || most < least)
      throw new SyntaxError('the pattern has too many repetitions');
    return [least, most];
  }

  #readOne(): Part {
    if (this.#take('^') || this.#take('\\A')) return at((place) => place === 0);
    if (this.#take('$') || this.#take('\\z')) return at((place, text) => place === text.length);
    if (this.#take('(')) {
      if (!this.#take('?:') && this.#rest.startsWith('?')) this.#readName();
      const inner = this.readAlternatives();
      if (!this.#take(')')) throw new SyntaxError('the pattern has an unclosed bracket');
      return inner;
    }
    const [sign] = SIGN.exec(this.#rest) ?? [];
    if (sign === undefined) throw new SyntaxError('the pattern cannot be read');
    this.#rest = this.#rest.slice(sign.length);
    return one(new RegExp(`^${sign}$`));
  }

  #readName(): void {
    const [name] = /^\?P?<\w+>/.exec(this.#rest) ?? [];
    if (name === undefined) throw new SyntaxError('the pattern has a lookaround or flags');
    this.#rest = this.#rest.slice(name.length);
  }

  #take(word: string): boolean {
    if (!this.#rest.startsWith(word)) return false;
    this.#rest = this.#rest.slice(word.length);
    return true;
  }
}

const at =
  (holds: (place: number, text: string) => boolean): Part =>
  (text, from) =>
    new Set([...from].filter((place) => holds(place, text)));

const one =
  (sign: RegExp): Part =>
  (text, from, steps) => {
    steps.left -= from.size;
    const next = new Set<number>();
    if (steps.left > 0) for (const place of from) if (place < text.length && sign.test(text.charAt(place))) next.add(place + 1);
    return next;
  };

interface Repeated {
  readonly part: Part;
  readonly least: number;
  readonly most: number;
}

function repeat(
  { part, least, most }: Repeated,
  from: ReadonlySet<number>,
  { text, steps }: { readonly text: string; readonly steps: MatchBudget },
): Set<number> {
  let ends = new Set(from);
  for (let times = 0; times < least && ends.size > 0 && --steps.left > 0; times++) ends = part(text, ends, steps);
  const all = new Set(ends);
  for (let times = least; times < most && ends.size > 0 && --steps.left > 0; times++) {
    ends = new Set([...part(text, ends, steps)].filter((place) => !all.has(place)));
    for (const place of ends) all.add(place);
  }
  return all;
}
