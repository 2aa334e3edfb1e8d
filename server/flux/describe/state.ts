import type { HealthStatus } from '@/lib/contract/health';
import type { ReleaseState } from '@/lib/contract/release-state';
import { getCondition } from '@/lib/kube/condition';
import { readBoolean } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';

/** Whether its controller is told to leave an object alone. */
export function isSuspended(object: KubeObject): boolean {
  return readBoolean(object, 'spec', 'suspend') === true;
}

/** How an object of Flux stands: the verdict of the status engine, in the words of the table of releases. */
export function toState(object: KubeObject, verdict: HealthStatus): ReleaseState {
  switch (verdict) {
    case 'Failed':
      return isRolledBack(object) ? 'rolled-back' : 'failed';
    case 'Current':
      return isSuspended(object) ? 'suspended' : 'in-sync';
    case 'InProgress':
      return isSuspended(object) ? 'suspended' : 'changing';
    case 'Terminating':
      return 'changing';
    case 'NotFound':
    case 'Unknown':
      return 'unknown';
  }
}

/** Flux tells what it took back by a condition of its own, and why it did by Ready. */
function isRolledBack(object: KubeObject): boolean {
  const remediated = getCondition(object, 'Remediated');
  return remediated?.status === 'True' && remediated.reason === 'RollbackSucceeded';
}
