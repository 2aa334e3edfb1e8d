'use client';

import { createContext, useCallback, useContext, useMemo, useSyncExternalStore } from 'react';
import type { Preferences, SavedView, TableLayout } from './preferences-store';
import { changePreferences, NO_PREFERENCES, onPreferences, readPreferences } from './preferences-store';

const Person = createContext('');
/** Says to all below whose favourites, views and columns are shown. */
export const PreferencesOf = Person.Provider;

/** Whose browser this is now. */
export function usePerson(): string {
  return useContext(Person);
}

/** How a table looks to the person; until they choose, without its extra columns. */
export function useTableLayout(table: string, columns: readonly { readonly id: string; readonly isExtra?: boolean }[]): TableLayout {
  const kept = usePreferences().tables[table];
  return kept ?? { hidden: columns.flatMap(({ id, isExtra }) => (isExtra ? [id] : [])), dense: false };
}

/** What this browser keeps for the person; nothing while the page is drawn on the server. */
export function usePreferences(): Preferences {
  const user = usePerson();
  return useSyncExternalStore(
    onPreferences,
    () => readPreferences(user),
    () => NO_PREFERENCES,
  );
}

export interface PreferenceChanges {
  readonly setFavourite: (path: string, isFavourite: boolean) => void;
  readonly visit: (path: string) => void;
  /** Saves a view; one of the same table and name is replaced. */
  readonly saveView: (view: SavedView) => void;
  readonly dropView: (view: SavedView) => void;
  readonly setLook: (table: string, look: TableLayout) => void;
}

/** How to change what is kept for the person. */
export function usePreferenceChanges(): PreferenceChanges {
  const user = usePerson();
  const change = useCallback((how: (now: Preferences) => Preferences) => changePreferences(user, how), [user]);
  return useMemo(
    () => ({
      setFavourite: (path, isFavourite) =>
        change((now) => ({ ...now, favourites: [...now.favourites.filter((one) => one !== path), ...(isFavourite ? [path] : [])] })),
      visit: (path) => change((now) => ({ ...now, recents: [path, ...now.recents.filter((one) => one !== path)] })),
      saveView: (view) => change((now) => ({ ...now, views: [...now.views.filter((one) => !isSame(one, view)), view] })),
      dropView: (view) => change((now) => ({ ...now, views: now.views.filter((one) => !isSame(one, view)) })),
      setLook: (table, look) => change((now) => ({ ...now, tables: { ...without(now.tables, table), [table]: look } })),
    }),
    [change],
  );
}

const isSame = (one: SavedView, other: SavedView) => one.path === other.path && one.name === other.name;

// Set anew, a table comes last, where it is forgotten last.
function without(tables: Preferences['tables'], table: string): Preferences['tables'] {
  return Object.fromEntries(Object.entries(tables).filter(([name]) => name !== table));
}
