import { AppError, messageOf } from '@/lib/contract/app-error';
import { backOffMs } from '@/lib/std/back-off';
import type { Instant } from '@/lib/std/instant';
import { toInstant } from '@/lib/std/instant';
import type { Semaphore } from '@/lib/std/semaphore';
import type { Clock, Log, Release } from '@/server/platform';
import { withTimeout } from '@/server/platform';
import { CoalescedSignal } from '../loops/coalesced-signal';
import type { Commit, CommitFacts, CommitQuery, GitQueries, WorkingCopy } from '../ports';
import type { MirrorEvent, MirrorState, MirrorView } from './mirror-state';
import { NOT_CLONED, nextMirrorState, notReadyReason, UNCONFIGURED } from './mirror-state';

const RETRY = { firstMs: 10_000, longestMs: 300_000 };

export interface MirrorTimes {
  readonly pollMs: number;
  readonly cloneMs: number;
  readonly fetchMs: number;
}

/** A bare copy of one repository on disk, as the mirror's state machine drives it. */
export interface GitRepository extends Omit<GitQueries, 'fetched'> {
  /** Whether there is a copy, which `clone` only completes. */
  isThere(): Promise<boolean>;
  /** Makes the copy anew, or completes the one that an earlier failure left. */
  clone(signal: AbortSignal): Promise<void>;
  /** Throws when what is there cannot be used. */
  check(signal: AbortSignal): Promise<void>;
  fetch(signal: AbortSignal): Promise<void>;
}

interface MirrorDeps {
  /** What it is known by, without credentials. */
  readonly id: string;
  /** Absent where no address is configured. */
  readonly repository: GitRepository | undefined;
  readonly times: MirrorTimes;
  /** How many may work at once, where there are many. */
  readonly slots?: Semaphore;
  readonly clock: Clock;
  readonly log: Log;
}

/** A copy of a git repository that fetches by itself, and says when it has. Questions are refused until it is ready. */
export class Mirror implements GitQueries {
  readonly id: string;
  readonly #deps: MirrorDeps;
  readonly #wake = new CoalescedSignal();
  readonly #handlers = new Set<(returned: boolean) => void>();
  #state: MirrorState;
  readonly #since: Instant;
  #fetchedAt: Instant | null = null;
  /** How many fetches have begun. */
  #begun = 0;
  readonly #awaiting = new Set<{ readonly fetch: number; readonly done: () => void }>();
  #nextAt: Instant | null = null;

  constructor(deps: MirrorDeps) {
    this.id = deps.id;
    this.#deps = deps;
    this.#since = deps.clock.now();
    this.#state = deps.repository === undefined ? UNCONFIGURED : NOT_CLONED;
  }

  get state(): MirrorState {
    return this.#state;
  }

