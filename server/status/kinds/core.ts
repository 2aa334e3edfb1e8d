import type { KindRule } from '../kind-rule';
import { stringOr } from '../object-fields';
import { current, inProgress } from '../result';

/** ConfigMap, Secret and CronJob: there is nothing to wait for. */
export const computeAlwaysReady: KindRule = () => current('Resource is always ready');

export const computePersistentVolumeClaim: KindRule = (object) => {
  const phase = stringOr(object, 'status.phase', 'unknown');
  return phase === 'Bound' ? current('PVC is Bound') : inProgress('NotBound', `PVC is not Bound. phase: ${phase}`);
};

/** The address of a load balancer is never looked at, only the cluster's own. */
export const computeService: KindRule = (object) => {
  const type = stringOr(object, 'spec.type', 'ClusterIP');
  if (type === 'LoadBalancer' && stringOr(object, 'spec.clusterIP', '') === '') {
    return inProgress('NoIPAssigned', `ClusterIP not set. Service type: ${type}`);
  }
  return current('Service is ready');
};
