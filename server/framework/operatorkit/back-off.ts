import { backOffMs } from '@/lib/std/back-off';
import type { Clock, Random } from '@/server/platform';

/** A row of waits. `stop` means that there is none left. */
export interface BackOff {
  next(): number | 'stop';
  reset(): void;
}

export type BackOffFactory = () => BackOff;

export interface ExponentialOptions {
  readonly random: Random;
  readonly initialMs?: number;
  readonly multiplier?: number;
  /** Waits are drawn from [n·(1−f), n·(1+f)]. */
  readonly randomizationFactor?: number;
  readonly capMs?: number;
  /** No retry at all for 0; endless for Infinity. */
  readonly maxRetries?: number;
  /** Ends the row once so much time has passed since its start. */
  readonly maxElapsed?: { readonly ms: number; readonly clock: Pick<Clock, 'now'> };
}

/** Waits that grow; the nominal wait grows by itself, whatever was drawn. */
export function exponentialBackOff(options: ExponentialOptions): BackOff {
  const {
    random,
    initialMs = 500,
    multiplier = 1.5,
    randomizationFactor = 0.5,
    capMs = 60_000,
    maxRetries = Number.POSITIVE_INFINITY,
    maxElapsed,
  } = options;
  const spread = [1 - randomizationFactor, 1 + randomizationFactor] as const;
  const pace = { firstMs: initialMs, longestMs: capMs, factor: multiplier, spread };
  let retries = 0;
  let startedAt = maxElapsed?.clock.now();
  return {
    reset() {
      retries = 0;
      startedAt = maxElapsed?.clock.now();
    },
    next() {
      if (retries >= maxRetries) return 'stop';
      if (maxElapsed !== undefined && startedAt !== undefined && maxElapsed.clock.now() - startedAt > maxElapsed.ms) return 'stop';
      return backOffMs(pace, retries++, random);
    },
  };
}

/** No wait between retries. */
export function zeroBackOff(maxRetries: number): BackOff {
  let retries = 0;
  return {
    reset: () => {
      retries = 0;
    },
    next: () => (retries++ < maxRetries ? 0 : 'stop'),
  };
}

const DEFAULT_RETRIES = 7;

/** Factory of the default: from 500 ms by 1.5, half either way, seven retries. */
export function DefaultBackOffFactory(random: Random): BackOffFactory {
  return () => exponentialBackOff({ random, maxRetries: DEFAULT_RETRIES });
}

const PERMANENT = Symbol.for('slipway/permanent-error');

/** Marks an error as one that no retry can mend. The mark holds through any wrapping. */
export function permanent(error: unknown): Error {
  return Object.assign(new Error(error instanceof Error ? error.message : String(error), { cause: error }), { [PERMANENT]: true });
}

function getPermanent(error: unknown): Error | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (PERMANENT in at) return at;
  return undefined;
}

export interface RetryOptions {
  readonly clock: Pick<Clock, 'sleep'>;
  /** Hears of each failure that is followed by another try. */
  readonly notify?: (error: unknown, waitMs: number) => void;
  /** Ends a wait; the retry then rejects with its reason. */
  readonly signal?: AbortSignal;
}

/** Runs an operation until it succeeds or the back-off stops; rejects with the last error. */
export async function retryWithBackOff<T>(operation: () => Promise<T>, backOff: BackOff, options: RetryOptions): Promise<T> {
  backOff.reset();
  for (;;) {
    try {
      return await operation();
    } catch (error) {
      const final = getPermanent(error);
      if (final !== undefined) throw final.cause;
      const waitMs = backOff.next();
      if (waitMs === 'stop') throw error;
      options.notify?.(error, waitMs);
      await options.clock.sleep(waitMs, options.signal);
    }
  }
}
