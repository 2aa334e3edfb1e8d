import type { Instant } from '@/lib/std/instant';
import type { Clock } from '@/server/platform';

/** How requests to an API server ended: by the class of their status, or without an answer. */
export type CallClass = 'ok' | 'refused' | 'failed' | 'unanswered';

export interface VerbFigures extends Readonly<Record<CallClass, number>> {
  readonly verb: string;
}

/** Requests to the API server in the last minute. */
export interface CallFigures {
  readonly verbs: readonly VerbFigures[];
  /** The one that took longest until the head of its answer, watches not counted. */
  readonly slowest: { readonly what: string; readonly tookMs: number; readonly at: Instant } | undefined;
  /** Those that waited for their turn under the rate limit. */
  readonly throttled: { readonly calls: number; readonly longestMs: number };
}

const SLOTS = 60;
const SLOT_MS = 1000;

interface Slot {
  second: number;
  readonly verbs: Map<string, Record<CallClass, number>>;
  slowest: CallFigures['slowest'];
  throttled: number;
  longestWaitMs: number;
}

/** Requests as the engine page tells them, second by second. Its memory does not grow with what it counts. */
export class CallStats {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #slots: readonly Slot[] = Array.from({ length: SLOTS }, () => ({
    second: -1,
    verbs: new Map(),
    slowest: undefined,
    throttled: 0,
    longestWaitMs: 0,
  }));

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Counts a request that was answered with a status now, or with none. */
  answered({
    verb,
    what,
    status,
    tookMs,
  }: {
    readonly verb: string;
    readonly what: string;
    readonly status: number | undefined;
    readonly tookMs: number;
  }): void {
    const slot = this.#slot();
    const counts = slot.verbs.get(verb) ?? { ok: 0, refused: 0, failed: 0, unanswered: 0 };
    slot.verbs.set(verb, counts);
    counts[toClass(status)]++;
    if (verb !== 'watch' && tookMs > (slot.slowest?.tookMs ?? -1)) slot.slowest = { what, tookMs, at: this.#clock.now() };
  }

  /** Counts a request that had to wait for its turn. */
  throttled(waitedMs: number): void {
    const slot = this.#slot();
    slot.throttled++;
    slot.longestWaitMs = Math.max(slot.longestWaitMs, waitedMs);
  }

  figures(): CallFigures {
    const oldest = Math.floor(this.#clock.now() / SLOT_MS) - SLOTS;
    const recent = this.#slots.filter(({ second }) => second > oldest);
    const verbs = new Map<string, Record<CallClass, number>>();
    for (const slot of recent) {
      for (const [verb, counts] of slot.verbs) {
        const sum = verbs.get(verb) ?? { ok: 0, refused: 0, failed: 0, unanswered: 0 };
        for (const answer of Object.keys(sum) as CallClass[]) sum[answer] += counts[answer];
        verbs.set(verb, sum);
      }
    }
    const slowest = recent.flatMap((slot) => slot.slowest ?? []).sort((a, b) => b.tookMs - a.tookMs)[0];
    return {
      verbs: [...verbs].map(([verb, counts]) => ({ verb, ...counts })).sort((a, b) => (a.verb < b.verb ? -1 : 1)),
      slowest,
      throttled: {
        calls: recent.reduce((sum, slot) => sum + slot.throttled, 0),
        longestMs: recent.reduce((longest, slot) => Math.max(longest, slot.longestWaitMs), 0),
      },
    };
  }

  #slot(): Slot {
    const second = Math.floor(this.#clock.now() / SLOT_MS);
    // A slot for each second of a minute: the remainder is always one of them.
    const slot = this.#slots[second % SLOTS] as Slot;
    if (slot.second !== second) {
      slot.verbs.clear();
      Object.assign(slot, { second, slowest: undefined, throttled: 0, longestWaitMs: 0 });
    }
    return slot;
  }
}

function toClass(status: number | undefined): CallClass {
  if (status === undefined) return 'unanswered';
  if (status >= 500) return 'failed';
  return status >= 400 ? 'refused' : 'ok';
}
