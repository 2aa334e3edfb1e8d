/** One entry: a text, a function of its parameters, or a table of words by an id. A text with parts that are no text, such as a link, is an array. */
type Entry = string | ((...parameters: never[]) => string | readonly unknown[]) | { readonly [id: string]: Entry };

type Mark = (text: string) => string;

/** Tests put a mark there before anything is loaded, which shows what of a page comes out of the catalogue (record 0105). Nothing else sets it. */
const HOOK = Symbol.for('slipway/words');
const mark = (globalThis as { readonly [HOOK]?: Mark })[HOOK];

/** What a part of the screen says, by id. Everything that a person reads there stands in such a table and nowhere else. */
export function catalogue<Texts extends { readonly [id: string]: Entry }>(texts: Texts): Texts {
  return mark === undefined ? texts : (markEntry(texts, mark) as Texts);
}

/** A sentence that comes from a table with its own ids, such as `format-rollout.ts`. */
export function fromCatalogue(sentence: string): string {
  return mark === undefined ? sentence : mark(sentence);
}

function markEntry(entry: unknown, put: Mark): unknown {
  if (typeof entry === 'string') return put(entry);
  if (typeof entry === 'function') return (...parameters: readonly unknown[]) => markSaid(entry(...parameters), put);
  return Object.fromEntries(Object.entries(entry as object).map(([id, each]) => [id, markEntry(each, put)]));
}

// Each text of an array by itself: what stands between them is marked where it is made.
function markSaid(said: unknown, put: Mark): unknown {
  if (typeof said === 'string') return put(said);
  return Array.isArray(said) ? said.map((part) => (typeof part === 'string' ? put(part) : part)) : said;
}
