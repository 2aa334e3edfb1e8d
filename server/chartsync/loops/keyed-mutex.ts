import { toObjectId } from '@/lib/kube/object';
import type { Clock } from '@/server/platform';
import { waitAtMost } from '@/server/platform';
import type { DeclaredRelease } from '../model/declared';

/** Runs at most one task per key at a time, in the order of asking (R-LOCK-3). */
export class KeyedMutex {
  readonly #tails = new Map<string, Promise<void>>();

  /** Resolves when nothing runs and nobody waits. */
  async idle(): Promise<void> {
    while (this.#tails.size > 0) await Promise.all(this.#tails.values());
  }

  /** Runs the task when all earlier ones of the key have ended, however they ended. */
  async run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const turn = (this.#tails.get(key) ?? Promise.resolve()).then(task);
    // Whoever asked hears of a failure; the next in line only waits for the end.
    const tail = turn.then(
      () => undefined,
      () => undefined,
    );
    this.#tails.set(key, tail);
    try {
      return await turn;
    } finally {
      if (this.#tails.get(key) === tail) this.#tails.delete(key); // nobody waits any more
    }
  }
}

/** How long a pass waits for the look at one release. */
export const RECONCILE_WAIT_MS = 10_000;

interface BoundedReconcilesDeps {
  readonly clock: Clock;
  /** Hears what failed after nobody waited for it any more. */
  readonly failed: (key: string, error: unknown) => void;
}

/** Looks of passes over many releases: one that takes long is left to itself, and no pass looks at that release again before it has ended. */
export class BoundedReconciles {
  readonly #deps: BoundedReconcilesDeps;
  readonly #late = new Set<string>();

  constructor(deps: BoundedReconcilesDeps) {
    this.#deps = deps;
  }

  /** Looks, unless an earlier look at that resource is under way, and waits for its end, though not for long. */
  async look({ at }: Pick<DeclaredRelease, 'at'>, signal: AbortSignal, task: () => Promise<void>): Promise<void> {
    const key = toObjectId(at);
    if (this.#late.has(key)) return;
    const { clock, failed } = this.#deps;
    const looking = task();
    const late = () => {
      this.#late.add(key);
      looking.catch((error: unknown) => failed(key, error)).finally(() => this.#late.delete(key));
    };
    await waitAtMost({ clock, ms: RECONCILE_WAIT_MS, signal, late }, looking);
  }
}
