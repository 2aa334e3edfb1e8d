import { messageOf } from '@/lib/contract/app-error';
import { isForbidden } from '@/server/kube';
import type { Clock, Log } from '@/server/platform';
import type { BackOff } from '../back-off';
import { retryWithBackOff } from '../back-off';
import { wrapError } from '../errors';
import type { InformerEvent, ObjectEvent } from './event-stream';

/**
 * `cumulative`: every error of the source counts for ever. `consecutive`: a handled event gives all tries back. `none`: there is no
 * budget, an error is logged and the loop goes on after a second.
 */
export type ErrorBudget = 'cumulative' | 'consecutive' | 'none';

export interface EventLoopConfig<TObject> {
  readonly stream: AsyncIterable<InformerEvent<TObject>>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly backOff: BackOff;
  readonly errorBudget: ErrorBudget;
  readonly logger: Log;
  readonly handle: (event: ObjectEvent<TObject>) => Promise<void>;
}

const WAIT_MS = 1000;
/** Always the same wait, for ever. */
const WITHOUT_BUDGET: BackOff = { next: () => WAIT_MS, reset: () => undefined };

const ABORTED = Symbol('aborted');

/** Takes events one at a time. An error of the source costs one try and a wait, during which nothing is taken. */
export class EventLoop<TObject> {
  readonly #config: EventLoopConfig<TObject>;
  readonly #events: AsyncIterator<InformerEvent<TObject>>;

  constructor(config: EventLoopConfig<TObject>) {
    this.#config = config;
    this.#events = config.stream[Symbol.asyncIterator]();
  }

  /** Runs until the signal aborts or the stream ends; rejects with the last error when the tries are used up. */
  async run(): Promise<'aborted' | 'ended'> {
    const { backOff, clock, errorBudget, logger, signal } = this.#config;
    try {
      return await retryWithBackOff(() => this.#take(), errorBudget === 'none' ? WITHOUT_BUDGET : backOff, {
        clock,
        signal,
        notify: (error, waitMs) => logger.warn({ error: explain(error), waitMs }, 'event source failed, continuing after a wait'),
      });
    } catch (error) {
      if (signal.aborted) return 'aborted'; // while waiting: the end that was asked for
      throw error;
    } finally {
      // What the source holds for the event that was handled last is let go. Not awaited: a source may have nothing to tell for ever.
      this.#events.return?.().catch(() => undefined);
    }
  }

  async #take(): Promise<'aborted' | 'ended'> {
    const { backOff, errorBudget, handle, signal } = this.#config;
    for (;;) {
      const next = await this.#next();
      if (next === ABORTED || signal.aborted) return 'aborted';
      if (next.done) return 'ended';
      if (next.value.type === 'error') throw wrapError(next.value.error, 'event source');
      // Sources of the seed told of nothing once they were closed; there is nobody whom such an event concerns.
      if (next.value.object === undefined || next.value.object === null) continue;
      await handle(next.value);
      if (errorBudget === 'consecutive') backOff.reset();
    }
  }

  #next(): Promise<IteratorResult<InformerEvent<TObject>> | typeof ABORTED> {
    const { signal } = this.#config;
    if (signal.aborted) return Promise.resolve(ABORTED);
    return new Promise((resolve, reject) => {
      const onAbort = () => resolve(ABORTED);
      signal.addEventListener('abort', onAbort, { once: true });
      this.#events
        .next()
        .then(resolve, reject)
        .finally(() => signal.removeEventListener('abort', onAbort));
    });
  }
}

/** A failure of the source in words: the one that a person must mend says how. */
function explain(error: unknown): string {
  const message = messageOf(error);
  return isForbidden(error) ? `${message}; the role of this process lacks a rule that allows to list and watch it` : message;
}
