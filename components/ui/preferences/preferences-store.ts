import { z } from 'zod';

const PREFIX = 'slipway-kept/';
/** As many as one finds one's way in; the oldest go. */
const MOST = { favourites: 50, recents: 12, views: 50, tables: 50 } as const;

const path = z
  .string()
  .max(600)
  .regex(/^\/(?![/\\])/);
const view = z.object({ path, name: z.string().min(1).max(80), query: z.string().max(4000) });
const table = z.object({ hidden: z.array(z.string().max(200)).max(100), dense: z.boolean() });
const kept = z.object({
  favourites: z.array(path).catch([]),
  recents: z.array(path).catch([]),
  views: z.array(view).catch([]),
  tables: z.record(z.string(), table).catch({}),
});

/** What a person chose to find again: pages, views of tables, and how tables look. */
export type Preferences = z.infer<typeof kept>;
/** A table's filters and order under a name. */
export type SavedView = z.infer<typeof view>;
/** Columns that are hidden, and whether rows are low. */
export type TableLayout = z.infer<typeof table>;

export const NO_PREFERENCES: Preferences = { favourites: [], recents: [], views: [], tables: {} };

const listeners = new Set<() => void>();
let held: { readonly user: string; readonly text: string | null; readonly kept: Preferences } | undefined;

const nameOf = (user: string) => `${PREFIX}${encodeURIComponent(user)}`;

function readText(user: string): string | null {
  try {
    return localStorage.getItem(nameOf(user));
  } catch {
    return held?.user === user ? held.text : null;
  }
}

/** What this browser keeps for a person; the same object as long as it is the same. */
export function readPreferences(user: string): Preferences {
  const text = readText(user);
  if (held?.user === user && held.text === text) return held.kept;
  held = { user, text, kept: parseKept(text) };
  return held.kept;
}

function parseKept(text: string | null): Preferences {
  try {
    return kept.parse(JSON.parse(text ?? '{}'));
  } catch {
    return NO_PREFERENCES;
  }
}

/** Changes what is kept for a person. A browser that keeps nothing has it until the page is loaded again. */
export function changePreferences(user: string, change: (now: Preferences) => Preferences): void {
  const next = shorten(change(readPreferences(user)));
  const text = JSON.stringify(next);
  try {
    localStorage.setItem(nameOf(user), text);
  } catch {
    // Kept in memory alone, below.
  }
  held = { user, text: readText(user) ?? text, kept: next };
  for (const listener of listeners) listener();
}

function shorten({ favourites, recents, views, tables }: Preferences): Preferences {
  return {
    favourites: favourites.slice(-MOST.favourites),
    recents: recents.slice(0, MOST.recents),
    views: views.slice(-MOST.views),
    tables: Object.fromEntries(Object.entries(tables).slice(-MOST.tables)),
  };
}

/** Calls back when something is changed, in this window or in another one. */
export function onPreferences(listener: () => void): () => void {
  listeners.add(listener);
  globalThis.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    globalThis.removeEventListener('storage', listener);
  };
}

/** Forgets which pages were opened, by whomever: the next person at this browser is not shown them. */
export function dropRecents(): void {
  try {
    for (const name of Object.keys(localStorage)) {
      if (name.startsWith(PREFIX)) localStorage.setItem(name, JSON.stringify({ ...parseKept(localStorage.getItem(name)), recents: [] }));
    }
  } catch {
    // A browser that keeps nothing has nothing to forget.
  }
}
