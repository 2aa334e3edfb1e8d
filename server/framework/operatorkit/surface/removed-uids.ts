import type { Clock } from '@/server/platform';

/**
 * Remembers for a while the objects whose finalizer we took away. Events that were queued before would otherwise run
 * the deletion again.
 */
export class RemovedUids {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #keepMs: number;
  readonly #at = new Map<string, number>();

  constructor(options: { readonly clock: Pick<Clock, 'now'>; readonly keepMs: number }) {
    this.#clock = options.clock;
    this.#keepMs = options.keepMs;
  }

  add(uid: string): void {
    this.#forget();
    this.#at.delete(uid);
    this.#at.set(uid, this.#clock.now());
  }

  has(uid: string): boolean {
    this.#forget();
    return this.#at.has(uid);
  }

  /** Entries are in the order of their time, so the first young one ends the search. */
  #forget(): void {
    const oldest = this.#clock.now() - this.#keepMs;
    for (const [uid, at] of this.#at) {
      if (at > oldest) return;
      this.#at.delete(uid);
    }
  }
}
