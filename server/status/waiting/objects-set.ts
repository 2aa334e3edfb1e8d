import type { Release } from '@/server/platform';
import { toIdentifierKey } from '../identifier';
import type { ResourceStatus } from '../resource-status';
import { evaluateSet } from './outcome';
import type { Followed, KeyListener, StatusSet, Verdict } from './status-set';

interface Parts {
  /** Everything that is asked about, in that order. */
  readonly followed: readonly Followed[];
  /** The statuses of what is no application. */
  readonly plain: StatusSet;
  /** By their keys: applications, each with what it consists of. */
  readonly applications: ReadonlyMap<string, StatusSet>;
}

/** Statuses of any objects. An application among them is as its whole set is, with the members below it. */
export class ObjectsSet implements StatusSet {
  readonly complete: Promise<void>;
  readonly #parts: Parts;
  readonly #keys: readonly string[];
  readonly #folded = new WeakMap<readonly ResourceStatus[], ResourceStatus>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#keys = parts.followed.map(({ identifier }) => toIdentifierKey(identifier));
    this.complete = Promise.all(this.#sets().map((set) => set.complete)).then(() => undefined);
  }

  followed(): readonly Followed[] {
    return this.#parts.followed;
  }

  isComplete(): boolean {
    return this.#sets().every((set) => set.isComplete());
  }

  statuses(): readonly ResourceStatus[] {
    return this.#keys.flatMap((key) => this.statusOf(key) ?? []);
  }

  statusOf(key: string): ResourceStatus | undefined {
    const application = this.#parts.applications.get(key);
    return application === undefined ? this.#parts.plain.statusOf(key) : this.#fold(application);
  }

  evaluate(): Verdict {
    return evaluateSet(this.statuses());
  }

  subscribe(listener: KeyListener): Release {
    const { plain, applications } = this.#parts;
    const releases = [plain.subscribe(listener), ...[...applications].map(([key, set]) => set.subscribe(() => listener(key)))];
    return () => {
      for (const release of releases) release();
    };
  }

  release(): void {
    for (const set of this.#sets()) set.release();
  }

  #sets(): readonly StatusSet[] {
    return [this.#parts.plain, ...this.#parts.applications.values()];
  }

  #fold(application: StatusSet): ResourceStatus | undefined {
    const statuses = application.statuses();
    const [own, ...generated] = statuses;
    if (own === undefined) return undefined;
    const folded = this.#folded.get(statuses) ?? { ...own, ...application.evaluate(), generated };
    this.#folded.set(statuses, folded);
    return folded;
  }
}
