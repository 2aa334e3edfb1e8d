import { z } from 'zod';

/** Status of an object or a set of objects, in the words of kstatus. */
export const HEALTH_STATUSES = ['Failed', 'Unknown', 'Terminating', 'InProgress', 'NotFound', 'Current'] as const;
export type HealthStatus = (typeof HEALTH_STATUSES)[number];

/** Where a status stands between worst (0) and best. */
export function severityOf(health: HealthStatus): number {
  return HEALTH_STATUSES.indexOf(health);
}

/** Other readings of built-in kinds, which an operator may turn on by name. */
export const STATUS_POLICIES = ['await-first-consumer'] as const;
/** Policies of the last release whose readings are rules by now: taken for one release more, and without effect. */
export const FORMER_STATUS_POLICIES = ['load-balancer-address', 'image-pull-failure'] as const;
export type StatusPolicy = (typeof STATUS_POLICIES)[number];

/** What an application or rollout is doing; a second axis beside health. */
export const ACTIVITIES = ['idle', 'rolling-out', 'waiting', 'paused', 'aborting', 'aborted', 'deleting', 'held', 'suspended'] as const;
export type Activity = (typeof ACTIVITIES)[number];

export const health = z.enum(HEALTH_STATUSES);
export const activity = z.enum(ACTIVITIES);
