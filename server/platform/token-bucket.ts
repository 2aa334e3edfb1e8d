/** Tokens that come back one by one, up to a burst. A clock that is set back gives none. */
export class TokenBucket {
  readonly #burst: number;
  readonly #everyMs: number;
  #tokens: number;
  #filledAt: number;

  constructor({ burst, everyMs }: { readonly burst: number; readonly everyMs: number }, nowMs: number) {
    this.#burst = burst;
    this.#everyMs = everyMs;
    this.#tokens = burst;
    this.#filledAt = nowMs;
  }

  /** Takes one; false where there is none. */
  take(nowMs: number): boolean {
    if (this.untilNextMs(nowMs) > 0) return false;
    this.#tokens--;
    return true;
  }

  /** How long until there is one; 0 where there is. */
  untilNextMs(nowMs: number): number {
    this.#tokens = Math.min(this.#burst, this.#tokens + Math.max(0, nowMs - this.#filledAt) / this.#everyMs);
    this.#filledAt = nowMs;
    return this.#tokens >= 1 ? 0 : (1 - this.#tokens) * this.#everyMs;
  }
}
