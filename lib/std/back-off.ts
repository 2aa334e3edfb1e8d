/** How waits grow from one failure to the next. */
export interface BackOffPace {
  readonly firstMs: number;
  readonly longestMs: number;
  /** By so much they grow; 2 when absent. */
  readonly factor?: number;
  /** A wait is drawn from [n × from, n × to], so that those that failed together do not return together; not at all when absent. */
  readonly spread?: readonly [from: number, to: number];
}

/** The wait after the failure that had so many before it in a row. */
export function backOffMs(
  { firstMs, longestMs, factor = 2, spread = [1, 1] }: BackOffPace,
  before: number,
  random: () => number = () => 0,
): number {
  const nominal = Math.min(firstMs * factor ** before, Math.max(firstMs, longestMs));
  const [from, to] = spread;
  return from === to ? nominal * from : nominal * from + random() * nominal * (to - from);
}
