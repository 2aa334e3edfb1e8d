import type { KindRule } from '../kind-rule';
import { firstRow } from '../kind-rule';
import { hasCondition } from '../object-conditions';
import { intOr } from '../object-fields';
import { current } from '../result';

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
