import { isAppError, messageOf } from '@/lib/contract/app-error';
import { KINDS } from '@/lib/kube/kinds';
import { formatDuration } from '@/lib/std/duration';
import type { Instant } from '@/lib/std/instant';
import type { Session } from '@/server/auth';
import { monotonicMsOf } from '@/server/platform';
import type { CommandDeps } from '../command-deps';

/** A cluster that cannot be asked takes no right away, for so long: whoever holds a shell may do what they like with it. */
const UNCONFIRMED_MS = 60_000;

/** What is open into a pod, and in which words that stands on record. */
export interface OpenPodSession {
  readonly act: { readonly kind: 'open-terminal' | 'forward-ports'; readonly ns: string; readonly pod: string };
  /** The beginning of its actions on record, such as `terminal`. */
  readonly action: string;
  readonly opened: string;
  /** What ended, such as `a terminal in container app`. */
  readonly subject: string;
  /** Takes away what it holds; called once. */
  readonly release: () => void;
}

/** Something that a person holds open into a pod: on record from its start to its end, and no longer than their right. */
export class PodAccess {
  readonly #deps: CommandDeps;
  readonly #session: Session;
  readonly #words: OpenPodSession;
  readonly #id: string;
  readonly #since: Instant;
  /** When the right was confirmed last, by the clock that nobody can set. */
  #confirmedAt: number;
  #ended: string | undefined;
  #isBegun = false;

  private constructor(deps: CommandDeps, session: Session, words: OpenPodSession) {
    this.#deps = deps;
    this.#session = session;
    this.#words = words;
    this.#id = deps.ids.uuid();
    this.#since = deps.clock.now();
    this.#confirmedAt = monotonicMsOf(deps.clock);
  }

  /** What is not on record has not begun. */
  static async start(deps: CommandDeps, session: Session, words: OpenPodSession): Promise<PodAccess> {
    const held = new PodAccess(deps, session, words);
    try {
      await held.#record('open', words.opened);
      held.#isBegun = true;
      return held;
    } catch (error) {
      held.end('it cannot be recorded');
      throw error;
    }
  }

  /** Why it ended; undefined while it is open. */
  get ended(): string | undefined {
    return this.#ended;
  }

  /** Ends it where the right is gone, or where nobody could be asked about it for a minute. */
  async recheck(session: Session, notBefore: Instant): Promise<void> {
    const { auth, clock } = this.#deps;
    const askedAt = monotonicMsOf(clock);
    try {
      await auth.authorise(session, this.#words.act, notBefore);
      this.#confirmedAt = askedAt;
    } catch (error) {
      if (isAppError(error) && (error.code === 'forbidden' || error.code === 'unauthenticated')) this.end(messageOf(error));
      else if (askedAt - this.#confirmedAt >= UNCONFIRMED_MS)
        this.end(`the right to it could not be checked for a minute: ${messageOf(error)}`);
    }
  }

  end(sentence: string): void {
    if (this.#ended !== undefined) return;
    this.#ended = sentence;
    this.#words.release();
    if (!this.#isBegun) return; // an end without a beginning says nothing
    const took = formatDuration(this.#deps.clock.now() - this.#since);
    void this.#record('end', `${this.#words.subject} ended after ${took}: ${sentence}`).catch(() => undefined); // the recording tells of what it cannot take
  }

  #record(what: 'open' | 'end', message: string): Promise<void> {
    const { act, action } = this.#words;
    const about = { ...KINDS.pod, namespace: act.ns, name: act.pod };
    return this.#deps.record({
      id: `${this.#id}/${what}`,
      at: this.#deps.clock.now(),
      actor: this.#session.user,
      action: `${action}.${what}`,
      about,
      message,
    });
  }
}
