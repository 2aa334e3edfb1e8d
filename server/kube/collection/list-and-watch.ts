import type { Clock } from '@/server/platform';
import type { Cluster, CollectionAddress, WatchEvent, WatchOptions } from '../cluster';
import type { TimeLimit } from './time-limit';
import { startTimeLimit } from './time-limit';
import type { WatchEnd, WatchPosition } from './watch-from';
import { watchFrom } from './watch-from';

/** How a turn of listing and watching ended; `unlisted`: the list gave no version to watch from. */
export type WatchRoundEnd = WatchEnd | { readonly kind: 'unlisted' } | { readonly kind: 'failed'; readonly error: unknown };

export interface ListAndWatchOptions extends Omit<WatchOptions, 'resourceVersion' | 'signal'> {
  readonly cluster: () => Pick<Cluster, 'watch'>;
  readonly of: CollectionAddress;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The version of a list that was read already; without it a list comes first. */
  readonly from?: string;
  /** Reads what there is, and answers the version it is of. */
  readonly list: (signal: AbortSignal) => Promise<string | undefined>;
  /** Hears of every change; bookmarks are none. */
  readonly hear: (event: WatchEvent) => void;
  /** A watch of which nothing is heard for so long, bookmarks included, has failed: it may be open and dead. Absent, it is waited for without end. */
  readonly silentMs?: number;
  /** How long to rest before the next turn; undefined: there is none. A place without a version is listed anew. */
  readonly restMs: (end: WatchRoundEnd, place: WatchPosition) => number | undefined;
}

/** Lists and watches, turn by turn, until the signal aborts or `restMs` ends it. Nothing is kept here; what keeps a copy is the reflector. */
export async function listAndWatch({ from, restMs, ...watch }: ListAndWatchOptions): Promise<void> {
  const place: WatchPosition = { version: from };
  while (!watch.signal.aborted) {
    const end = await takeTurn(place, watch);
    if (watch.signal.aborted) return;
    const ms = restMs(end, place);
    if (ms === undefined) return;
    await watch.clock.sleep(ms, watch.signal).catch(() => undefined); // an abort ends the loop by itself
  }
}

async function takeTurn(
  place: WatchPosition,
  { cluster, of, list, hear, clock, silentMs, ...options }: Omit<ListAndWatchOptions, 'from' | 'restMs'>,
): Promise<WatchRoundEnd> {
  let silence: TimeLimit | undefined;
  const hearChange = (event: WatchEvent) => {
    silence?.restart();
    if (event.type !== 'BOOKMARK') hear(event);
  };
  try {
    place.version ??= await list(options.signal);
    if (place.version === undefined) return { kind: 'unlisted' };
    if (silentMs !== undefined) silence = startTimeLimit(clock, options.signal, silentMs, () => new Error('the watch fell silent'));
    const signal = silence?.signal ?? options.signal;
    const end = await watchFrom(cluster(), of, { place, hear: hearChange, ...options, signal });
    signal.throwIfAborted();
    return end;
  } catch (error) {
    return { kind: 'failed', error };
  } finally {
    silence?.end();
  }
}
