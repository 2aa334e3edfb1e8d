import type { Instant } from '@/lib/std/instant';
import type { Clock } from './clock';

const MAX_KEPT = 20_000;

/**
 * Keeps answers from the moment they were asked for; failures are not kept, nor what was asked for at a moment that is still to come, since then the
 * clock was set back. Whoever wants none from before an instant says so.
 */
export function memoizeFor<Answer>(
  ms: number,
  clock: Pick<Clock, 'now'>,
): (key: string, ask: () => Promise<Answer>, notBefore?: Instant) => Promise<Answer> {
  const kept = new Map<string, { readonly askedAt: Instant; readonly answer: Promise<Answer> }>();
  return (key, ask, notBefore) => {
    const held = kept.get(key);
    const now = clock.now();
    if (held !== undefined && held.askedAt <= now && held.askedAt + ms > now && held.askedAt >= (notBefore ?? held.askedAt))
      return held.answer;
    if (kept.size >= MAX_KEPT) kept.clear();
    const entry = { askedAt: now, answer: ask() };
    kept.set(key, entry);
    entry.answer.catch(() => {
      // Whoever asked hears of it; the next one asks anew.
      if (kept.get(key) === entry) kept.delete(key);
    });
    return entry.answer;
  };
}
