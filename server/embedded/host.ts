import type { KubeObject, ObjectKey, TypeRef } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';
import type { Clock, Ids, Log, Random, Release } from '@/server/platform';

/** A committed change. Type carries the storage version of the kind. */
export interface HostChange {
  readonly type: TypeRef;
  readonly key: ObjectKey;
  readonly before: KubeObject | undefined;
  readonly after: KubeObject | undefined;
}

/**
 * What the simulated controllers stand on: the port for writes, and reads straight from the committed store.
 *
 * 1. Objects handed out are frozen; a controller copies what it changes.
 * 2. `onChange` is called once per committed change, in order, before the write's promise resolves.
 * 3. Any served version of a kind names it.
 */
export interface ControllerHost {
  /** The port as the controller manager: all rights. */
  readonly cluster: Cluster;
  /** The same for another component of the cluster, which fields are said to be set by: `kubelet`. */
  as(component: string): ControllerHost;
  readonly clock: Clock;
  readonly random: Random;
  readonly ids: Ids;
  readonly log: Log;
  get(type: TypeRef, key: ObjectKey): KubeObject | undefined;
  list(type: TypeRef, namespace?: string): readonly KubeObject[];
  /** Every object, of any kind, that names the uid among its owners. */
  ownedBy(uid: string): readonly KubeObject[];
  /** The object with that uid, of any kind. */
  byUid(uid: string): KubeObject | undefined;
  /** Every kind that has objects, at its storage version. */
  types(): readonly TypeRef[];
  onChange(handler: (change: HostChange) => void): Release;
}
