import { definitionRules } from '../definitions/definition-rules';
import { claimRules, configMapRules, namespaceRules, secretRules } from './configuration';
import {
  admissionPolicyRules,
  autoscalerRules,
  bindingRules,
  budgetRules,
  endpointSliceRules,
  endpointsRules,
  eventRules,
  ingressRules,
  leaseRules,
  networkPolicyRules,
  nodeRules,
  priorityClassRules,
  roleRules,
  storageClassRules,
  volumeRules,
} from './others';
import { podRules } from './pods';
import type { KindRules } from './rules';
import { serviceRules } from './services';
import {
  cronJobRules,
  daemonSetRules,
  deploymentRules,
  jobRules,
  podTemplateRules,
  replicaSetRules,
  replicationControllerRules,
  statefulSetRules,
} from './workloads';

const RULES: Readonly<Record<string, KindRules>> = {
  pods: podRules,
  services: serviceRules,
  configmaps: configMapRules,
  secrets: secretRules,
  namespaces: namespaceRules,
  nodes: nodeRules,
  endpoints: endpointsRules,
  events: eventRules,
  podtemplates: podTemplateRules,
  persistentvolumeclaims: claimRules,
  persistentvolumes: volumeRules,
  replicationcontrollers: replicationControllerRules,
  'deployments.apps': deploymentRules,
  'replicasets.apps': replicaSetRules,
  'statefulsets.apps': statefulSetRules,
  'daemonsets.apps': daemonSetRules,
  'jobs.batch': jobRules,
  'cronjobs.batch': cronJobRules,
  'horizontalpodautoscalers.autoscaling': autoscalerRules,
  'ingresses.networking.k8s.io': ingressRules,
  'networkpolicies.networking.k8s.io': networkPolicyRules,
  'poddisruptionbudgets.policy': budgetRules,
  'endpointslices.discovery.k8s.io': endpointSliceRules,
  'leases.coordination.k8s.io': leaseRules,
  'storageclasses.storage.k8s.io': storageClassRules,
  'priorityclasses.scheduling.k8s.io': priorityClassRules,
  'roles.rbac.authorization.k8s.io': roleRules,
  'clusterroles.rbac.authorization.k8s.io': roleRules,
  'rolebindings.rbac.authorization.k8s.io': bindingRules,
  'clusterrolebindings.rbac.authorization.k8s.io': bindingRules,
  'customresourcedefinitions.apiextensions.k8s.io': definitionRules,
  'validatingadmissionpolicies.admissionregistration.k8s.io': admissionPolicyRules,
};

const PLAIN: KindRules = {};

/** What sets a built-in kind apart, by its table. */
export function rulesOf(storage: string): KindRules {
  return RULES[storage] ?? PLAIN;
}
