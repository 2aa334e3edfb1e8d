import { messageOf } from '@/lib/contract/app-error';
import type { Instant } from '@/lib/std/instant';
import { toInstant } from '@/lib/std/instant';
import type { Clock, Log } from '@/server/platform';

/** So that sockets and streams of a session that ended on another replica end within five seconds. */
const HEAR_EVERY_MS = 2000;
/** The clocks of two replicas may differ by so much. */
const LOOK_BACK_MS = 5 * 60_000;

interface HearDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Whether anybody is signed in here who could be ended elsewhere. */
  readonly isNeeded: () => boolean;
  readonly endedSince: (since: Instant) => Promise<readonly string[]>;
  readonly onEnded: (id: string) => void;
  /** Aborted when the server ends, which closes the store. */
  readonly ending?: AbortSignal | undefined;
}

/** Asks again and again which sessions ended on any replica, for as long as somebody is signed in here; the answer begins it where it rests. */
export function watchEndedSessions({ clock, log, isNeeded, endedSince, onEnded, ending }: HearDeps): () => void {
  let isListening = false;
  let isDeaf = false;
  const hear = async () => {
    try {
      for (const id of await endedSince(toInstant(clock.now() - LOOK_BACK_MS))) onEnded(id);
      isDeaf = false;
    } catch (error) {
      // While the store does not answer no replica can end a session either.
      if (!isDeaf && ending?.aborted !== true) log.warn({ error: messageOf(error) }, 'cannot watch for sessions that ended elsewhere');
      isDeaf = true;
    }
  };
  const next = () => {
    isListening = ending?.aborted !== true && isNeeded();
    if (isListening) clock.schedule(HEAR_EVERY_MS, () => void hear().then(next));
  };
  return () => {
    if (!isListening) next();
  };
}
