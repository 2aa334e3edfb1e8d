import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { EventLoopView } from '@/lib/contract/system-rows';
import { t } from '@/lib/words/catalogue/console/engine';
import { formatElapsed } from '@/lib/words/figures';

const LONGEST_MS = 100;
const MAX_PERCENT = 1;
const MAX_WAIT_PERCENT = 10;
/** Nobody notices less, and the account that tells it is no finer. */
const WAIT_TOLD_MS = 10;

/**
 * How long the server was busy with one thing while everybody else waited; marked where that is longer than it should be. Where the system tells what
 * it was busy with, work alone is judged as slow: what it waited for a processor or was blocked is told beside it, since more CPU mends the
 * one, another disk or host the other, and neither mends work.
 */
export function EventLoopNote({ eventLoop: { longestMs, longPercent, split } }: { readonly eventLoop: EventLoopView }) {
  if (split === null) {
    const slow = isSlow(longestMs, longPercent);
    return <Note warns={slow}>{t.longestTurnInTheLast(slow ? t.eventLoopSlow : t.eventLoop, formatElapsed(longestMs), longPercent)}</Note>;
  }
  const { workMs, longWorkPercent, waitMs, waitPercent, blockedMs } = split;
  const slow = isSlow(workMs, longWorkPercent);
  // Threads that this one waits for want a processor too: where there is none, being blocked tells nothing else.
  const starved = waitMs > LONGEST_MS || waitPercent > MAX_WAIT_PERCENT;
  return (
    <>
      <Note warns={slow}>{t.longestTurnOfWorkIn(slow ? t.eventLoopSlow : t.eventLoop, formatElapsed(workMs), longWorkPercent)}</Note>
      {starved || waitMs >= WAIT_TOLD_MS ? (
        <Note warns={starved}>{t.upToForAProcessor(starved ? t.shortOfCPUWaited : t.waited, formatElapsed(waitMs), waitPercent)}</Note>
      ) : null}
      {blockedMs > LONGEST_MS && !starved ? <Note warns>{t.blockedUpToInOne(formatElapsed(blockedMs))}</Note> : null}
    </>
  );
}

const isSlow = (longestMs: number, longPercent: number) => longestMs > LONGEST_MS || longPercent > MAX_PERCENT;

function Note({ warns, children }: { readonly warns: boolean; readonly children: ReactNode }) {
  return (
    <span className={warns ? 'text-warn' : 'text-ink-3'}>
      {warns ? <TriangleAlert aria-hidden className="mr-1 inline size-3.5" /> : null}
      {children}
    </span>
  );
}
