import type { RecordEntry } from '@/lib/contract/record-entry';
import type { ActivityRow } from '@/lib/contract/system-rows';
import { nameOfKind } from '@/lib/kube/kinds';
import { toObjectKey } from '@/lib/kube/object';
import { toIso } from '@/lib/std/instant';
import type { Release } from '@/server/platform';
import type { EntriesQuery } from '@/server/store';
import { capitalise } from '../capitalise';

const KEPT = 5000;

/** Reads entries of the record itself, with their data, oldest first: of some acts, bounded by a number. */
export type ReadEntries = (query: EntriesQuery) => Promise<readonly RecordEntry[]>;

/** The newest entries of the record, for live views; the whole of it is in the store. */
export class Journal {
  readonly #rows = new Map<string, ActivityRow>();
  readonly #listeners = new Set<(row: ActivityRow) => void>();

  /** Takes entries over that are on record; an entry that is here already is left out. */
  add(entries: readonly RecordEntry[]): void {
    for (const entry of entries) {
      if (this.#rows.has(entry.id)) continue;
      const row = toRow(entry);
      this.#rows.set(entry.id, row);
      const oldest = this.#rows.size > KEPT ? this.#rows.keys().next().value : undefined;
      if (oldest !== undefined) this.#rows.delete(oldest);
      for (const listener of this.#listeners) listener(row);
    }
  }

  onAdd(listener: (row: ActivityRow) => void): Release {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  rows(): Iterable<ActivityRow> {
    return this.#rows.values();
  }

  /** Entries about one object and, by namespace and name, about what shares its name; newest first. */
  about(namespace: string, name: string): readonly ActivityRow[] {
    const key = toObjectKey({ namespace, name });
    return [...this.#rows.values()].filter((row) => toObjectKey({ namespace: row.ns ?? undefined, name: row.name }) === key).reverse();
  }
}

function toRow(entry: RecordEntry): ActivityRow {
  return {
    key: entry.id,
    at: toIso(entry.at),
    actor: entry.actor,
    action: entry.action,
    kind: nameOfKind(entry.about),
    ns: entry.about.namespace ?? null,
    name: entry.about.name,
    message: capitalise(entry.message, [entry.about.name, entry.actor]),
  };
}
