import { ANALYTICS_RULES } from './data/analytics';
import { KAFKA_RULES } from './data/kafka';
import { MYSQL_RULES } from './data/mysql';
import { POSTGRES_RULES } from './data/postgres';
import { SEARCH_AND_QUEUE_RULES } from './data/search-and-queues';
import { STORAGE_RULES } from './data/storage';
import { ARGO_CD_RULES } from './delivery/argo-cd';
import { ARGO_ROLLOUTS_RULES } from './delivery/argo-rollouts';
import { ARGO_WORKFLOWS_RULES } from './delivery/argo-workflows';
import { FLUX_RULES } from './delivery/flux';
import { PROGRESSIVE_RULES } from './delivery/progressive';
import { TEKTON_RULES } from './delivery/tekton';
import { POLICY_RULES } from './governance/policies';
import { VENDOR_RULES } from './governance/vendors';
import { CLOUD_RULES } from './infrastructure/clouds';
import { CLUSTER_API_RULES } from './infrastructure/cluster-api';
import { CROSSPLANE_RULES } from './infrastructure/crossplane';
import { CLUSTER_RULES } from './kubernetes/cluster';
import { NETWORKING_RULES } from './kubernetes/networking';
import { WORKLOAD_RULES } from './kubernetes/workloads';
import { GATEWAY_API_RULES } from './networking/gateway-api';
import { INGRESS_CONTROLLER_RULES } from './networking/ingress-controllers';
import { MESH_RULES } from './networking/meshes';
import { GRAFANA_RULES } from './observability/grafana';
import { PROMETHEUS_RULES } from './observability/prometheus';
import { cel, NOT_OBSERVED } from './rows';
import type { StatusRule } from './rule';
import { CERT_MANAGER_RULES } from './secrets/cert-manager';
import { EXTERNAL_SECRETS_RULES } from './secrets/external-secrets';
import { SEALED_SECRETS_RULES } from './secrets/sealed-secrets';
import { BATCH_AND_STREAM_RULES } from './serving/batch-and-streams';
import { KNATIVE_RULES } from './serving/knative';
import { MACHINE_LEARNING_RULES } from './serving/machine-learning';
import { SLIPWAY_RULES } from './slipway/engines';
import { STATUSLESS_RULES } from './statusless';
import { KRUISE_RULES } from './workloads/kruise';
import { KUBEVIRT_RULES } from './workloads/kubevirt';
import { OPENSHIFT_RULES } from './workloads/openshift';

const KEEPS_CONDITIONS = cel('has(object.status.conditions)');

const RULES: readonly StatusRule[] = [
  ...SLIPWAY_RULES,
  ...STATUSLESS_RULES,
  ...WORKLOAD_RULES,
  ...NETWORKING_RULES,
  ...CLUSTER_RULES,
  ...GATEWAY_API_RULES,
  ...INGRESS_CONTROLLER_RULES,
  ...MESH_RULES,
  ...CERT_MANAGER_RULES,
  ...EXTERNAL_SECRETS_RULES,
  ...SEALED_SECRETS_RULES,
  ...ARGO_CD_RULES,
  ...ARGO_ROLLOUTS_RULES,
  ...ARGO_WORKFLOWS_RULES,
  ...TEKTON_RULES,
  ...FLUX_RULES,
  ...PROGRESSIVE_RULES,
  ...KNATIVE_RULES,
  ...MACHINE_LEARNING_RULES,
  ...BATCH_AND_STREAM_RULES,
  ...KRUISE_RULES,
  ...KUBEVIRT_RULES,
  ...OPENSHIFT_RULES,
  ...POSTGRES_RULES,
  ...MYSQL_RULES,
  ...KAFKA_RULES,
  ...SEARCH_AND_QUEUE_RULES,
  ...STORAGE_RULES,
  ...ANALYTICS_RULES,
  ...GRAFANA_RULES,
  ...PROMETHEUS_RULES,
  ...CLUSTER_API_RULES,
  ...CROSSPLANE_RULES,
  ...CLOUD_RULES,
  ...POLICY_RULES,
  ...VENDOR_RULES,
];

/** Kinds that operators meet beside those that kstatus knows. The server turns them on; `compute` by itself does not. */
export const BUILT_IN_RULES: readonly StatusRule[] = RULES.map(openFamily);

/**
 * A family has kinds that nobody has thought of, some without any status. Its last row, which waits for the controller, would wait for
 * ever there, so it holds only where the controller keeps conditions; the readings that serve all kinds tell the rest.
 */
function openFamily(rule: StatusRule): StatusRule {
  if (!rule.kind.endsWith('/*') || rule.rows === undefined) return rule;
  return {
    ...rule,
    rows: rule.rows.map((row) => (row.reason === NOT_OBSERVED ? { ...row, when: [...(row.when ?? []), KEEPS_CONDITIONS] } : row)),
  };
}
