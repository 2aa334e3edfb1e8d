import type { Clock, Release } from '@/server/platform';
import { toIdentifierKey } from '../identifier';
import { sentenceOf } from '../live/watched-sets';
import type { ResourceStatus } from '../resource-status';
import { isSameStatus } from '../resource-status';
import { FollowedSet } from './followed-set';
import { evaluateApplication, evaluateSet, toMember } from './outcome';
import type { Followed, KeyListener, StatusSet, StatusStream, Verdict } from './status-set';
import { KeyListeners } from './status-set';

/** What an application consists of, itself first, and when that may have changed. The same array again means the same members. */
export interface ApplicationMembers {
  members(): readonly Followed[];
  /** What says more than the application's own sentence: how its rollout stands, while it is about that. */
  sentence(): string | undefined;
  onChange(listener: () => void): Release;
}

/** A record grows object by object while an application is applied; it is read again at most so often. */
const RECHECK_MS = 50;

/** What was made of the statuses that are held. */
interface Reading {
  readonly found: readonly ResourceStatus[];
  readonly sentence: string | undefined;
  readonly verdict: Verdict;
  readonly statuses: readonly ResourceStatus[];
}

export interface ApplicationSetDeps {
  readonly stream: StatusStream;
  readonly ledger: ApplicationMembers;
  readonly clock: Pick<Clock, 'schedule'>;
  readonly onFailure: (error: unknown) => void;
}

/** The statuses of an application and of what its trackers list, while that changes. */
export class ApplicationSet implements StatusSet {
  readonly complete: Promise<void>;
  readonly #deps: ApplicationSetDeps;
  readonly #listeners = new KeyListeners();
  readonly #unlisten: Release;
  #members: readonly Followed[];
  /** What is answered from, and beside it what takes its place once it is complete. */
  #held: FollowedSet;
  #next: FollowedSet | undefined;
  #look: Release | undefined;
  #latest: Reading | undefined;
  /** As it was told last. */
  #own: ResourceStatus | undefined;

  constructor(deps: ApplicationSetDeps) {
    this.#deps = deps;
    this.#unlisten = deps.ledger.onChange(() => {
      this.#look ??= deps.clock.schedule(RECHECK_MS, () => this.#lookAgain());
    });
    this.#members = deps.ledger.members();
    this.#held = this.#follow();
    this.complete = this.#held.complete;
  }

  followed(): readonly Followed[] {
    return this.#members.slice(0, 1);
  }

  isComplete(): boolean {
    return this.#held.isComplete() && this.#next === undefined;
  }

  /** The application is as bad as the worst below it: nobody is told of one that goes on while an object of it has failed. */
  statuses(): readonly ResourceStatus[] {
    return this.#read().statuses;
  }

  statusOf(key: string): ResourceStatus | undefined {
    const [own] = this.statuses();
    return own !== undefined && toIdentifierKey(own.identifier) === key ? own : this.#held.statusOf(key);
  }

  evaluate(): Verdict {
    return this.#read().verdict;
  }

  #read(): Reading {
    const found = this.#held.statuses();
    if (this.#latest?.found === found) return this.#latest;
    const [own, ...members] = found;
    if (own === undefined) return { found, sentence: undefined, verdict: evaluateSet([]), statuses: found };
    const sentence = this.#deps.ledger.sentence();
    const said = sentence === undefined ? own : { ...own, message: sentence };
    const verdict = evaluateApplication(own.resource, { status: own.status, message: sentenceOf(said) }, members.map(toMember));
    this.#latest = { found, sentence, verdict, statuses: [asItsObjects(said, verdict), ...members] };
    return this.#latest;
  }

  subscribe(listener: KeyListener): Release {
    return this.#listeners.add(listener);
  }

  release(): void {
    this.#unlisten();
    this.#look?.();
    this.#held.release();
    this.#next?.release();
  }

  #follow(): FollowedSet {
    const { stream, onFailure } = this.#deps;
    const set = new FollowedSet(stream, this.#members, onFailure);
    set.subscribe((key) => {
      if (set === this.#held) this.#notify(key);
    });
    return set;
  }

  /** A change of an object may be one of the application as well. */
  #notify(key: string | undefined): void {
    const [own] = this.statuses();
    const before = this.#own;
    this.#own = own;
    this.#listeners.notify(key);
    const ownKey = own && toIdentifierKey(own.identifier);
    if (key !== ownKey && own?.status !== before?.status) this.#listeners.notify(ownKey);
  }

  /** How a rollout stands may be told otherwise although no object of the set is another. */
  #hearSentence(): void {
    if (this.#latest === undefined || this.#latest.sentence === this.#deps.ledger.sentence()) return;
    this.#latest = undefined;
    const [own] = this.#members;
    this.#notify(own && toIdentifierKey(own.identifier));
  }

  #lookAgain(): void {
    this.#look = undefined;
    this.#hearSentence();
    const members = this.#deps.ledger.members();
    if (members === this.#members) return;
    this.#members = members;
    this.#next?.release();
    const next = this.#follow();
    this.#next = next;
    void next.complete.then(() => {
      if (this.#next === next) this.#take(next);
    });
  }

  #take(next: FollowedSet): void {
    const before = this.#held;
    this.#held = next;
    this.#next = undefined;
    const left = new Map(before.statuses().map((one) => [toIdentifierKey(one.identifier), one]));
    for (const one of next.statuses()) {
      const key = toIdentifierKey(one.identifier);
      const held = left.get(key);
      left.delete(key);
      if (held === undefined || !isSameStatus(held, one)) this.#listeners.notify(key);
    }
    for (const key of left.keys()) this.#listeners.notify(key);
    before.release();
    // Whoever waits may have what it wants now, although no object changed.
    this.#listeners.notify();
  }
}

/** An application goes, or is not there, whatever is below it. */
function asItsObjects(own: ResourceStatus, { status, message }: Verdict): ResourceStatus {
  return own.status === status || (status !== 'Failed' && status !== 'Unknown') ? own : { ...own, status, message };
}
