import type { ObjectKey } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { withKindsBelow } from '../cluster/generated-kinds';
import type { GroupKind, ObjMetadata } from '../identifier';
import { KindMap } from '../identifier-map';
import type { ResourceStatus } from '../resource-status';

/** Names an object; where the version is known too, its kind need not be looked up. */
export interface WatchedObject extends ObjMetadata {
  readonly apiVersion?: string;
}

/**
 * Hears the status of an object when it is known first and whenever it is another. `before` is what was told last; the first time what had been
 * read of the object meanwhile, undefined where nobody had read it.
 */
export type StatusListener = (status: ResourceStatus, before: ResourceStatus | undefined) => void;

/** The objects that one watches; changed as a whole. */
export interface StatusSubscription {
  set(objects: Iterable<WatchedObject>): void;
  release(): void;
}

/** Where statuses are subscribed to. */
export interface StatusSource {
  /** Opens a subscription that watches nothing yet. */
  subscribe(listener: StatusListener): StatusSubscription;
  /** What was told last of an object that is watched; undefined while that is being found out. */
  latest(identifier: ObjMetadata): ResourceStatus | undefined;
}

/** An object that somebody watches. */
export interface Root {
  readonly identifier: ObjMetadata;
  readonly key: ObjectKey;
  readonly listeners: Set<StatusListener>;
  /** When somebody began to watch it. */
  readonly since: Instant;
  told: ResourceStatus | undefined;
  /** What was read of it last before anything was told: whoever read it has to hear where that is another by then. */
  read: ResourceStatus | undefined;
}

/** The objects that are watched, each once however many watch it. */
export class Roots {
  readonly #byKind = new KindMap<Map<ObjectKey, Root>>();

  get(of: GroupKind, key: ObjectKey): Root | undefined {
    return this.#byKind.get(of)?.get(key);
  }

  /** Those of a kind, and those whose status is made from objects of it. */
  *above({ group, kind }: GroupKind): Iterable<Root> {
    for (const roots of this.#byKind.values()) {
      const [first] = roots.values();
      if (first !== undefined && withKindsBelow(first.identifier).some((of) => of.group === group && of.kind === kind))
        yield* roots.values();
    }
  }

  *all(): Iterable<Root> {
    for (const roots of this.#byKind.values()) yield* roots.values();
  }

  add({ group, kind, namespace, name }: ObjMetadata, since: Instant): Root {
    const root: Root = {
      identifier: { group, kind, namespace, name },
      key: toObjectKey({ namespace, name }),
      listeners: new Set(),
      since,
      told: undefined,
      read: undefined,
    };
    const roots = this.#byKind.get(root.identifier) ?? new Map<ObjectKey, Root>();
    this.#byKind.set(root.identifier, roots);
    roots.set(root.key, root);
    return root;
  }

  remove({ identifier, key }: Root): void {
    this.#byKind.get(identifier)?.delete(key);
  }
}
