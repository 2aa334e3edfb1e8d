import type { Random } from '@/server/platform';

const FIRST_MS = 5;
const LONGEST_MS = 1_000_000;
/** Waits are drawn from [n, 1.25 n), so that keys that failed together do not return together. */
const SPREAD = 0.25;

/** Waits between 5 ms and 1000 s that double with every failure of one key in a row. */
export class KeyBackoff<Key> {
  readonly #failures = new Map<Key, number>();
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Counts a failure and says how long to wait. */
  nextMs(key: Key): number {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    const nominal = Math.min(FIRST_MS * 2 ** failures, LONGEST_MS / (1 + SPREAD));
    return nominal * (1 + SPREAD * this.#random());
  }

  failures(key: Key): number {
    return this.#failures.get(key) ?? 0;
  }

  forget(key: Key): void {
    this.#failures.delete(key);
  }
}
