import type { Fields } from '@/lib/kube/fields';
import { isFields } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { parseKubeTime, toInstant } from '@/lib/std/instant';
import type { KindRule, RecheckAt } from '../kind-rule';
import type { BasicCondition } from '../object-conditions';
import { hasCondition } from '../object-conditions';
import { strictList, stringOr } from '../object-fields';
import type { ComputeResult } from '../result';
import { ComputeError, current, failed, inProgress } from '../result';

/** How long after its creation a pod may stay unscheduled, since an autoscaler may be adding a node. */
export const SCHEDULE_WINDOW_MS = 15_000;

export const computePod: KindRule = (object, conditions, now, wake) => {
  const phase = stringOr(object, 'status.phase', '');
  switch (phase) {
    case 'Succeeded':
      return current('Pod has completed successfully');
    case 'Failed':
      return current('Pod has completed, but not successfully');
    case 'Running':
      return computeRunning(object, conditions);
    case 'Pending':
      return isUnschedulable(conditions) ? computeUnscheduled(object, now, wake) : inProgress('PodPending', 'Pod is in the Pending phase');
    case '':
      return inProgress('PodNotObserved', 'Pod phase not available');
    default:
      throw new ComputeError(`unknown phase ${phase}`);
  }
};

function computeRunning(object: KubeObject, conditions: readonly BasicCondition[]): ComputeResult {
  if (hasCondition(conditions, 'Ready', 'True')) return current('Pod is Ready');
  const looping = strictList(object, 'status.containerStatuses').flatMap((entry, index) => {
    const container = requireMap(entry, `status.containerStatuses[${index}]`);
    return isCrashLooping(container, index) ? [String(container.name)] : [];
  });
  if (looping.length > 0) return failed('ContainerCrashLooping', `Containers in CrashLoop state: ${looping.join(',')}`);
  return inProgress('PodRunningNotReady', 'Pod is running but is not Ready');
}

function isCrashLooping(container: Fields, index: number): boolean {
  const at = `status.containerStatuses[${index}]`;
  if (container.name === undefined) return false;
  requireString(container.name, `${at}.name`);
  if (container.state === undefined) return false;
  const { waiting } = requireMap(container.state, `${at}.state`);
  if (waiting === undefined) return false;
  const { reason } = requireMap(waiting, `${at}.state.waiting`);
  return reason !== undefined && requireString(reason, `${at}.state.waiting.reason`) === 'CrashLoopBackOff';
}

function computeUnscheduled(object: KubeObject, now: Instant, wake: RecheckAt | undefined): ComputeResult {
  const createdAt = parseKubeTime(object.metadata?.creationTimestamp);
  // No creation time, and one that is no time, is the distant past.
  if (createdAt === undefined || createdAt <= now - SCHEDULE_WINDOW_MS) return failed('PodUnschedulable', 'Pod could not be scheduled');
  wake?.(toInstant(createdAt + SCHEDULE_WINDOW_MS));
  return inProgress('PodNotScheduled', 'Pod has not been scheduled');
}

/** True when the scheduler has said that no node fits. */
export function isUnschedulable(conditions: readonly BasicCondition[]): boolean {
  return conditions.find(({ type, status }) => type === 'PodScheduled' && status === 'False')?.reason === 'Unschedulable';
}

function requireMap(value: unknown, at: string): Fields {
  if (!isFields(value)) throw new ComputeError(`${at} must be a map, found ${JSON.stringify(value)}`);
  return value;
}

function requireString(value: unknown, at: string): string {
  if (typeof value !== 'string') throw new ComputeError(`${at} must be a string, found ${JSON.stringify(value)}`);
  return value;
}
