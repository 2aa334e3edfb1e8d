import type { KubeObject, TypeRef } from '@/lib/kube/object';
import type { Release } from '@/server/platform';
import type { ObjMetadata } from '../identifier';
import type { Provenance } from '../live/provenance';
import type { WatchedObject } from '../live/roots';
import type { ResourceStatus, StatusEvent } from '../resource-status';
import type { Status } from '../result';

/** An object whose status is followed; its identifier lacks the version under which it was asked for. */
export interface Followed extends TypeRef {
  readonly identifier: ObjMetadata;
}

/** Where statuses come from: those of objects now, and each change of them, until the signal aborts. */
export interface StatusStream {
  /** The status of an object that is in hand. */
  of(object: KubeObject): ResourceStatus;
  watch(identifiers: readonly WatchedObject[], options: { readonly signal: AbortSignal }): AsyncIterable<StatusEvent>;
  /** As it is known now, also where nothing differs that would be told. */
  latest(identifier: ObjMetadata): ResourceStatus | undefined;
  /** How what is told of an object is known; undefined where nothing is. */
  provenanceOf(identifier: ObjMetadata): Provenance | undefined;
}

/** One status for a set with the sentence that tells why. */
export interface Verdict {
  readonly status: Status;
  readonly message: string;
}

/** Hears the key of an object that changed, joined or left; none where only the set as a whole became complete. */
export type KeyListener = (key?: string) => void;

/** The latest statuses of some objects. */
export interface StatusSet {
  /** What was asked for; of an application itself, whatever it consists of. */
  followed(): readonly Followed[];
  /** Resolves once every object was told of; never when the set is released before. */
  readonly complete: Promise<void>;
  isComplete(): boolean;
  /** In the order in which they were asked for, what was not told of yet as Unknown; the same array until something changes. */
  statuses(): readonly ResourceStatus[];
  /** The status of one object by its key; undefined for one that is not part of the set. */
  statusOf(key: string): ResourceStatus | undefined;
  /** One status for all of them. */
  evaluate(): Verdict;
  subscribe(listener: KeyListener): Release;
  release(): void;
}

/** Whoever listens to a set. A listener may leave while it is called. */
export class KeyListeners {
  readonly #listeners = new Set<KeyListener>();

  add(listener: KeyListener): Release {
    const own: KeyListener = (key) => listener(key); // the same function twice is two listeners
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  notify(key?: string): void {
    for (const listener of this.#listeners) listener(key);
  }
}
