import type { LogLine } from '@/lib/contract/log-stream';
import type { LogBuffer } from './log-buffer';

/** A line waits so long for older ones of other containers. */
const REORDER_MS = 300;
/** And so long for those that were asked and have not answered yet. */
const OPENING_MS = 3000;
const MAX_LINES = 500;
const MAX_TEXT = 128 * 1024;

/** What can be told now, and else when to look again. */
export interface Merged {
  readonly lines: readonly LogLine[];
  /** Milliseconds until the oldest line has waited long enough; undefined while none waits. */
  readonly againInMs: number | undefined;
}

/**
 * Takes the oldest lines of all feeds, in the order of their times.
 *
 * A line goes as soon as every feed that may still bring something shows a later one, and at the latest once it has waited for its turn: a
 * container that writes nothing must not hold up the others.
 */
export function takeMerged(feeds: ReadonlySet<LogBuffer>, now: number): Merged {
  const lines: LogLine[] = [];
  let text = 0;
  while (lines.length < MAX_LINES && text < MAX_TEXT) {
    const { oldest, missing } = lookAt(feeds);
    const head = oldest?.head;
    if (oldest === undefined || head === undefined) return { lines, againInMs: undefined };
    const waitMs = missing === 'opening' ? OPENING_MS : REORDER_MS;
    const leftMs = missing === undefined ? 0 : head.arrivedAt + waitMs - now;
    if (leftMs > 0) return { lines, againInMs: leftMs };
    const line = oldest.take();
    if (line === undefined) return { lines, againInMs: undefined };
    lines.push(line);
    text += line.text.length;
  }
  return { lines, againInMs: 0 };
}

function lookAt(feeds: ReadonlySet<LogBuffer>) {
  let oldest: LogBuffer | undefined;
  let order = Number.POSITIVE_INFINITY;
  let missing: 'opening' | 'line' | undefined;
  for (const feed of feeds) {
    const { head } = feed;
    if (head === undefined) {
      if (feed.phase === 'opening') missing = 'opening';
      else if (feed.phase === 'open') missing ??= 'line';
    } else if (head.order < order) {
      order = head.order;
      oldest = feed;
    }
  }
  return { oldest, missing };
}
