import { isAppError, messageOf } from '@/lib/contract/app-error';
import type { Freshness } from '@/lib/contract/live';
import type { StatusStreamEvent, WaitOutcome, WantedState } from '@/lib/contract/object-statuses';
import type { Clock, Release } from '@/server/platform';
import { waitAtMost } from '@/server/platform';
import type { StatusSet } from '@/server/status';
import { evaluateWait, parseIdentifierKey } from '@/server/status';
import type { ProvenanceContext } from './status-body';
import { toObjectStatus, toStatusesBody } from './status-body';

/** So that a right which is withdrawn ends within five seconds. */
const CHECK_EVERY_MS = 4000;
const HEARTBEAT_EVERY_MS = 15_000;
/** What is not known by then is answered as Unknown. */
const FIRST_ANSWER_MS = 10_000;
const CONFIRM_AGAIN_MS = 1000;

/** What is followed, and until when. */
export interface Following {
  readonly set: StatusSet;
  readonly freshness: () => Freshness;
  readonly provenanceOf: ProvenanceContext['provenanceOf'];
  /** Asks for session and rights anew; throws what is in the way. */
  readonly check: () => Promise<void>;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** What is waited for; followed until the client leaves when absent. */
  readonly wait?: Wait;
}

interface Wait {
  readonly wanted: WantedState;
  readonly timeoutMs: number;
  /** Whether the cluster itself agrees that the wait ended so. */
  readonly confirm: (outcome: WaitOutcome) => Promise<boolean>;
}

/** Resolves once every status is known, at the latest when a first answer is due. */
export async function waitUntilKnown({ set, clock, signal }: Pick<Following, 'set' | 'clock' | 'signal'>): Promise<void> {
  if (set.isComplete()) return;
  await waitAtMost({ clock, ms: FIRST_ANSWER_MS, signal, late: () => undefined }, set.complete);
}

/**
 * The events of a stream about a set, and undefined where it is time for a sign of life.
 *
 * 1. Whoever reads slowly is told the latest of each object, never a backlog: what changed is looked up when it is read.
 * 2. It ends when the wait is over, when the session or a right is gone, and without a word when the client is.
 */
export async function* follow(followed: Following): AsyncGenerator<StatusStreamEvent | undefined, void, void> {
  const run = new Run(followed);
  try {
    await waitUntilKnown(followed);
    if (followed.signal.aborted) return;
    yield { event: 'statuses', data: toStatusesBody(followed.set, followed.freshness(), provenanceAt(followed)) };
    yield* run.events();
  } finally {
    run.stop();
  }
}

/** How objects are known at this moment. */
export function provenanceAt({ provenanceOf, clock }: Pick<Following, 'provenanceOf' | 'clock'>): ProvenanceContext {
  return { provenanceOf, now: clock.now() };
}

class Run {
  readonly #followed: Following;
  readonly #pending = new Set<string>();
  readonly #releases = new Set<Release>();
  #wake: () => void = () => undefined;
  #beat = false;
  #stopped = false;
  #over: StatusStreamEvent | undefined;
  /** True while what is known may be what is waited for. */
  #hasChanged = true;

  constructor(followed: Following) {
    this.#followed = followed;
    const { set, signal, wait } = followed;
    this.#releases.add(
      set.subscribe((key) => {
        if (key !== undefined) this.#pending.add(key);
        this.#hasChanged = true;
        this.#wake();
      }),
    );
    const wake = () => this.#wake();
    signal.addEventListener('abort', wake, { once: true });
    this.#releases.add(() => signal.removeEventListener('abort', wake));
    this.#every(HEARTBEAT_EVERY_MS, async () => {
      this.#beat = true;
    });
    this.#every(CHECK_EVERY_MS, () => this.#check());
    if (wait !== undefined) this.#after(wait.timeoutMs, () => this.#end('timeout', 'it timed out'));
  }

  stop(): void {
    this.#stopped = true;
    for (const release of this.#releases) release();
  }

  async *events(): AsyncGenerator<StatusStreamEvent | undefined, void, void> {
    const { signal, set } = this.#followed;
    while (!signal.aborted) {
      const outcome = this.#over === undefined ? await this.#evaluate() : undefined;
      for (const key of this.#pending) {
        if (this.#over !== undefined) break; // of what nobody may see any more, nothing is told
        this.#pending.delete(key);
        yield this.#notify(key);
        if (signal.aborted) return;
      }
      if (outcome !== undefined) this.#end(outcome, outcome === 'reached' ? 'the condition is met' : set.evaluate().message);
      if (this.#over !== undefined) {
        yield this.#over;
        return;
      }
      if (this.#beat) {
        this.#beat = false;
        yield undefined;
      }
      await this.#news();
    }
  }

  #news(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (this.#followed.signal.aborted || this.#pending.size > 0 || this.#beat || this.#over !== undefined) resolve();
      if (this.#hasChanged && this.#followed.wait !== undefined) resolve();
    });
  }

  /** Whether the wait is over. Copies may be a moment behind, so the cluster itself is asked before that is said. */
  async #evaluate(): Promise<WaitOutcome | undefined> {
    const { set, wait } = this.#followed;
    if (wait === undefined || !this.#hasChanged) return undefined;
    this.#hasChanged = false;
    const outcome = set.isComplete() ? evaluateWait(set, wait.wanted) : undefined;
    if (outcome === undefined || (await wait.confirm(outcome))) return outcome;
    this.#after(CONFIRM_AGAIN_MS, () => {
      this.#hasChanged = true;
    });
    return undefined;
  }

  #notify(key: string): StatusStreamEvent {
    const { set } = this.#followed;
    const status = set.statusOf(key);
    const verdict = set.evaluate();
    if (status !== undefined)
      return { event: 'change', data: { ...verdict, object: toObjectStatus(status, provenanceAt(this.#followed)) } };
    const { namespace, ...named } = parseIdentifierKey(key);
    return { event: 'gone', data: { ...verdict, ...named, ns: namespace === '' ? null : namespace } };
  }

  #end(outcome: WaitOutcome | 'ended', sentence: string): void {
    this.#over ??= { event: 'end', data: { ...this.#followed.set.evaluate(), outcome, sentence } };
  }

  async #check(): Promise<void> {
    await this.#followed.check().catch((error: unknown) => {
      // A cluster that cannot be asked takes no right away; the next look asks again.
      if (isAppError(error) && (error.code === 'forbidden' || error.code === 'unauthenticated')) this.#end('ended', messageOf(error));
    });
  }

  #every(ms: number, work: () => Promise<void>): void {
    this.#after(ms, () => {
      work().finally(() => {
        if (this.#stopped) return;
        this.#wake();
        this.#every(ms, work);
      });
    });
  }

  #after(ms: number, task: () => void): void {
    const release = this.#followed.clock.schedule(ms, () => {
      this.#releases.delete(release);
      task();
      this.#wake();
    });
    this.#releases.add(release);
  }
}
