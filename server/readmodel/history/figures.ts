import type { HistoryFigures, HistoryQuery, HistoryWeek, PastAttempt, RolloutHistory } from '@/lib/contract/history/history-rows';
import { HISTORY_PAGE, HISTORY_WEEKS } from '@/lib/contract/history/history-rows';
import type { Instant } from '@/lib/std/instant';
import { parseInstant, toInstant, toIso } from '@/lib/std/instant';

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
/** The first of January 1970 was a Thursday. */
const FIRST_MONDAY = 4 * DAY_MS;

/** The Monday, in UTC, of the week that a moment is in. */
export function weekOf(at: Instant): Instant {
  return toInstant(Math.floor((at - FIRST_MONDAY) / WEEK_MS) * WEEK_MS + FIRST_MONDAY);
}

/** When the first of the weeks begins that are told of. */
export function firstWeek(now: Instant): Instant {
  return toInstant(weekOf(now) - (HISTORY_WEEKS - 1) * WEEK_MS);
}

const nameOf = (week: Instant) => toIso(week).slice(0, 10);
const weekNameOf = ({ startedAt }: PastAttempt) => nameOf(weekOf(parseInstant(startedAt) ?? toInstant(0)));

/** The figures of the last weeks, the oldest first. */
export function toWeeks(attempts: readonly PastAttempt[], now: Instant): readonly HistoryWeek[] {
  const byWeek = new Map<string, PastAttempt[]>();
  for (const attempt of attempts) {
    const week = weekNameOf(attempt);
    const held = byWeek.get(week);
    if (held === undefined) byWeek.set(week, [attempt]);
    else held.push(attempt);
  }
  return Array.from({ length: HISTORY_WEEKS }, (_, at) => {
    const week = nameOf(toInstant(firstWeek(now) + at * WEEK_MS));
    return { week, figures: toFigures(byWeek.get(week) ?? []) };
  });
}

/** What some attempts come to. */
export function toFigures(attempts: readonly PastAttempt[]): HistoryFigures {
  const count = (outcome: PastAttempt['outcome']) => attempts.filter((attempt) => attempt.outcome === outcome).length;
  const lengths = (member: 'leadMs' | 'waitedMs' | 'backMs') => attempts.flatMap((attempt) => attempt[member] ?? []);
  const [leads, waits, backs] = [lengths('leadMs'), lengths('waitedMs'), lengths('backMs')];
  return {
    started: attempts.length,
    completed: count('completed'),
    aborted: count('aborted'),
    superseded: count('superseded'),
    underWay: count('under-way'),
    leadMs: medianOf(leads),
    waited: waits.length,
    waitedMs: medianOf(waits),
    returned: backs.length,
    backMs: medianOf(backs),
  };
}

/** The middle of some lengths; of an even number the mean of the two in the middle. */
function medianOf(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? null : Math.round((low + high) / 2);
}

const LENGTH_OF = { lead: 'leadMs', waited: 'waitedMs', back: 'backMs' } as const;

/** A page of the attempts that are asked for, the newest or the longest first. */
export function pageOfAttempts(
  attempts: readonly PastAttempt[],
  { q, week, show, sort = 'started', page = 0 }: HistoryQuery,
): Pick<RolloutHistory, 'total' | 'rows'> {
  const text = q?.toLowerCase();
  const found = attempts.filter(
    (attempt) =>
      (week === undefined || weekNameOf(attempt) === week) &&
      (show === undefined || isShown(attempt, show)) &&
      (text === undefined || `${attempt.ns}/${attempt.name} ${attempt.to ?? ''}`.toLowerCase().includes(text)),
  );
  const length = (attempt: PastAttempt) => (sort === 'started' ? 0 : (attempt[LENGTH_OF[sort]] ?? -1));
  const sorted = found.sort((a, b) => length(b) - length(a) || (a.startedAt < b.startedAt ? 1 : -1));
  return { total: sorted.length, rows: sorted.slice(page * HISTORY_PAGE, (page + 1) * HISTORY_PAGE) };
}

function isShown(attempt: PastAttempt, show: NonNullable<HistoryQuery['show']>): boolean {
  if (show === 'waited') return attempt.waitedMs !== null;
  return show === 'returned' ? attempt.backMs !== null : attempt.outcome === show;
}
