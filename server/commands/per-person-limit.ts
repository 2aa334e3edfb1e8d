import type { Release } from '@/server/platform';

/** Who holds how many of something that each person may have so many of. A person is counted, not a session: it is one cluster that their tabs ask. */
export class PerPersonLimit {
  readonly #most: number;
  readonly #held = new Map<string, number>();
  readonly #listeners = new Map<string, Set<() => void>>();

  constructor(most: number) {
    this.#most = most;
  }

  /** A place for one more; undefined while the person has none left. */
  take(user: string): Release | undefined {
    const held = this.#held.get(user) ?? 0;
    if (held >= this.#most) return undefined;
    this.#held.set(user, held + 1);
    let over = false;
    return () => {
      if (over) return;
      over = true;
      this.#free(user);
    };
  }

  /** Hears that a place of the person became free. */
  onFree(user: string, listener: () => void): Release {
    const own = () => listener(); // the same function twice is two listeners
    const listeners = this.#listeners.get(user) ?? new Set();
    this.#listeners.set(user, listeners.add(own));
    return () => {
      listeners.delete(own);
      if (listeners.size === 0 && this.#listeners.get(user) === listeners) this.#listeners.delete(user);
    };
  }

  #free(user: string): void {
    const left = (this.#held.get(user) ?? 1) - 1;
    if (left === 0) this.#held.delete(user);
    else this.#held.set(user, left);
    for (const listener of [...(this.#listeners.get(user) ?? [])]) listener();
  }
}
