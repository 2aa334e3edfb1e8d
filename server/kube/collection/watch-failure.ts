import { messageOf } from '@/lib/contract/app-error';
import type { Instant } from '@/lib/std/instant';
import type { Clock, Log, Random } from '@/server/platform';
import { getApiStatus, isReadRefused } from '../errors';
import type { InformerState } from '../informer';
import type { Backoff } from './backoff';
import { createBackoff } from './backoff';

const MISSING_KIND_WAIT_MS = 1_000;
/** A watch that ends so often as soon as it has begun cannot be held. */
const MAX_CUT_SHORT = 3;
/** A server that has answered watches for so long with its own faults does not hold them; lists may work all the same. */
const FAULTY_WATCH_MS = 60_000;
const FORBIDDEN = 403;
const OUTAGE_MS = 500; // in less no API server is stopped and started

/** The watch ended as soon as it had begun. */
export class VeryShortWatchError extends Error {}

interface TroubleDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly onState: (state: InformerState) => void;
}

/** What keeps a collection from being read or watched, from the first failure until it works again. */
export class WatchFailure {
  readonly #deps: TroubleDeps;
  readonly #backoff: Backoff;
  #since: Instant | undefined;
  #reason: string | undefined;
  #isRefused = false;
  #cutShort = 0;
  /** What the newest watch was answered, where that was a fault of the server. */
  #watchFault: unknown;

  constructor(deps: TroubleDeps) {
    this.#deps = deps;
    this.#backoff = createBackoff(deps.random);
  }

  get isOver(): boolean {
    return this.#since === undefined;
  }

  /** The server lets nobody list or watch; somebody else keeps the copy meanwhile. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** Takes note of what a watch was answered. */
  noteWatch(error: unknown): void {
    if ((getApiStatus(error)?.code ?? 0) >= 500) this.#watchFault = error;
  }

  /** A watch was held for a while. */
  settle(): void {
    this.#backoff.reset();
    this.#cutShort = 0;
  }

  end(): void {
    this.#since = undefined;
    this.#reason = undefined;
    this.#isRefused = false;
    this.#deps.onState({ kind: 'watching' });
  }

  /** Takes note of a failure: what the server lets nobody do is told from what failed. */
  begin(error: unknown): 'refused' | 'failed' {
    const isRefusal = this.#isRefusal(error, this.#started());
    this.#isRefused ||= isRefusal;
    return isRefusal ? 'refused' : 'failed';
  }

  /** Tells of a refusal, and answers when to look again. */
  reportRefusal(error: unknown, verb: 'list' | 'watch'): number {
    const isUnwatchable = getApiStatus(error)?.code !== FORBIDDEN;
    this.#deps.onState({
      kind: 'refused',
      verb,
      reason: messageOf(error),
      since: this.#started(),
      ...(isUnwatchable && { isUnwatchable }),
    });
    return this.#backoff.next(error);
  }

  /** Tells of a failure, and answers when to try again, and whether it is more than a cut connection. */
  reportFailure(error: unknown, isMissing: boolean): { readonly waitMs: number; readonly isOutage: boolean } {
    const { random, log, onState } = this.#deps;
    const reason = messageOf(error);
    const waitMs = isMissing ? MISSING_KIND_WAIT_MS * (0.5 + random() / 2) : this.#backoff.next(error);
    onState({ kind: 'retrying', reason, since: this.#started(), ...(isMissing ? { isMissing } : {}) });
    const say = reason === this.#reason ? log.debug : log.warn; // a kind that stays away is worth one warning
    this.#reason = reason;
    say.call(log, { reason, waitMs: Math.round(waitMs) }, 'a watched kind could not be reached, retrying');
    return { waitMs, isOutage: waitMs >= OUTAGE_MS };
  }

  #isRefusal(error: unknown, since: Instant): boolean {
    // Of a server that answers nothing at all nothing can be polled either; of one that lists, everything can.
    if (error === this.#watchFault && this.#deps.clock.now() - since >= FAULTY_WATCH_MS) return true;
    return error instanceof VeryShortWatchError ? ++this.#cutShort >= MAX_CUT_SHORT : isReadRefused(error);
  }

  #started(): Instant {
    this.#since ??= this.#deps.clock.now();
    return this.#since;
  }
}