  /** How it is now. */
  look(): MirrorView {
    const { kind } = this.#state;
    const { why, failures } = 'failures' in this.#state ? this.#state : { why: null, failures: 0 };
    return { id: this.id, state: kind, why, failures, since: this.#since, fetchedAt: this.#fetchedAt, nextAt: this.#nextAt };
  }

  /** Hears of every fetch that succeeded and of every time the mirror becomes ready, whether or not anything is new; and whether it failed before. */
  onSignal(handler: (returned: boolean) => void): Release {
    this.#handlers.add(handler);
    return () => void this.#handlers.delete(handler);
  }

  /** Asks for a fetch now. */
  notify(): void {
    this.#wake.set();
  }

  /** Resolves once a fetch that began from now on has ended, whatever it came to. */
  async fetched(signal: AbortSignal): Promise<void> {
    if (this.#state.kind === 'unconfigured') return;
    await new Promise<void>((resolve, reject) => {
      const awaiting = { fetch: this.#begun + 1, done: resolve };
      this.#awaiting.add(awaiting);
      signal.addEventListener('abort', () => {
        this.#awaiting.delete(awaiting);
        reject(signal.reason instanceof Error ? signal.reason : new Error('the fetch was not awaited'));
      });
      this.#wake.set();
    });
  }

  /** Takes the next step: clones, checks, or fetches. Its failure is a state. */
  async advance(signal: AbortSignal): Promise<void> {
    if (this.#state.kind === 'new') await this.#step('cloned', signal);
    if (this.#state.kind === 'cloned') await this.#step('checked', signal);
    else if (this.#state.kind === 'ready') await this.#step('fetched', signal);
  }

  /** Clones, and fetches every so often, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, slots } = this.#deps;
    while (!signal.aborted && this.#state.kind !== 'unconfigured') {
      this.#wake.take();
      const work = () => this.#fetchOnce(signal);
      await (slots === undefined ? work() : slots.run(work, signal).catch(unlessStopped(signal)));
      const waitMs = this.#waitMs();
      this.#nextAt = toInstant(clock.now() + waitMs);
      const release = clock.schedule(waitMs, () => this.#wake.set());
      await this.#wake.wait(signal);
      this.#nextAt = null;
      release();
    }
  }

  async #fetchOnce(signal: AbortSignal): Promise<void> {
    const fetch = ++this.#begun;
    await this.advance(signal);
    for (const awaiting of this.#awaiting) {
      if (awaiting.fetch > fetch) continue;
      this.#awaiting.delete(awaiting);
      awaiting.done();
    }
  }

  async revision(ref: string, signal: AbortSignal): Promise<string> {
    return this.#ready().revision(ref, signal);
  }

  isGone(ref: string): boolean {
    return this.#deps.repository?.isGone(ref) ?? false;
  }

  async commitsBetween(range: Parameters<GitQueries['commitsBetween']>[0], signal: AbortSignal): Promise<readonly string[]> {
    return this.#ready().commitsBetween(range, signal);
  }

  async commitsOn(question: Parameters<GitQueries['commitsOn']>[0], signal: AbortSignal): Promise<readonly Commit[]> {
    return this.#ready().commitsOn(question, signal);
  }

  async export(revision: string, signal: AbortSignal): Promise<WorkingCopy> {
    return this.#ready().export(revision, signal);
  }

  async facts(question: CommitQuery, signal: AbortSignal): Promise<CommitFacts | undefined> {
    return this.#ready().facts(question, signal);
  }

  async charts(question: Parameters<GitQueries['charts']>[0], signal: AbortSignal): ReturnType<GitQueries['charts']> {
    return this.#ready().charts(question, signal);
  }

  async kept(name: string, signal: AbortSignal): Promise<string | undefined> {
    return this.#ready().kept(name, signal);
  }

  async keep(name: string, commit: string, signal: AbortSignal): Promise<void> {
    return this.#ready().keep(name, commit, signal);
  }

  #ready(): GitRepository {
    const { repository } = this.#deps;
    const why = notReadyReason(this.#state);
    if (repository === undefined || why !== undefined) throw new AppError('unavailable', why ?? 'git repo not ready');
    return repository;
  }

  async #step(done: 'cloned' | 'checked' | 'fetched', signal: AbortSignal): Promise<void> {
    const { repository, times, clock, log } = this.#deps;
    if (repository === undefined) return;
    const work = { cloned: repository.clone, checked: repository.check, fetched: repository.fetch }[done].bind(repository);
    const called = WORDS[done === 'cloned' && (await repository.isThere()) ? 'fetched' : done];
    let event: MirrorEvent = { kind: done };
    try {
      await withTimeout({ clock, ms: done === 'cloned' ? times.cloneMs : times.fetchMs, signal, what: `git: ${called}` }, work);
    } catch (error) {
      if (signal.aborted) return; // stopped, which says nothing of the repository
      event = { kind: 'failed', error: messageOf(error) };
      log.warn({ repository: this.id, error: event.error }, `git repo: ${called} failed`);
    }
    const returned = 'failures' in this.#state && this.#state.failures > 0;
    this.#state = nextMirrorState(this.#state, event);
    if (this.#state.kind !== 'ready') return;
    this.#fetchedAt = clock.now();
    for (const handler of this.#handlers) handler(returned);
  }

  #waitMs(): number {
    if (this.#state.kind === 'ready' || this.#state.kind === 'unconfigured') return this.#deps.times.pollMs;
    return backOffMs(RETRY, Math.max(0, this.#state.failures - 1));
  }
}

/** Takes no turn for an error where the mirror is to end. */
const unlessStopped = (signal: AbortSignal) => (error: unknown) => {
  if (!signal.aborted) throw error;
};

const WORDS = { cloned: 'cloning', checked: 'checking', fetched: 'fetching' } as const;
