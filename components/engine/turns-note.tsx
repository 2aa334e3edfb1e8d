import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { TurnsView } from '@/lib/contract/system-rows';
import { sayPercent, sayTook } from '@/lib/words/figures';

const LONGEST_MS = 100;
const MOST_PERCENT = 1;
const MOST_WAIT_PERCENT = 10;
/** Nobody notices less, and the account that tells it is no finer. */
const WAIT_TOLD_MS = 10;

/**
 * How long the server was busy with one thing while everybody else waited; marked where that is longer than it should be. Where the system tells what
 * it was busy with, work alone is judged as slow: what it waited for a processor or was blocked is told beside it, since more CPU mends the
 * one, another disk or host the other, and neither mends work.
 */
export function TurnsNote({ turns: { longestMs, longPercent, split } }: { readonly turns: TurnsView }) {
  if (split === null) {
    const slow = isSlow(longestMs, longPercent);
    return (
      <Note warns={slow}>
        {slow ? 'Event loop slow' : 'Event loop'}: longest turn {sayTook(longestMs)} in the last minute, {sayPercent(longPercent)} of the time in turns over 50
        ms
      </Note>
    );
  }
  const { workMs, longWorkPercent, waitMs, waitPercent, blockedMs } = split;
  const slow = isSlow(workMs, longWorkPercent);
  // Threads that this one waits for want a processor too: where there is none, being blocked tells nothing else.
  const starved = waitMs > LONGEST_MS || waitPercent > MOST_WAIT_PERCENT;
  return (
    <>
      <Note warns={slow}>
        {slow ? 'Event loop slow' : 'Event loop'}: longest turn {sayTook(workMs)} of work in the last minute, {sayPercent(longWorkPercent)} of the time in turns
        over 50 ms
      </Note>
      {starved || waitMs >= WAIT_TOLD_MS ? (
        <Note warns={starved}>
          {starved ? 'Short of CPU: waited' : 'Waited'} up to {sayTook(waitMs)} for a processor in one turn, {sayPercent(waitPercent)} of the time
        </Note>
      ) : null}
      {blockedMs > LONGEST_MS && !starved ? <Note warns>Blocked up to {sayTook(blockedMs)} in one turn: disk, swap or host</Note> : null}
    </>
  );
}

const isSlow = (longestMs: number, longPercent: number) => longestMs > LONGEST_MS || longPercent > MOST_PERCENT;

function Note({ warns, children }: { readonly warns: boolean; readonly children: ReactNode }) {
  return (
    <span className={warns ? 'text-warn' : 'text-ink-3'}>
      {warns ? <TriangleAlert aria-hidden className="mr-1 inline size-3.5" /> : null}
      {children}
    </span>
  );
}
