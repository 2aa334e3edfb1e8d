import { messageOf } from '@/lib/contract/app-error';
import type { KubeObject, ObjectKey, TypeRef } from '@/lib/kube/object';
import { groupOf } from '@/lib/kube/object';
import type { Release } from '@/server/platform';
import type { ControllerHost, HostChange } from '../host';
import type { RequeueAfterMs } from './key-queue';
import { KeyQueue } from './key-queue';

/** A change as controllers see it; at start every object comes once as if it had just appeared. */
export type ObservedChange = Pick<HostChange, 'key' | 'before' | 'after'>;

export interface Watch {
  readonly type: TypeRef;
  /** Keys of the reconciled kind that the change concerns; the object's own when absent. */
  readonly keysOf?: (change: ObservedChange) => readonly ObjectKey[];
}

export interface LoopSpec {
  readonly name: string;
  readonly watches: readonly Watch[];
  readonly workers?: number;
  readonly reconcile: (key: ObjectKey) => Promise<RequeueAfterMs>;
  /** Releases what the reconciler follows besides, once the loop stops. */
  readonly onStop?: Release;
}

/** A running controller. */
export interface Loop extends AsyncDisposable {
  add(key: ObjectKey): void;
  addAfter(key: ObjectKey, delayMs: number): void;
}

/** True when both name the same kind, in whatever version. */
export function isSameKind(left: TypeRef, right: TypeRef): boolean {
  return left.kind === right.kind && groupOf(left.apiVersion) === groupOf(right.apiVersion);
}

/** Hears the changes of one kind, and at once every object that exists, as if it had just appeared. */
export function follow(host: ControllerHost, type: TypeRef, handler: (change: ObservedChange) => void): Release {
  const release = host.onChange((change) => {
    if (!isSameKind(change.type, type)) return;
    try {
      handler(change);
    } catch (error) {
      // The write is committed whatever a listener makes of it: neither the writer nor other listeners may suffer.
      host.log.error({ kind: type.kind, key: change.key, error: messageOf(error) }, 'listener failed');
    }
  });
  for (const object of host.list(type)) handler({ key: keyOf(object), before: undefined, after: object });
  return release;
}

/** Starts a loop: one queue, fed by the changes of the kinds it watches. */
export function startLoop(host: ControllerHost, spec: LoopSpec): Loop {
  const { name, reconcile, workers = 1, onStop } = spec;
  const queue = new KeyQueue({ name, clock: host.clock, log: host.log, workers, work: reconcile });
  const releases = spec.watches.map(({ type, keysOf }) =>
    follow(host, type, (change) => {
      for (const key of keysOf?.(change) ?? [change.key]) queue.add(key);
    }),
  );
  return {
    add: (key) => queue.add(key),
    addAfter: (key, delayMs) => queue.addAfter(key, delayMs),
    async [Symbol.asyncDispose]() {
      for (const release of releases) release();
      onStop?.();
      await queue[Symbol.asyncDispose]();
    },
  };
}

/** The key of an object inside its kind. */
export function keyOf(object: KubeObject): ObjectKey {
  const { namespace, name = '' } = object.metadata;
  return namespace ? `${namespace}/${name}` : name;
}

/** Keys of the controlling owners of one kind, before and after the change. */
export function controllersOf(owner: TypeRef): (change: ObservedChange) => readonly ObjectKey[] {
  return ({ before, after }) => {
    const keys = new Set<ObjectKey>();
    for (const object of [before, after]) {
      const reference = object?.metadata.ownerReferences?.find((entry) => entry.controller === true);
      if (object && reference && isSameKind(reference, owner)) keys.add(`${object.metadata.namespace ?? ''}/${reference.name}`);
    }
    return [...keys];
  };
}
