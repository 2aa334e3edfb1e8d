import type { KubeObject } from '@/lib/kube/object';
import type { KindRule } from '../kind-rule';
import { firstRow } from '../kind-rule';
import { hasCondition } from '../object-conditions';
import { intOr, strictInt, stringOr } from '../object-fields';
import type { ComputeResult } from '../result';
import { current, failed, inProgress } from '../result';

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

export const computeReplicaSet: KindRule = (object, conditions) => {
  const wanted = intOr(object, 'spec.replicas', 1);
  const replicas = intOr(object, 'status.replicas', 0);
  const labelled = intOr(object, 'status.fullyLabeledReplicas', 0);
  const available = intOr(object, 'status.availableReplicas', 0);
  const ready = intOr(object, 'status.readyReplicas', 0);
  return (
    firstRow([
      {
        when: hasCondition(conditions, 'ReplicaFailure', 'True'),
        reason: 'ReplicaFailure',
        message: 'Replica Failure condition. Check Pods',
      },
      { when: wanted > labelled, reason: 'LessLabelled', message: `Labelled: ${labelled}/${wanted}` },
      { when: wanted > available, reason: 'LessAvailable', message: `Available: ${available}/${wanted}` },
      { when: wanted > ready, reason: 'LessReady', message: `Ready: ${ready}/${wanted}` },
      { when: replicas > wanted, reason: 'ExtraPods', message: `Pending termination: ${replicas - wanted}` },
    ]) ?? current(`ReplicaSet is available. Replicas: ${replicas}`)
  );
};

const NO_PARTITION = -1;

export const computeStatefulSet: KindRule = (object) => {
  if (stringOr(object, 'spec.updateStrategy.type', '') === 'OnDelete') return current('StatefulSet is using the ondelete update strategy');
  const wanted = intOr(object, 'spec.replicas', 1);
  const replicas = intOr(object, 'status.replicas', 0);
  const ready = intOr(object, 'status.readyReplicas', 0);
  const partition = intOr(object, 'spec.updateStrategy.rollingUpdate.partition', NO_PARTITION);
  const missing = firstRow([
    { when: wanted > replicas, reason: 'LessReplicas', message: `Replicas: ${replicas}/${wanted}` },
    { when: wanted > ready, reason: 'LessReady', message: `Ready: ${ready}/${wanted}` },
    { when: replicas > wanted, reason: 'ExtraPods', message: `Pending termination: ${replicas - wanted}` },
  ]);
  if (missing !== undefined) return missing;
  // The API server defaults the partition to 0, and 0 is a partition: this is the branch live clusters take.
  if (partition !== NO_PARTITION) return computePartition(object, wanted - partition);

  const currentReplicas = intOr(object, 'status.currentReplicas', 0);
  return (
    firstRow([
      { when: wanted > currentReplicas, reason: 'LessCurrent', message: `current: ${currentReplicas}/${wanted}` },
      {
        when: stringOr(object, 'status.currentRevision', '') !== stringOr(object, 'status.updateRevision', ''),
        reason: 'RevisionMismatch',
        message: 'Waiting for updated revision to match current',
      },
    ]) ?? current(`All replicas scheduled as expected. Replicas: ${replicas}`)
  );
};

function computePartition(object: KubeObject, toUpdate: number): ComputeResult {
  const updated = intOr(object, 'status.updatedReplicas', 0);
  if (updated < toUpdate) return inProgress('PartitionRollout', `updated: ${updated}/${toUpdate}`);
  return current(`Partition rollout complete. updated: ${updated}`);
}

/** A missing generation holds a DaemonSet in progress, since the generic rule skips the comparison then. */
export const computeDaemonSet: KindRule = (object) => {
  if (strictInt(object, 'metadata.generation') === undefined) {
    return inProgress('NoGeneration', `${object.kind} metadata.generation not found`);
  }
  if (strictInt(object, 'status.observedGeneration') === undefined) {
    return inProgress('NoObservedGeneration', `${object.kind} status.observedGeneration not found`);
  }
  const desired = intOr(object, 'status.desiredNumberScheduled', -1);
  const scheduled = intOr(object, 'status.currentNumberScheduled', 0);
  const updated = intOr(object, 'status.updatedNumberScheduled', 0);
  const available = intOr(object, 'status.numberAvailable', 0);
  const ready = intOr(object, 'status.numberReady', 0);
  return (
    firstRow([
      { when: desired === -1, reason: 'NoDesiredNumber', message: 'Missing .status.desiredNumberScheduled' },
      { when: desired > scheduled, reason: 'LessCurrent', message: `Current: ${scheduled}/${desired}` },
      { when: desired > updated, reason: 'LessUpdated', message: `Updated: ${updated}/${desired}` },
      { when: desired > available, reason: 'LessAvailable', message: `Available: ${available}/${desired}` },
      { when: desired > ready, reason: 'LessReady', message: `Ready: ${ready}/${desired}` },
    ]) ?? current(`All replicas scheduled as expected. Replicas: ${desired}`)
  );
};
