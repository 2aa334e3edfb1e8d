import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { groupOf, toObjectKey } from '@/lib/kube/object';
import type { Store, StoreChange } from '@/server/kube';
import type { Clock, FaultIsolation, Release, Subject } from '@/server/platform';
import { withKindsBelow } from '../cluster/generated-kinds';
import { StoreClusterReader } from '../cluster/store-reader';
import { mayStopBeingCurrent } from '../compute';
import type { GroupKind } from '../identifier';
import { toObjMetadata } from '../identifier';
import { KindMap } from '../identifier-map';
import { statusValidUntil } from '../policies';
import type { ReaderOptions, ReaderSet } from '../readers/default-readers';
import { consoleReaders, selectReader } from '../readers/default-readers';
import { unknownStatus } from '../readers/status-error';
import type { StatusReader } from '../readers/status-reader';
import type { ResourceStatus } from '../resource-status';
import type { Selection } from './selection-index';
import { SelectionIndex } from './selection-index';

/** An object whose status was made from others. */
interface Owner {
  readonly of: GroupKind;
  readonly key: ObjectKey;
}

export interface StatusCacheConfig {
  readonly clock: Clock;
  readonly contain: FaultIsolation;
  readonly storeOf: (of: GroupKind) => Store | undefined;
  /** Hears of every object whose status may be another now for a reason that is not a change of the object itself. */
  readonly onTouched: (of: GroupKind, key: ObjectKey) => void;
}

const NEVER = new AbortController().signal;

/**
 * The status of every object there is a shared copy of, computed when somebody asks and once for each version of it; again when what its
 * selector selects changed, when its time is up, and when the rules are others.
 */
export class StatusCache {
  readonly #config: StatusCacheConfig;
  readonly #selections = new SelectionIndex<Owner>();
  readonly #owners = new KindMap<Map<ObjectKey, Owner>>();
  /** One for each object at most: that of the version judged last. */
  readonly #timers = new KindMap<Map<ObjectKey, Release>>();
  #options: ReaderOptions;
  #known = new WeakMap<KubeObject, ResourceStatus>();
  #readers: ReaderSet;

  constructor(config: StatusCacheConfig, options: ReaderOptions) {
    this.#config = config;
    this.#options = options;
    this.#readers = this.#build();
  }

  /** Forgets everything, to be computed by other rules. */
  reset(options: ReaderOptions): void {
    this.stop();
    this.#options = options;
    this.#known = new WeakMap();
    this.#readers = this.#build();
  }

  of(object: KubeObject): ResourceStatus {
    const held = this.#known.get(object);
    if (held !== undefined) return held;
    return this.#evaluate(object, selectReader(this.#readers, { group: groupOf(object.apiVersion), kind: object.kind }));
  }

