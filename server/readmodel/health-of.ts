import type { HealthStatus } from '@/lib/contract/health';
import { HEALTH_STATUSES } from '@/lib/contract/health';
import type { KubeObject } from '@/lib/kube/object';
import type { Clock } from '@/server/platform';
import type { ComputeOptions } from '@/server/status';
import { compute } from '@/server/status';

/** Status and message of one object. */
export interface Health {
  readonly health: HealthStatus;
  readonly message: string;
}

/** Computes statuses once per object version; an object whose status cannot be computed is Unknown and says why. */
export function createHealthOf(clock: Clock, rules: ComputeOptions = {}): (object: KubeObject) => Health {
  const known = new WeakMap<KubeObject, Health>();
  return (object) => {
    const held = known.get(object);
    if (held !== undefined) return held;
    const found = computeHealth(object, clock, rules);
    known.set(object, found);
    return found;
  };
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
