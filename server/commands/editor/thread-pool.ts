import type { Worker } from 'node:worker_threads';
import { messageOf } from '@/lib/contract/app-error';
import type { Clock, Release } from '@/server/platform';

/** What came of a task. */
export type Outcome<Answer> =
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'too-long' }
  | { readonly kind: 'too-much-memory' }
  | { readonly kind: 'ended'; readonly why: string }
  | { readonly kind: 'too-many-of-one' }
  | { readonly kind: 'too-many' };

export interface ThreadPoolOptions {
  /** Starts a thread, which says `ready` once and then answers each message with one. */
  readonly start: () => Worker;
  readonly clock: Clock;
  readonly mostThreads: number;
  readonly mostWaiting: number;
  /** So many tasks of one owner may wait or run. */
  readonly mostOfOne: number;
  /** A thread that is not ready after this long is given up. */
  readonly startLimitMs: number;
  /** A task that runs longer is ended with its thread. */
  readonly limitMs: number;
  /** A thread that has had nothing to do for this long ends. */
  readonly idleMs: number;
}

interface Job<Task, Answer> {
  readonly owner: string;
  readonly task: Task;
  resolve(outcome: Outcome<Answer>): void;
}

interface Thread<Task, Answer> {
  readonly worker: Worker;
  ready: boolean;
  job: Job<Task, Answer> | undefined;
  /** Ends the timer that runs: of the start, of a task, or of idleness. */
  release: Release;
}

/**
 * A few threads that do one task each at a time.
 *
 * 1. Threads start with the first task and end when idle; only a task under way keeps the process alive.
 * 2. A task that takes too long, too much memory or breaks its thread fails alone: the others go on, on a new thread.
 * 3. What cannot be taken on is refused at once. Whoever has nothing running comes before who has.
 */
export class ThreadPool<Task, Answer> implements AsyncDisposable {
  readonly #options: ThreadPoolOptions;
  readonly #threads = new Set<Thread<Task, Answer>>();
  readonly #waiting: Job<Task, Answer>[] = [];
  #ended = false;

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
  }

  /** How many threads there are. */
  get size(): number {
    return this.#threads.size;
  }

  /** Has a task done for its owner; never rejects. */
  run(owner: string, task: Task): Promise<Outcome<Answer>> {
    const { mostOfOne, mostWaiting } = this.#options;
    if (this.#ended) return Promise.resolve({ kind: 'ended', why: 'the server is ending' });
    const own = this.#waiting.filter((job) => job.owner === owner).length + this.#running(owner);
    if (own >= mostOfOne) return Promise.resolve({ kind: 'too-many-of-one' });
    if (this.#waiting.length >= mostWaiting) return Promise.resolve({ kind: 'too-many' });
    return new Promise((resolve) => {
      this.#waiting.push({ owner, task, resolve });
      this.#assign();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended = true;
    for (const { resolve } of this.#waiting.splice(0)) resolve({ kind: 'ended', why: 'the server is ending' });
    await Promise.all([...this.#threads].map((thread) => this.#end(thread, { kind: 'ended', why: 'the server is ending' })));
  }

  #running(owner: string): number {
    return [...this.#threads].filter(({ job }) => job?.owner === owner).length;
  }

  /** Gives what waits to threads that are free, or to new ones while there may be more. */
  #assign(): void {
    while (this.#waiting.length > 0) {
      const thread =
        [...this.#threads].find(({ job }) => job === undefined) ??
        (this.#threads.size < this.#options.mostThreads ? this.#start() : undefined);
      if (thread === undefined) return;
      const modest = this.#waiting.findIndex(({ owner }) => this.#running(owner) === 0);
      const [job] = this.#waiting.splice(Math.max(0, modest), 1);
      if (job === undefined) return;
      thread.job = job;
      thread.worker.ref();
      if (thread.ready) this.#send(thread, job);
    }
  }

  #start(): Thread<Task, Answer> {
    const { start, clock, startLimitMs } = this.#options;
    const worker = start();
    const release = clock.schedule(startLimitMs, () => void this.#end(thread, { kind: 'ended', why: 'its thread did not start in time' }));
    const thread: Thread<Task, Answer> = { worker, ready: false, job: undefined, release };
    this.#threads.add(thread);
    worker.on('message', (message: unknown) => this.#hear(thread, message));
    worker.on(
      'error',
      (error) => void this.#end(thread, isOutOfMemory(error) ? { kind: 'too-much-memory' } : { kind: 'ended', why: messageOf(error) }),
    );
    worker.on('exit', () => void this.#end(thread, { kind: 'ended', why: 'its thread ended' }));
    return thread;
  }

  #send(thread: Thread<Task, Answer>, { task }: Job<Task, Answer>): void {
    const { clock, limitMs } = this.#options;
    thread.release();
    thread.release = clock.schedule(limitMs, () => void this.#end(thread, { kind: 'too-long' }));
    thread.worker.postMessage(task);
  }

  #hear(thread: Thread<Task, Answer>, message: unknown): void {
    const { job } = thread;
    if (!this.#threads.has(thread) || job === undefined) return;
    if (!thread.ready) {
      thread.ready = true;
      this.#send(thread, job);
      return;
    }
    thread.job = undefined;
    this.#rest(thread);
    job.resolve({ kind: 'answered', answer: message as Answer }); // threads answer what their program says
    this.#assign();
  }

  #rest(thread: Thread<Task, Answer>): void {
    const { clock, idleMs } = this.#options;
    thread.release();
    thread.release = clock.schedule(idleMs, () => void this.#end(thread, { kind: 'ended', why: 'its thread was idle' }));
    thread.worker.unref();
  }

  /** Ends a thread, and its task with it; what waits goes on with another. */
  async #end(thread: Thread<Task, Answer>, outcome: Outcome<Answer>): Promise<void> {
    if (!this.#threads.delete(thread)) return;
    thread.release();
    const ended = thread.worker.terminate();
    thread.job?.resolve(outcome);
    this.#assign();
    await ended;
  }
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
