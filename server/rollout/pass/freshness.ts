import type { ObjectKey } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { toInstant } from '@/lib/std/instant';
import type { Store } from '@/server/kube';
import { findStaleness, freshUntil } from '@/server/kube';
import type { StaleKind } from '../model';

/** The copies that a rollout is judged by. */
export interface FreshnessStores {
  readonly deployments: Store;
  readonly horizontalAutoscalers: Store;
  readonly pods: Store;
  readonly autoscalers: Store;
  readonly decisions: Store;
}

/** How well a rollout can be seen. */
export interface Freshness {
  /** What cannot be seen; undefined while everything can. */
  readonly staleKind: StaleKind | undefined;
  /** When it cannot be seen any more unless the cluster is heard of before; undefined for what is watched. */
  readonly until: Instant | undefined;
}

/** Judges, for the namespace and the workloads of one rollout, whether the copies are evidence for how they are now. */
export function evaluateFreshness(stores: FreshnessStores, revisions: readonly ObjectKey[], namespace: string, now: Instant): Freshness {
  const whole = toObjectKey({ namespace, name: '' });
  const parts: readonly (readonly [Store, ObjectKey])[] = [
    ...revisions.map((key) => [stores.deployments, key] as const),
    ...[stores.horizontalAutoscalers, stores.pods, stores.autoscalers, stores.decisions].map((store) => [store, whole] as const),
  ];
  const ends: Instant[] = [];
  for (const [store, key] of parts) {
    const loss = findStaleness(store, key, now);
    if (loss !== undefined) return { staleKind: { of: store.scope.kind, ...loss }, until: undefined };
    const end = freshUntil(store, key);
    if (end !== undefined && end > now) ends.push(end);
  }
  return { staleKind: undefined, until: ends.length === 0 ? undefined : toInstant(Math.min(...ends)) };
}
