import { isAppError } from '@/lib/contract/app-error';
import { toAppError } from '@/server/commands';
import type { Clock } from '@/server/platform';
import type { Connection } from '../route';
import type { StreamEvent } from './event-stream';
import { toEventStream } from './event-stream';

/** So that a right which is withdrawn ends within five seconds. */
const CHECK_EVERY_MS = 4000;
const HEARTBEAT_EVERY_MS = 15_000;

/** What is streamed, and until when. */
interface Streamed<Data> {
  /** The name of each event. */
  readonly event: string;
  readonly connection: Connection;
  readonly clock: Clock;
  readonly open: (signal: AbortSignal) => AsyncGenerator<Data, void, void>;
}

/** Answers with a stream of what a generator gives. It counts as open, tells signs of life, and ends with a sentence when the session, a right or the source does. */
export async function streamWhile<Data>({ event, connection, clock, open }: Streamed<Data>): Promise<Response> {
  const endWait = connection.beginWait();
  const leaving = new AbortController();
  const signal = AbortSignal.any([connection.signal, leaving.signal]);
  const source = open(signal);
  const end = () => {
    leaving.abort();
    endWait();
  };
  // What is in the way from the start is answered as such, and not by a stream that ends.
  const first = await source.next().catch((error: unknown) => {
    end();
    throw error;
  });
  return toEventStream(events({ event, connection, clock, source, first, signal }), end);
}

interface Open<Data> {
  readonly event: string;
  readonly connection: Connection;
  readonly clock: Clock;
  readonly source: AsyncGenerator<Data, void, void>;
  readonly first: IteratorResult<Data, void>;
  readonly signal: AbortSignal;
}

async function* events<Data>({ event, connection, clock, source, first, signal }: Open<Data>): AsyncGenerator<StreamEvent | undefined, void, void> {
  let next: Promise<IteratorResult<Data, void>> = Promise.resolve(first);
  let beatAt = clock.now() + HEARTBEAT_EVERY_MS;
  try {
    while (!signal.aborted) {
      const waiting = new AbortController();
      const pause = clock.sleep(CHECK_EVERY_MS, AbortSignal.any([signal, waiting.signal])).then(
        () => 'check' as const,
        () => 'check' as const, // the end of either is told by the loop
      );
      const told = await Promise.race([next, pause]);
      waiting.abort();
      if (told === 'check') {
        if (signal.aborted) return;
        await requireStill(connection);
        if (clock.now() < beatAt) continue;
        beatAt = clock.now() + HEARTBEAT_EVERY_MS;
        yield undefined;
        continue;
      }
      if (told.done) return;
      next = source.next();
      next.catch(() => undefined); // read above, in its turn
      yield { event, data: told.value };
    }
  } catch (error) {
    if (!signal.aborted) yield { event: 'end', data: { sentence: toAppError(error).message } };
  } finally {
    void source.return();
  }
}

/** A cluster that cannot be asked takes no right away; the next look asks again. */
async function requireStill({ check }: Connection): Promise<void> {
  await check().catch((error: unknown) => {
    if (isAppError(error) && (error.code === 'forbidden' || error.code === 'unauthenticated')) throw error;
  });
}
