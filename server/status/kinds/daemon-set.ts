import type { KindRule } from '../kind-rule';
import { firstRow } from '../kind-rule';
import { intOr, strictInt } from '../object-fields';
import { current, inProgress } from '../result';

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
