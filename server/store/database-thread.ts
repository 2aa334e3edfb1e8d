import { Worker } from 'node:worker_threads';

/** What is sent and heard of the thread, as long as it runs. */
interface Ear {
  readonly hear: (bytes: Uint8Array) => void;
  readonly end: (reason: Error) => void;
}

/** A database that is moved to its place before it is opened, and what it is first copied from unless it is whole. */
interface Draft {
  readonly path: string;
  readonly template?: string;
}

/** What the thread opens: a folder that holds a database, or gets one from a draft; without a folder, memory. */
interface Opened {
  readonly folder?: string;
  readonly draft?: Draft;
  readonly settings: readonly string[];
}

/** A thread that runs the embedded Postgres, with the one wire to it. */
export class DatabaseThread implements AsyncDisposable {
  readonly #worker: Worker;
  readonly #exited: Promise<void>;
  #ear: Ear | undefined;
  #ended: Error | undefined;

  private constructor(worker: Worker) {
    this.#worker = worker;
    worker.on('message', (bytes: Uint8Array) => this.#ear?.hear(bytes));
    worker.on('error', (error: Error) => this.#end(error));
    this.#exited = new Promise((resolve) =>
      worker.once('exit', () => {
        this.#end(new Error('the thread of the embedded store ended'));
        resolve();
      }),
    );
  }

  /** Starts it; resolves once it answers. */
  static async open(opened: Opened): Promise<DatabaseThread> {
    // From sources it lies here, from the bundle beside that.
    const worker = new Worker(new URL('./postgres-thread.mjs', import.meta.url), { execArgv: [], workerData: opened });
    await new Promise<void>((resolve, reject) => {
      worker.once('message', () => resolve());
      worker.once('error', reject);
      worker.once('exit', () => reject(new Error('the thread of the embedded store ended while it was opened')));
    });
    return new DatabaseThread(worker);
  }

  /** Who hears from now on, and how it is told of the end; there is one session, so there is one. */
  attach(hear: Ear['hear'], end: Ear['end']): void {
    this.#ear = { hear, end };
    if (this.#ended !== undefined) end(this.#ended);
  }

  send(bytes: Uint8Array): void {
    const own = Uint8Array.from(bytes); // the sender uses its buffer again
    this.#worker.postMessage(own, [own.buffer]);
  }

  /** Closes the database and waits for the thread's end. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#worker.postMessage('end');
    await this.#exited;
  }

  #end(reason: Error): void {
    this.#ended ??= reason;
    this.#ear?.end(this.#ended);
  }
}
