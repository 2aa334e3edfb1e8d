import { messageOf } from '@/lib/contract/app-error';
import type { Log } from './log';

/** Owns what is alive, in order of its start; disposing ends it in reverse. One that fails to end does not keep the others alive. */
export class Lifetimes implements AsyncDisposable {
  readonly #log: Log;
  readonly #alive: { readonly name: string; readonly end: () => unknown }[] = [];

  constructor(log: Log) {
    this.#log = log;
  }

  /** Takes over something disposable and hands it back. */
  use<Alive extends AsyncDisposable>(name: string, alive: Alive): Alive {
    this.defer(name, () => alive[Symbol.asyncDispose]());
    return alive;
  }

  /** Remembers how to end something that is not disposable itself. */
  defer(name: string, end: () => unknown): void {
    this.#alive.push({ name, end });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (let last = this.#alive.pop(); last !== undefined; last = this.#alive.pop()) {
      try {
        await last.end();
      } catch (error) {
        this.#log.error({ part: last.name, error: messageOf(error) }, 'did not end cleanly');
      }
    }
  }
}
