import type { HistoryQuery, PastAttempt, RolloutHistory } from '@/lib/contract/history/history-rows';
import { toWithin } from '@/lib/contract/lists/within';
import type { Instant } from '@/lib/std/instant';
import { toInstant, toIso } from '@/lib/std/instant';
import type { Clock } from '@/server/platform';
import type { ReadEntries } from '../system/journal';
import type { Visibility } from '../views/window';
import { toAttempts } from './attempts';
import { firstWeek, pageOfAttempts, toFigures, toWeeks } from './figures';
import type { Note } from './notes';
import { HISTORY_ACTIONS, toNote } from './notes';

/** What was read is good for so long, whoever asks. */
const GOOD_FOR_MS = 10_000;
/** Entries that are read and kept, the newest. */
const MAX_READ = 20_000;
/** An engine's act may wait in a file and come onto record later than it happened. */
const RECONCILE_WAIT_MS = 3_600_000;

interface HistoryDeps {
  readonly read: ReadEntries;
  readonly clock: Pick<Clock, 'now'>;
}

interface Held {
  readonly at: Instant;
  /** From when on it is told. */
  readonly since: Instant;
  /** In the order of time. */
  readonly notes: readonly Note[];
  readonly attempts: readonly PastAttempt[];
}

/** The last weeks of rollouts, told from the record: read when somebody asks, kept for ten seconds, and then only what is new is read. */
export class RecordedRollouts {
  readonly #deps: HistoryDeps;
  #held: Held | undefined;
  #reading: Promise<Held> | undefined;

  constructor(deps: HistoryDeps) {
    this.#deps = deps;
  }

  /** What a reader may see of them; rejects while the store does not answer. */
  async see(visibility: Visibility, query: HistoryQuery): Promise<RolloutHistory> {
    const { attempts, since } = await this.#look();
    const allowed = visibility === 'all' ? undefined : new Set(visibility);
    const seen = attempts.filter(
      ({ ns }) => (allowed === undefined || allowed.has(ns)) && (query.ns === undefined || query.ns.includes(ns)),
    );
    const now = this.#deps.clock.now();
    const told = { weeks: [...toWeeks(seen, now)], all: toFigures(seen), since: toIso(since), isWhole: since <= firstWeek(now) };
    const within = toWithin(visibility);
    return { ...told, ...pageOfAttempts(seen, query), ...(within && { within }) };
  }

  async #look(): Promise<Held> {
    const held = this.#held;
    if (held !== undefined && this.#deps.clock.now() - held.at < GOOD_FOR_MS) return held;
    this.#reading ??= this.#read(held).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(before: Held | undefined): Promise<Held> {
    const at = this.#deps.clock.now();
    const first = firstWeek(at);
    const since = before === undefined ? first : toInstant(Math.max(first, before.at - RECONCILE_WAIT_MS));
    const entries = await this.#deps.read({ actions: HISTORY_ACTIONS, since, most: MAX_READ });
    const found = new Map((before?.notes ?? []).map((note) => [note.id, note]));
    for (const entry of entries) {
      const note = toNote(entry);
      if (note !== undefined) found.set(note.id, note);
    }
    const known = [...found.values()].filter((note) => note.at >= first).toSorted((a, b) => a.at - b.at);
    const notes = known.slice(-MAX_READ);
    const [oldest] = entries.length >= MAX_READ ? entries : notes.length < known.length ? notes : [];
    const held: Held = {
      at,
      since: toInstant(Math.max(first, oldest?.at ?? before?.since ?? first)),
      notes,
      attempts: toAttempts(notes),
    };
    this.#held = held;
    return held;
  }
}
