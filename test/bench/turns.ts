/** How long the turns of the event loop were while something ran. */
export interface Turns {
  readonly seconds: number;
  readonly longestMs: number;
  /** Share of the time that went by in turns over 50 ms. */
  readonly longShare: number;
}

const LONG_MS = 50;

/** Measures every turn of the event loop while the work runs: a task of its own comes back once per turn. */
export async function measureTurns(work: () => Promise<unknown>): Promise<Turns> {
  const startedAt = performance.now();
  let at = startedAt;
  let longestMs = 0;
  let longMs = 0;
  const tick = () => {
    const now = performance.now();
    const turn = now - at;
    at = now;
    longestMs = Math.max(longestMs, turn);
    if (turn > LONG_MS) longMs += turn;
    next = setImmediate(tick);
  };
  let next = setImmediate(tick);
  try {
    await work();
  } finally {
    clearImmediate(next);
  }
  const elapsed = performance.now() - startedAt;
  return { seconds: elapsed / 1000, longestMs, longShare: longMs / elapsed };
}
