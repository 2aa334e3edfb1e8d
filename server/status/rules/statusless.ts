import type { StatusRule } from './rule';

/**
 * Kinds that hold settings for others to read. Their objects have no status, at most one that a controller may add, so one without is
 * current from the moment it is written.
 */
const SETTINGS: Readonly<Record<string, readonly string[]>> = {
  'access.smi-spec.io': ['*'],
  'aquasecurity.github.io': ['*'],
  'argoproj.io': ['AppProject', 'WorkflowTemplate', 'ClusterWorkflowTemplate', 'AnalysisTemplate', 'ClusterAnalysisTemplate'],
  'autoscaling.k8s.io': ['VerticalPodAutoscalerCheckpoint'],
  'cilium.io': [
    'CiliumNetworkPolicy',
    'CiliumClusterwideNetworkPolicy',
    'CiliumEnvoyConfig',
    'CiliumClusterwideEnvoyConfig',
    'CiliumIdentity',
    'CiliumCIDRGroup',
  ],
  'configuration.konghq.com': ['KongPlugin', 'KongClusterPlugin', 'KongIngress'],
  'console.openshift.io': ['*'],
  'crd.projectcalico.org': ['*'],
  'elbv2.k8s.aws': ['IngressClassParams'],
  'flagger.app': ['MetricTemplate', 'AlertProvider'],
  'gateway.envoyproxy.io': ['EnvoyProxy', 'HTTPRouteFilter'],
  'gateway.networking.k8s.io': ['ReferenceGrant'],
  'generators.external-secrets.io': ['*'],
  'groupsnapshot.storage.k8s.io': ['VolumeGroupSnapshotClass'],
  'helm.cattle.io': ['HelmChartConfig'],
  'k8s.cni.cncf.io': ['NetworkAttachmentDefinition'],
  'karpenter.k8s.aws': ['AWSNodeTemplate'],
  'keda.sh': ['TriggerAuthentication', 'ClusterTriggerAuthentication'],
  'kueue.x-k8s.io': ['ResourceFlavor', 'WorkloadPriorityClass', 'Topology'],
  'metallb.io': ['L2Advertisement', 'BGPAdvertisement', 'BGPPeer', 'BFDProfile', 'Community', 'IPAddressPool'],
  'mutations.gatekeeper.sh': ['*'],
  'networking.gke.io': ['FrontendConfig'],
  'policy.karmada.io': ['PropagationPolicy', 'ClusterPropagationPolicy', 'OverridePolicy', 'ClusterOverridePolicy'],
  'projectcalico.org': ['*'],
  'projectcontour.io': ['TLSCertificateDelegation'],
  'secrets-store.csi.x-k8s.io': ['SecretProviderClass'],
  'security.openshift.io': ['*'],
  'snapshot.storage.k8s.io': ['VolumeSnapshotClass'],
  'specs.smi-spec.io': ['*'],
  'split.smi-spec.io': ['*'],
  'tekton.dev': ['Task', 'ClusterTask', 'Pipeline', 'StepAction'],
  'template.openshift.io': ['Template'],
  'traefik.containo.us': ['*'],
  'traefik.io': ['*'],
  'triggers.tekton.dev': ['TriggerTemplate', 'TriggerBinding', 'ClusterTriggerBinding', 'Trigger'],
  'wgpolicyk8s.io': ['*'],
};

export const STATUSLESS_RULES: readonly StatusRule[] = Object.entries(SETTINGS).flatMap(([group, kinds]) =>
  kinds.map((kind) => ({ kind: `${group}/${kind}`, statusless: true })),
);
