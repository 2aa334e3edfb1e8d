import { z } from 'zod';

const PREFIX = 'slipway-draft/';
/** A browser keeps a few megabytes for a site: one text may not take them all. */
const LONGEST = 1_000_000;

const draft = z.object({
  text: z.string().max(LONGEST),
  base: z.object({
    text: z.string().max(LONGEST),
    seen: z.union([z.literal('absent'), z.object({ uid: z.string(), generation: z.number() })]),
  }),
  at: z.string(),
});

/** A text that was written and not applied, and the state of the application that it was written on. */
export type Draft = z.infer<typeof draft>;

/** Set once nothing may be kept any more. */
let isOver = false;

/** Names the draft of a person: of one application, or of a new one. */
export function draftKey(user: string, at: { readonly ns: string; readonly name: string } | null): string {
  return `${PREFIX}${encodeURIComponent(user)}/${at === null ? 'new' : `${at.ns}/${at.name}`}`;
}

/** The draft that this browser keeps; null where there is none that can be read. */
export function readDraft(key: string): Draft | null {
  try {
    return draft.parse(JSON.parse(localStorage.getItem(key) ?? ''));
  } catch {
    return null;
  }
}

/** Keeps a draft in this browser; false where it does not take it. */
export function keepDraft(key: string, kept: Draft): boolean {
  try {
    if (isOver || kept.text.length > LONGEST || kept.base.text.length > LONGEST) return false;
    localStorage.setItem(key, JSON.stringify(kept));
    return true;
  } catch {
    return false;
  }
}

/** Forgets one draft. */
export function dropDraft(key: string): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // A browser that keeps nothing has nothing to forget.
  }
}

/** Forgets every draft in this browser, and keeps none until the page is loaded anew: whoever signs out leaves no text to the next person. */
export function dropDrafts(): void {
  isOver = true;
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
  } catch {
    // A browser that keeps nothing has nothing to forget.
  }
}
