import type { TypeRef } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';

/** What the cluster tells of a kind, for objects that have no status. */
export interface KindFacts {
  /** Whether data of ours names the kind as one whose objects have no status. */
  readonly statusless: boolean;
  /** Undefined where there is no cluster to ask. */
  readonly cluster?: ClusterFacts | undefined;
  readonly now: Instant;
  /** Hears when time alone will tell otherwise. */
  readonly wake?: ((at: Instant) => void) | undefined;
}

/** Answers from what the server holds anyway; nothing is asked of the cluster for one object. */
export interface ClusterFacts {
  /** Whether the kind's definition declares a status; undefined when nobody can tell, `asked` while it is being read. */
  readonly declaresStatus: (type: TypeRef) => boolean | 'asked' | undefined;
  /** Whether any object of the kind has a status, and since when the oldest one is there; undefined while the kind is not held. */
  readonly statusOfKind: (type: TypeRef) => KindStatus | undefined;
}

/** What is known of all objects of a kind together. */
export interface KindStatus {
  readonly anyStatus: boolean;
  readonly oldest: Instant | undefined;
}
