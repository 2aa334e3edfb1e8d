import { readNumber } from '@/lib/kube/fields';
import type { Clock, Release } from '@/server/platform';
import { toIdentifierKey } from '../identifier';
import type { ResourceStatus } from '../resource-status';
import { isSameStatus } from '../resource-status';
import { FollowedSet } from './followed-set';
import { judgeApplication, judgeSet } from './outcome';
import type { Followed, KeyListener, StatusSet, StatusStream, Verdict } from './status-set';
import { KeyListeners } from './status-set';

/** What an application consists of, itself first, and when that may have changed. The same array again means the same members. */
export interface Ledger {
  members(): readonly Followed[];
  onChange(listener: () => void): Release;
}

/** A record grows object by object while an application is applied; it is read again at most so often. */
const LOOK_AGAIN_MS = 50;

export interface ApplicationSetDeps {
  readonly stream: StatusStream;
  readonly ledger: Ledger;
  readonly clock: Pick<Clock, 'schedule'>;
  readonly onFailure: (error: unknown) => void;
}

/** The statuses of an application and of what its trackers list, while that changes. */
export class ApplicationSet implements StatusSet {
  readonly complete: Promise<void>;
  readonly #deps: ApplicationSetDeps;
  readonly #listeners = new KeyListeners();
  readonly #told = new WeakMap<readonly ResourceStatus[], readonly ResourceStatus[]>();
  readonly #unlisten: Release;
  #members: readonly Followed[];
  /** What is answered from, and beside it what takes its place once it is complete. */
  #held: FollowedSet;
  #next: FollowedSet | undefined;
  #look: Release | undefined;
  /** As it was told last. */
  #own: ResourceStatus | undefined;

  constructor(deps: ApplicationSetDeps) {
    this.#deps = deps;
    this.#unlisten = deps.ledger.onChange(() => {
      this.#look ??= deps.clock.schedule(LOOK_AGAIN_MS, () => this.#lookAgain());
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
    const found = this.#held.statuses();
    const known = this.#told.get(found);
    if (known !== undefined) return known;
    const [own, ...members] = found;
    const told = own === undefined ? found : [this.#asItsObjects(own), ...members];
    this.#told.set(found, told);
    return told;
  }

  statusOf(key: string): ResourceStatus | undefined {
    const [own] = this.statuses();
    return own !== undefined && toIdentifierKey(own.identifier) === key ? own : this.#held.statusOf(key);
  }

  /** While the engine has not taken the present spec up, what is below speaks of the former one. */
  judge(): Verdict {
    const [own, ...members] = this.#held.statuses();
    return own !== undefined && !isUnobserved(own) ? judgeApplication(own, members) : judgeSet(own === undefined ? [] : [own]);
  }

  #asItsObjects(own: ResourceStatus): ResourceStatus {
    const { status, message } = this.judge();
    const isGoing = own.status === 'Terminating' || own.status === 'NotFound';
    return isGoing || own.status === status || (status !== 'Failed' && status !== 'Unknown') ? own : { ...own, status, message };
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
      if (set === this.#held) this.#tell(key);
    });
    return set;
  }

  /** A change of an object may be one of the application as well. */
  #tell(key: string | undefined): void {
    const [own] = this.statuses();
    const before = this.#own;
    this.#own = own;
    this.#listeners.tell(key);
    const ownKey = own && toIdentifierKey(own.identifier);
    if (key !== ownKey && own?.status !== before?.status) this.#listeners.tell(ownKey);
  }

  #lookAgain(): void {
    this.#look = undefined;
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
      if (held === undefined || !isSameStatus(held, one)) this.#listeners.tell(key);
    }
    for (const key of left.keys()) this.#listeners.tell(key);
    before.release();
    // Whoever waits may have what it wants now, although no object changed.
    this.#listeners.tell();
  }
}

function isUnobserved({ resource }: ResourceStatus): boolean {
  return readNumber(resource, 'metadata', 'generation') !== readNumber(resource, 'status', 'observedGeneration');
}
