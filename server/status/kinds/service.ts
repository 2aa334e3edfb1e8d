import type { KindRule } from '../kind-rule';
import { stringOr } from '../object-fields';
import { current, inProgress } from '../result';

/** The address of a load balancer is never looked at, only the cluster's own. */
export const computeService: KindRule = (object) => {
  const type = stringOr(object, 'spec.type', 'ClusterIP');
  if (type === 'LoadBalancer' && stringOr(object, 'spec.clusterIP', '') === '') {
    return inProgress('NoIPAssigned', `ClusterIP not set. Service type: ${type}`);
  }
  return current('Service is ready');
};
