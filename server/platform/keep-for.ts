import type { Clock } from './clock';

const MOST_KEPT = 20_000;

/** Keeps answers from the moment they were asked for; failures are not kept. */
export function keepFor<Answer>(ms: number, clock: Pick<Clock, 'now'>): (key: string, ask: () => Promise<Answer>) => Promise<Answer> {
  const kept = new Map<string, { readonly until: number; readonly answer: Promise<Answer> }>();
  return (key, ask) => {
    const held = kept.get(key);
    if (held !== undefined && held.until > clock.now()) return held.answer;
    if (kept.size >= MOST_KEPT) kept.clear();
    const entry = { until: clock.now() + ms, answer: ask() };
    kept.set(key, entry);
    entry.answer.catch(() => {
      if (kept.get(key) === entry) kept.delete(key);
    });
    return entry.answer;
  };
}
