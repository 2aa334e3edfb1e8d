'use client';

import { ExactTime } from '@/components/ui/time/exact-time';
import { useFormattedNow } from '@/components/ui/time/use-now';
import { formatDuration } from '@/lib/std/duration';
import { parseInstant } from '@/lib/std/instant';
import { t } from '@/lib/words/catalogue/console/live';

/** How long ago in the largest unit, so that a table of them is easy to scan. Clocks that disagree never show a future. */
export function formatAgo(ms: number): string {
  return ms < 5000 ? t.now : t.ago(formatAge(ms));
}

/** The largest unit of a duration. */
function formatAge(ms: number): string {
  return formatDuration(ms).split(' ')[0] ?? '0s';
}

/** How long ago something was. */
export function Ago({ at, none = '–' }: { readonly at: string | null; readonly none?: string }) {
  const instant = parseInstant(at);
  const said = useFormattedNow((now) => (instant === undefined ? '' : formatAgo(now - instant)));
  if (at === null || instant === undefined) return <span className="text-ink-3">{none}</span>;
  return <ExactTime at={at}>{said}</ExactTime>;
}

/** How old something is, in the largest unit, under a heading that says it is an age. */
export function Age({ at }: { readonly at: string | null }) {
  const instant = parseInstant(at);
  const said = useFormattedNow((now) => (instant === undefined ? '' : formatAge(now - instant)));
  if (at === null || instant === undefined) return <span className="text-ink-3">–</span>;
  return (
    <ExactTime at={at} isSpan>
      {said}
    </ExactTime>
  );
}

/** How long something has been going on, or how long is left. */
export function Elapsed({ from, until }: { readonly from?: string | null; readonly until?: string | null }) {
  const start = parseInstant(from);
  const end = parseInstant(until);
  const said = useFormattedNow((now) => formatDuration(start === undefined ? (end ?? now) - now : (end ?? now) - start));
  const at = start === undefined ? until : from;
  if (at == null || (start === undefined && end === undefined)) return <span className="text-ink-3">–</span>;
  return (
    <ExactTime at={at} isSpan>
      {said}
    </ExactTime>
  );
}
