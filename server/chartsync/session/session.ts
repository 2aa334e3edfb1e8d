import { messageOf } from '@/lib/contract/app-error';
import { readString } from '@/lib/kube/fields';
import type { Instant } from '@/lib/std/instant';
import { toInstant } from '@/lib/std/instant';
import type { Clock, Log, Release } from '@/server/platform';
import type { Mirror } from '../git/mirror';
import type { StoredReleases } from '../helm/stored-releases';
import type { ChartSync } from '../loops/chart-sync';
import { CoalescedSignal } from '../loops/coalesced-signal';
import type { DeclaredRelease } from '../model/declared';
import type { Trigger } from '../ports';

const STATUS_MS = 10_000;
/** How long the next pass waits at least. */
const STATUS_REST_MS = 1_000;
/** Why the base kind rests; a HelmRelease names its own chart and needs none of this. */
export const UNCONFIGURED =
  'no Git repository is set for FluxHelmReleases: set --git-url or SLIPWAY_GIT_URL; HelmReleases name their own chart and do not need it';

export interface SessionDeps {
  /** The mirror of the base kind. */
  readonly mirror: Mirror;
  readonly sync: ChartSync;
  /** What Helm stores, as it is watched. */
  readonly stored: Pick<StoredReleases, 'onChange'>;
  /** Hears every mirror that has fetched, and whether it failed before. */
  readonly onFetched: (handler: (mirror: Mirror, returned: boolean) => void) => Release;
  /** Hears of each pass over all resources that has ended. */
  readonly passed: (result: 'done' | 'failed', ms: number) => void;
  readonly intervalMs: number;
  /** Has a resource looked at by the queue. */
  readonly enqueue: (resource: DeclaredRelease, by: Trigger) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** Where the base kind is, as the Engine page says it; the later kinds run with the session. */
export type SessionState =
  | { readonly kind: 'waiting'; readonly why: string }
  | { readonly kind: 'running'; readonly revision: string }
  | { readonly kind: 'failed'; readonly why: string };

/** Runs chart sync while this process may: its schedule and signals in one task, so that they never overlap (spec/chartsync 5), the status pass beside. */
export class Session {
  /** When it began. */
  readonly since: Instant;
  readonly #deps: SessionDeps;
  readonly #wake = new CoalescedSignal();
  /** Mirrors that have fetched, and whether they failed before. */
  #fetched = new Map<string, boolean>();
  #isDue = false;
  #nextPassAt: Instant | null = null;
  #state: SessionState = { kind: 'waiting', why: 'the chart repository has not been fetched yet' };

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    this.since = deps.clock.now();
  }

  get state(): SessionState {
    const { state } = this.#deps.mirror;
    if (state.kind === 'unconfigured') return { kind: 'waiting', why: UNCONFIGURED };
    if (this.#state.kind !== 'waiting' || state.kind === 'ready') return this.#state;
    return { kind: 'waiting', why: `the chart repository could not be fetched yet: ${state.why}` };
  }

  /** When the next pass over all resources begins; null while one is under way. */
  get nextPassAt(): Instant | null {
    return this.#nextPassAt;
  }

  /** What looks at resources. */
  get sync(): ChartSync {
    return this.#deps.sync;
  }

  /** Runs until the signal aborts; what is being released then is finished first. */
  async run(signal: AbortSignal): Promise<void> {
    const forget = this.#deps.onFetched(({ id }, returned) => {
      this.#fetched.set(id, returned || this.#fetched.get(id) === true);
      this.#wake.set();
    });
    const fetching = this.#deps.mirror.run(signal);
    try {
      await Promise.all([this.#loop(signal), this.#statuses(signal)]);
    } finally {
      forget();
      await this.sync.stop();
      await fetching;
    }
  }

  /** Signals and the schedule in one task; whichever came first goes first. */
  async #loop(signal: AbortSignal): Promise<void> {
    let release = this.#schedule();
    while (!signal.aborted) {
      await this.#wake.wait(signal);
      this.#wake.take();
      if (this.#fetched.size > 0 && !signal.aborted) await this.#takeSignals();
      if (!this.#isDue || signal.aborted) continue;
      this.#nextPassAt = null;
      const since = this.#deps.clock.now();
      const { error } = await this.sync.runSchedule();
      this.#deps.passed(error === undefined ? 'done' : 'failed', this.#deps.clock.now() - since);
      release = this.#schedule(); // from the end of the pass: one that takes long is not followed by another at once
    }
    release();
  }

  #schedule(): Release {
    const { clock, intervalMs } = this.#deps;
    this.#isDue = false;
    this.#nextPassAt = toInstant(clock.now() + intervalMs);
    return clock.schedule(intervalMs, () => {
      this.#isDue = true;
      this.#wake.set();
    });
  }

  async #takeSignals(): Promise<void> {
    const fetched = this.#fetched;
    this.#fetched = new Map();
    if (fetched.has(this.#deps.mirror.id)) await this.#takeBase();
    const returned = new Set([...fetched].flatMap(([id, failed]) => (failed ? [id] : [])));
    if (returned.size > 0) for (const resource of await this.sync.withoutChart(returned)) this.#deps.enqueue(resource, 'repository');
    for (const resource of await this.sync.touched(new Set(fetched.keys()))) {
      // What was never attempted has no commit that is newer: the resource itself asks for it.
      this.#deps.enqueue(resource, readString(resource.status, 'lastAttemptedRevision') === undefined ? 'resource' : 'commit');
    }
  }

  /** The first signal starts the base kind. A start that fails is told and tried again with the next one (R-LOOP-7). */
  async #takeBase(): Promise<void> {
    try {
      if (this.#state.kind !== 'running') await this.sync.start();
      else for (const resource of (await this.sync.takeChange()).lost ?? []) this.#deps.enqueue(resource, 'commit');
      this.#state = { kind: 'running', revision: this.sync.revision ?? '' };
    } catch (error) {
      this.#state = { kind: 'failed', why: messageOf(error) };
      this.#deps.log.error({ error: messageOf(error) }, 'chart sync could not start; the next fetch retries');
    }
  }

  /** Every ten seconds (R-ST-1), and sooner where Helm stored something, of which there is more than one change in an upgrade. */
  async #statuses(signal: AbortSignal): Promise<void> {
    const { clock, stored } = this.#deps;
    const moved = new CoalescedSignal();
    const forget = stored.onChange(() => moved.set());
    const late = () => clock.schedule(STATUS_MS, () => moved.set());
    while (!signal.aborted) {
      moved.take();
      await this.sync.writeStatuses();
      const release = late();
      await clock.sleep(STATUS_REST_MS, signal).catch(() => undefined); // an abort ends the loop by itself
      await moved.wait(signal);
      release();
    }
    forget();
  }
}
