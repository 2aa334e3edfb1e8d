import { messageOf } from '@/lib/contract/app-error';
import type { Log } from './log';

/** Objects whose failure is remembered, so that it is logged once; of more the oldest are forgotten. */
const MAX_REMEMBERED = 2000;

/** One object of a stranger, and what is made of it. */
export interface Subject {
  readonly what: 'status' | 'row' | 'page' | 'rollout' | 'drift' | 'index';
  readonly kind: string;
  readonly key: string;
  readonly version: string | undefined;
}

/**
 * Keeps what is made of objects apart. Whatever one of them contains, what it makes our code throw costs what is made of that one and nothing
 * else, and is logged once for each version of it, however often somebody looks.
 */
export class FaultIsolation {
  readonly #log: Log;
  readonly #logged = new Map<string, string>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** What the work makes of an object; where it throws, what stands in for that, told with a sentence. */
  attempt<Made>(subject: Subject, work: () => Made, instead: (sentence: string) => Made): Made {
    try {
      return work();
    } catch (error) {
      this.#notify(subject, error);
      return instead(`cannot be shown: ${messageOf(error)}`);
    }
  }

  #notify({ what, kind, key, version }: Subject, error: unknown): void {
    const id = `${what} ${kind} ${key}`;
    const told = `${version} ${messageOf(error)}`;
    if (this.#logged.get(id) === told) return;
    this.#logged.delete(id);
    this.#logged.set(id, told);
    const [oldest] = this.#logged.keys();
    if (this.#logged.size > MAX_REMEMBERED && oldest !== undefined) this.#logged.delete(oldest);
    const stack = error instanceof Error ? error.stack : undefined;
    this.#log.error(
      { what, kind, object: key, version, error: messageOf(error), stack },
      'an object has contents that cannot be processed',
    );
  }
}
