import type { KubeObject } from '@/lib/kube/object';
import type { KindRule } from '../kind-rule';
import { firstRow } from '../kind-rule';
import { intOr, stringOr } from '../object-fields';
import type { ComputeResult } from '../result';
import { current, inProgress } from '../result';

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
