import { toAppError } from '@/server/commands';
import type { Clock } from '@/server/platform';
import { waitAtMost } from '@/server/platform';
import type { Connection, Recheck } from '../route';
import type { StreamEvent } from './event-stream';
import { toEventStream } from './event-stream';
import { recheckAccess } from './recheck-access';

const HEARTBEAT_EVERY_MS = 15_000;

/** What is told until its signal aborts. */
interface Opened<Data> {
  readonly told: AsyncGenerator<Data, void, void>;
  /** Asks for rights beside that of the route, of the person as the cluster knows them now. */
  readonly recheck: (present: Recheck) => Promise<void>;
}

/** What is streamed, and until when. */
interface Streamed<Data> {
  /** The name of each event. */
  readonly event: string;
  readonly connection: Connection;
  readonly clock: Clock;
  readonly open: (signal: AbortSignal) => Opened<Data>;
}

/**
 * Answers with a stream of what a generator gives. It counts as open, tells signs of life, and ends with a sentence when the session, a right or the source does.
 * Rights are asked about whether anybody reads on or not: what was not taken by the time one is gone is told no more.
 */
export async function streamWhile<Data>({ event, connection, clock, open }: Streamed<Data>): Promise<Response> {
  const endLongRunning = connection.beginLongRunning();
  const leaving = new AbortController();
  const signal = AbortSignal.any([connection.signal, leaving.signal]);
  const { told, recheck } = open(signal);
  let gone: string | undefined;
  const stopChecks = recheckAccess({
    connection,
    clock,
    recheck,
    onGone(sentence) {
      gone = sentence;
      leaving.abort();
    },
  });
  const end = () => {
    stopChecks();
    leaving.abort();
    // Nobody may have begun to read it, or reads it to its end.
    void told.return();
    endLongRunning();
  };
  // What is in the way from the start is answered as such, and not by a stream that ends.
  const first = await told.next().catch((error: unknown) => {
    end();
    throw error;
  });
  connection.signal.addEventListener('abort', end, { once: true });
  return toEventStream(events({ event, clock, told, first, signal, goneReason: () => gone }), end);
}

interface Open<Data> {
  readonly event: string;
  readonly clock: Clock;
  readonly told: AsyncGenerator<Data, void, void>;
  readonly first: IteratorResult<Data, void>;
  readonly signal: AbortSignal;
  readonly goneReason: () => string | undefined;
}

async function* events<Data>({
  event,
  clock,
  told,
  first,
  signal,
  goneReason,
}: Open<Data>): AsyncGenerator<StreamEvent | undefined, void, void> {
  let next: Promise<IteratorResult<Data, void>> = Promise.resolve(first);
  let beatAt = clock.now() + HEARTBEAT_EVERY_MS;
  let failed: string | undefined;
  try {
    while (!signal.aborted) {
      const news = await waitAtMost({ clock, ms: beatAt - clock.now(), signal, late: () => 'beat' as const }, next);
      if (signal.aborted) break;
      if (news === 'beat') {
        beatAt = clock.now() + HEARTBEAT_EVERY_MS;
        yield undefined;
        continue;
      }
      if (news.done) return;
      next = told.next();
      next.catch(() => undefined); // read above, in its turn
      yield { event, data: news.value };
    }
  } catch (error) {
    if (!signal.aborted) failed = toAppError(error).message;
  }
  const why = goneReason() ?? failed;
  if (why !== undefined) yield { event: 'end', data: { sentence: why } };
}
