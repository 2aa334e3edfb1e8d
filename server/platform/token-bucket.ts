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

  /** Takes so many, 1 unless told; false, and none taken, where there are fewer. */
  take(nowMs: number, amount = 1): boolean {
    if (this.untilMs(nowMs, amount) > 0) return false;
    this.#tokens -= amount;
    return true;
  }

  /** How long until there are so many, 1 unless told; 0 where there are. */
  untilMs(nowMs: number, amount = 1): number {
    this.#tokens = Math.min(this.#burst, this.#tokens + Math.max(0, nowMs - this.#filledAt) / this.#everyMs);
    this.#filledAt = nowMs;
    return this.#tokens >= amount ? 0 : (amount - this.#tokens) * this.#everyMs;
  }
}
