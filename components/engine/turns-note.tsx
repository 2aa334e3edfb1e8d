import { TriangleAlert } from 'lucide-react';
import type { TurnsView } from '@/lib/contract/system-rows';
import { sayPercent, sayTook } from '@/lib/words/figures';

const LONGEST_MS = 100;
const MOST_PERCENT = 1;

/** How long the server was busy with one thing while everybody else waited; marked where that is longer than it should be. */
export function TurnsNote({ turns: { longestMs, longPercent } }: { readonly turns: TurnsView }) {
  const slow = longestMs > LONGEST_MS || longPercent > MOST_PERCENT;
  return (
    <span className={slow ? 'text-warn' : 'text-ink-3'}>
      {slow ? <TriangleAlert aria-hidden className="mr-1 inline size-3.5" /> : null}
      {slow ? 'Event loop slow' : 'Event loop'}: longest turn {sayTook(longestMs)} in the last minute, {sayPercent(longPercent)} of the time in turns over 50 ms
    </span>
  );
}
