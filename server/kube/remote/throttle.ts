import type { Clock } from '@/server/platform';
import { TokenBucket } from '@/server/platform';

/** How many requests a second, and how many at once after a quiet time. */
export interface Rate {
  readonly qps: number;
  readonly burst: number;
}

interface Waiting {
  readonly admit: () => void;
}

/**
 * A token bucket whose waiting callers take turns.
 *
 * 1. Never more than `burst + qps × t` requests in any time t.
 * 2. Whoever waits is admitted in turn of callers, not of requests: one caller's thousand requests delay another's single
 *    one by one place at most.
 * 3. A request that is aborted while it waits takes no token.
 */
export interface Throttle {
  /** Resolves when it is the caller's turn; true when it had to wait for it. */
  admit(caller: string, signal?: AbortSignal): Promise<boolean>;
  /** Requests waiting now. */
  waiting(): number;
}

/** A throttle for one class of callers. */
export function createThrottle({ qps, burst }: Rate, clock: Clock): Throttle {
  const bucket = new TokenBucket({ burst, everyMs: 1000 / qps }, clock.now());
  let armed = false;
  const lines = new Map<string, Set<Waiting>>(); // in turn order: a served caller goes to the end

  function serve(): void {
    for (let next = lines.entries().next(); !next.done; next = lines.entries().next()) {
      const [caller, line] = next.value;
      const [first] = line;
      if (first !== undefined && !bucket.take(clock.now())) break;
      lines.delete(caller);
      if (first === undefined) continue;
      line.delete(first);
      if (line.size > 0) lines.set(caller, line);
      first.admit();
    }
    if (lines.size === 0 || armed) return;
    armed = true;
    clock.schedule(Math.max(1, Math.ceil(bucket.untilMs(clock.now()))), () => {
      armed = false;
      serve();
    });
  }

  return {
    async admit(caller, signal) {
      signal?.throwIfAborted();
      if (lines.size === 0 && bucket.take(clock.now())) return false;
      await new Promise<void>((resolve, reject) => {
        const line = lines.get(caller) ?? new Set<Waiting>();
        const onAbort = () => {
          line.delete(waiting);
          if (line.size === 0 && lines.get(caller) === line) lines.delete(caller);
          reject(signal?.reason);
        };
        const waiting: Waiting = {
          admit: () => {
            signal?.removeEventListener('abort', onAbort);
            resolve();
          },
        };
        line.add(waiting);
        lines.set(caller, line);
        signal?.addEventListener('abort', onAbort, { once: true });
        serve();
      });
      return true;
    },
    waiting: () => [...lines.values()].reduce((sum, line) => sum + line.size, 0),
  };
}
