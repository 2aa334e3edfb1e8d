import { messageOf } from '@/lib/contract/app-error';
import type { Clock, Log, Release } from '@/server/platform';
import type { Mirror } from '../git/mirror';
import type { ChartSync } from '../loops/chart-sync';
import { Wake } from '../loops/wake';
import type { DeclaredRelease } from '../model/declared';

const STATUS_MS = 10_000;

export interface SessionDeps {
  readonly mirror: Mirror;
  readonly open: () => ChartSync;
  readonly intervalMs: number;
  /** Has a resource looked at by the queue. */
  readonly enqueue: (resource: DeclaredRelease) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** Where a session is, as the Engine page says it. */
export type SessionState =
  | { readonly kind: 'waiting'; readonly why: string }
  | { readonly kind: 'running'; readonly revision: string }
  | { readonly kind: 'failed'; readonly why: string };

/** Runs chart sync while this process may: its schedule and signals in one task, so that they never overlap (spec/chartsync 5), the status pass beside. */
export class Session {
  readonly #deps: SessionDeps;
  readonly #wake = new Wake();
  #isFetched = false;
  #isDue = false;
  #sync: ChartSync;
  #state: SessionState = { kind: 'waiting', why: 'the repository of charts has not been fetched yet' };

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    this.#sync = deps.open();
  }

  get state(): SessionState {
    const { state } = this.#deps.mirror;
    if (this.#state.kind !== 'waiting' || state.kind === 'ready' || state.kind === 'unconfigured') return this.#state;
    return { kind: 'waiting', why: `the repository of charts could not be fetched yet: ${state.why}` };
  }

  /** What looks at resources now. */
  get sync(): ChartSync {
    return this.#sync;
  }

  /** Runs until the signal aborts; what is being released then is finished first. */
  async run(signal: AbortSignal): Promise<void> {
    const forget = this.#deps.mirror.onSignal(() => {
      this.#isFetched = true;
      this.#wake.set();
    });
    const fetching = this.#deps.mirror.run(signal);
    try {
      await this.#start(signal);
      await Promise.all([this.#loop(signal), this.#statuses(signal)]);
    } finally {
      forget();
      await this.#sync.stop();
      await fetching;
    }
  }

  /** A start that fails is told and tried again with the next signal of the mirror. */
  async #start(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#wake.wait(signal);
      if (signal.aborted || !this.#wake.take()) continue;
      this.#isFetched = false;
      try {
        await this.#sync.start();
        this.#state = { kind: 'running', revision: this.#sync.revision ?? '' };
        return;
      } catch (error) {
        this.#state = { kind: 'failed', why: messageOf(error) };
        this.#deps.log.error({ error: messageOf(error) }, 'chart sync could not start; the next fetch tries again');
        await this.#sync.stop();
        this.#sync = this.#deps.open();
      }
    }
  }

  /** Signals and the schedule in one task; whichever came first goes first. */
  async #loop(signal: AbortSignal): Promise<void> {
    let release = this.#schedule();
    while (!signal.aborted) {
      await this.#wake.wait(signal);
      this.#wake.take();
      if (this.#isFetched && !signal.aborted) await this.#takeSignal();
      if (!this.#isDue || signal.aborted) continue;
      await this.#sync.runSchedule();
      release = this.#schedule(); // from the end of the pass: one that takes long is not followed by another at once
    }
    release();
  }

  #schedule(): Release {
    this.#isDue = false;
    return this.#deps.clock.schedule(this.#deps.intervalMs, () => {
      this.#isDue = true;
      this.#wake.set();
    });
  }

  async #takeSignal(): Promise<void> {
    this.#isFetched = false;
    await this.#sync.takeChange();
    this.#state = { kind: 'running', revision: this.#sync.revision ?? '' };
    for (const resource of await this.#sync.touched()) this.#deps.enqueue(resource);
  }

  async #statuses(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#sync.writeStatuses();
      await this.#deps.clock.sleep(STATUS_MS, signal).catch(() => undefined);
    }
  }
}
