import type { HealthStatus } from '@/lib/contract/health';
import { HEALTH_STATUSES } from '@/lib/contract/health';
import type { KubeObject } from '@/lib/kube/object';
import type { Clock, Release } from '@/server/platform';
import type { ComputeOptions } from '@/server/status';
import { compute, statusHoldsUntil } from '@/server/status';

/** Status and message of one object. */
export interface Health {
  readonly health: HealthStatus;
  readonly message: string;
}

/** The status of an object; `stop` ends what waits for the time of some. */
export type HealthOf = ((object: KubeObject) => Health) & { readonly stop: () => void };

/**
 * Computes statuses once per object version; an object whose status cannot be computed is Unknown and says why. Where time alone
 * changes a status, `onDue` hears of the object at that moment, and it is computed again.
 */
export function createHealthOf(clock: Clock, rules: ComputeOptions = {}, onDue: (object: KubeObject) => void = () => undefined): HealthOf {
  const known = new WeakMap<KubeObject, Health>();
  const timers = new Set<Release>();
  const remindOf = (object: KubeObject) => {
    const now = clock.now();
    const until = statusHoldsUntil(object, now, rules);
    if (until === undefined) return;
    const timer = clock.schedule(until - now, () => {
      timers.delete(timer);
      known.delete(object);
      onDue(object);
    });
    timers.add(timer);
  };
  const healthOf = (object: KubeObject) => {
    const held = known.get(object);
    if (held !== undefined) return held;
    const found = computeHealth(object, clock, rules);
    known.set(object, found);
    if (found.health === 'InProgress') remindOf(object);
    return found;
  };
  return Object.assign(healthOf, {
    stop: () => {
      for (const release of timers) release();
    },
  });
}

function computeHealth(object: KubeObject, clock: Clock, rules: ComputeOptions): Health {
  try {
    const { status, message } = compute(object, clock.now(), rules);
    return { health: status, message };
  } catch (error) {
    return { health: 'Unknown', message: error instanceof Error ? error.message : String(error) };
  }
}

/** Where a status stands between worst (0) and best. */
export function severityOf(health: HealthStatus): number {
  return HEALTH_STATUSES.indexOf(health);
}
