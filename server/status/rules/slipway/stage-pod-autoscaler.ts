import type { StatusRule } from '../rule';

export const stagePodAutoscaler: StatusRule = {
  kind: 'serving.knative.dev/StagePodAutoscaler',
  rows: [
    { when: [{ condition: 'Ready', status: 'False' }], status: 'Failed', message: '{condition.message}' },
    { when: [{ condition: 'Ready', status: 'True' }], status: 'Current', message: 'Scale is within its bounds. Replicas: {.status.actualScale|0}' },
    {
      when: [{ condition: 'Ready' }],
      status: 'InProgress',
      message: '{condition.message|Scale is on its way}. Replicas: {.status.actualScale|0}/{.status.desiredScale|.spec.stageMinScale|0}',
    },
    { status: 'InProgress', reason: 'NotObserved', message: 'Scale has not been read' },
  ],
};