  /** Takes in a change of an object: whatever was made from it is computed again. */
  hear(of: GroupKind, { key, before, after }: StoreChange): void {
    const namespace = (after ?? before)?.metadata.namespace ?? '';
    if (after === undefined) this.#forget(of, key);
    this.#touchOwners(
      of,
      namespace,
      [before, after].filter((state) => state !== undefined),
    );
  }

  /** Takes in that a kind may be read now, or no more: whatever was made from its objects is computed again. */
  hearKind(of: GroupKind): void {
    for (const [key, owner] of this.#ownersAbove(of)) {
      const object = this.#config.storeOf(owner.of)?.get(key);
      if (object !== undefined && this.#known.delete(object)) this.#config.onTouched(owner.of, key);
    }
  }

  /**
   * Lets go of a kind that nobody follows any more, while its copy is there still: until somebody does again nothing of it is heard, and its copy
   * may hold the same versions then, so that what is known of these has to go too.
   */
  forgetKind(of: GroupKind): void {
    for (const object of this.#config.storeOf(of)?.list() ?? []) this.#known.delete(object);
    for (const held of [this.#owners, this.#timers]) for (const key of held.get(of)?.keys() ?? []) this.#forget(of, key);
  }

  stop(): void {
    for (const timers of this.#timers.values()) {
      for (const release of timers.values()) release();
      timers.clear();
    }
  }

  #build(): ReaderSet {
    return consoleReaders(this.#config.clock, this.#options, (reader) => this.#once(reader));
  }

  /** A reader of children that computes each version once, however many ask. */
  #once(reader: StatusReader): StatusReader {
    return {
      supports: (of) => reader.supports(of),
      readStatus: (...asked) => reader.readStatus(...asked),
      readStatusForObject: (_signal, _cluster, object) => this.#known.get(object) ?? this.#evaluate(object, reader),
    };
  }

  #evaluate(object: KubeObject, reader: StatusReader): ResourceStatus {
    const selections: Selection[] = [];
    const cluster = new StoreClusterReader(
      this.#config.storeOf,
      (of, namespace, selector) => void selections.push({ of, namespace, selector }),
    );
    const found = this.#config.contain.attempt(
      subjectOf(object),
      () => {
        const read = reader.readStatusForObject(NEVER, cluster, object);
        if (read instanceof Promise) throw new Error('a reader of shared copies answers at once');
        return read;
      },
      (text) => unknownStatus(toObjMetadata(object), { kind: 'compute', text }, object),
    );
    if (this.#known.get(object) === found) return found; // by a reader that judged it itself
    this.#known.set(object, found);
    if (selections.length > 0) this.#selections.set(this.#ownerOf(object), selections);
    this.#config.contain.attempt(
      subjectOf(object),
      () => this.#remind(object, found.status !== 'Current' || mayStopBeingCurrent(object, this.#options)),
      () => undefined, // it holds until the object is another
    );
    return found;
  }

  /** The passage of time alone changes some statuses, for instance that of a pod that no node fits. */
  #remind(object: KubeObject, mayChange: boolean): void {
    const { clock, storeOf, onTouched } = this.#config;
    const of = { group: groupOf(object.apiVersion), kind: object.kind };
    const key = toObjectKey(object.metadata);
    if (storeOf(of)?.get(key) !== object) return; // a version that nobody watches
    this.#cancel(of, key);
    const now = clock.now();
    const end = mayChange ? statusValidUntil(object, now, this.#options) : undefined;
    if (end === undefined) return;
    const timer = clock.schedule(end - now, () => {
      this.#timers.get(of)?.delete(key);
      if (storeOf(of)?.get(key) !== object) return; // gone, or another version
      this.#known.delete(object);
      onTouched(of, key);
      this.#touchOwners(of, object.metadata.namespace ?? '', [object]);
    });
    const timers = this.#timers.get(of) ?? new Map<ObjectKey, Release>();
    this.#timers.set(of, timers);
    timers.set(key, timer);
  }

  #cancel(of: GroupKind, key: ObjectKey): void {
    const timers = this.#timers.get(of);
    timers?.get(key)?.();
    timers?.delete(key);
  }

  #touchOwners(of: GroupKind, namespace: string, states: readonly KubeObject[]): void {
    for (const owner of this.#selections.rootsOf(of, namespace, states)) {
      const object = this.#config.storeOf(owner.of)?.get(owner.key);
      // What is not known was touched already, and everything above it.
      if (object === undefined || !this.#known.delete(object)) continue;
      this.#config.onTouched(owner.of, owner.key);
      this.#touchOwners(owner.of, namespace, [object]);
    }
  }

  #ownerOf({ apiVersion, kind, metadata }: KubeObject): Owner {
    const of = { group: groupOf(apiVersion), kind };
    const key = toObjectKey(metadata);
    const owners = this.#owners.get(of) ?? new Map<ObjectKey, Owner>();
    this.#owners.set(of, owners);
    const owner = owners.get(key) ?? { of, key };
    owners.set(key, owner);
    return owner;
  }

  #forget(of: GroupKind, key: ObjectKey): void {
    this.#cancel(of, key);
    const owner = this.#owners.get(of)?.get(key);
    if (owner === undefined) return;
    this.#selections.set(owner, []);
    this.#owners.get(of)?.delete(key);
  }

  *#ownersAbove({ group, kind }: GroupKind): Iterable<readonly [ObjectKey, Owner]> {
    for (const owners of this.#owners.values()) {
      const [first] = owners.values();
      if (first === undefined || !withKindsBelow(first.of).some((below) => below.kind === kind && below.group === group)) continue;
      yield* owners;
    }
  }
}

function subjectOf({ kind, metadata }: KubeObject): Subject {
  return { what: 'status', kind, key: toObjectKey(metadata), version: metadata.resourceVersion };
}
