import type { KindRule } from '../kind-rule';
import { firstRow } from '../kind-rule';
import { hasCondition } from '../object-conditions';
import { intOr } from '../object-fields';
import { current, failed } from '../result';

/** Unset and "explicit infinity" are the same: the controller then never maintains the Progressing condition. */
const NO_DEADLINE = 2_147_483_647;
const DEADLINE_EXCEEDED = 'ProgressDeadlineExceeded';

export const computeDeployment: KindRule = (object, conditions) => {
  const late = conditions.find(({ type, reason }) => type === 'Progressing' && reason === DEADLINE_EXCEEDED);
  if (late !== undefined) return failed(DEADLINE_EXCEEDED, 'Progress deadline exceeded', late.message);

  const progressing =
    intOr(object, 'spec.progressDeadlineSeconds', NO_DEADLINE) === NO_DEADLINE ||
    conditions.some(({ type, status, reason }) => type === 'Progressing' && status === 'True' && reason === 'NewReplicaSetAvailable');
  const wanted = intOr(object, 'spec.replicas', 1);
  const replicas = intOr(object, 'status.replicas', 0);
  const updated = intOr(object, 'status.updatedReplicas', 0);
  const ready = intOr(object, 'status.readyReplicas', 0);
  const available = intOr(object, 'status.availableReplicas', 0);
  return (
    firstRow([
      { when: wanted > replicas, reason: 'LessReplicas', message: `Replicas: ${replicas}/${wanted}` },
      { when: wanted > updated, reason: 'LessUpdated', message: `Updated: ${updated}/${wanted}` },
      { when: replicas > wanted, reason: 'ExtraPods', message: `Pending termination: ${replicas - wanted}` },
      { when: updated > available, reason: 'LessAvailable', message: `Available: ${available}/${updated}` },
      { when: wanted > ready, reason: 'LessReady', message: `Ready: ${ready}/${wanted}` },
      { when: !progressing, reason: 'ReplicaSetNotAvailable', message: 'ReplicaSet not Available' },
      { when: !hasCondition(conditions, 'Available', 'True'), reason: 'DeploymentNotAvailable', message: 'Deployment not Available' },
    ]) ?? current(`Deployment is available. Replicas: ${replicas}`)
  );
};
