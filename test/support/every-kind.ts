import type { KubeObject } from '@/lib/kube/object';

const LABELS = { app: 'all' };
const CONTAINERS = [{ name: 'a', image: 'registry.example.com/a:1' }];
const template = (restartPolicy: string) => ({ metadata: { labels: LABELS }, spec: { restartPolicy, containers: CONTAINERS } });
const workload = { replicas: 0, selector: { matchLabels: LABELS }, template: template('Always') };
const ofSet = { metadata: { labels: { ...LABELS, of: 'set' } }, spec: { containers: CONTAINERS } };
const job = { template: template('Never') };
const RBAC = 'rbac.authorization.k8s.io/v1';

/** One object of each kind that a grant gives, all of one name, with a note that may change. */
export function everyGrantedKind(note: string): readonly KubeObject[] {
  const kinds: readonly (readonly [apiVersion: string, kind: string, rest: object])[] = [
    ['v1', 'ConfigMap', { data: { a: '1' } }],
    [
      'v1',
      'PersistentVolumeClaim',
      { spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'none', resources: { requests: { storage: '1Gi' } } } },
    ],
    ['v1', 'Pod', { spec: { containers: CONTAINERS } }],
    ['v1', 'Secret', { stringData: { a: '1' } }],
    ['v1', 'ServiceAccount', {}],
    ['v1', 'Service', { spec: { selector: LABELS, ports: [{ port: 80 }] } }],
    ['apps/v1', 'DaemonSet', { spec: { selector: { matchLabels: LABELS }, template: template('Always') } }],
    ['apps/v1', 'Deployment', { spec: workload }],
    ['apps/v1', 'ReplicaSet', { spec: { ...workload, selector: { matchLabels: { ...LABELS, of: 'set' } }, template: ofSet } }],
    ['apps/v1', 'StatefulSet', { spec: { ...workload, serviceName: 'all' } }],
    ['batch/v1', 'CronJob', { spec: { schedule: '0 0 1 1 *', suspend: true, jobTemplate: { spec: job } } }],
    ['batch/v1', 'Job', { spec: { ...job, suspend: true } }],
    [
      'autoscaling/v2',
      'HorizontalPodAutoscaler',
      { spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'none' }, maxReplicas: 2 } },
    ],
    ['policy/v1', 'PodDisruptionBudget', { spec: { minAvailable: 0, selector: { matchLabels: LABELS } } }],
    ['networking.k8s.io/v1', 'Ingress', { spec: { defaultBackend: { service: { name: 'all', port: { number: 80 } } } } }],
    ['networking.k8s.io/v1', 'NetworkPolicy', { spec: { podSelector: { matchLabels: LABELS }, policyTypes: ['Ingress'] } }],
  ];
  return kinds.map(([apiVersion, kind, rest]) => ({ apiVersion, kind, metadata: { name: 'all', annotations: { note } }, ...rest }));
}

/** Kinds of which Helm cannot put one object in the place of another: what the cluster filled in may not change. */
export const FIXED = ['Pod', 'Job'];

/** One object of each kind that the server's role reads and no grant gives, as a namespace and its cluster have them. */
export function everyKindRead(namespace: string): readonly KubeObject[] {
  const here = { name: `${namespace}-read`, namespace };
  const wide = { name: `${namespace}-read` };
  const service = { kind: 'ServiceAccount', name: 'all', namespace };
  return [
    { apiVersion: 'v1', kind: 'Endpoints', metadata: here, subsets: [] },
    {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: here,
      involvedObject: { kind: 'Namespace', name: namespace, namespace },
      reason: 'Looked',
      message: 'a test',
    },
    { apiVersion: 'v1', kind: 'LimitRange', metadata: here, spec: { limits: [] } },
    { apiVersion: 'v1', kind: 'Node', metadata: wide },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: wide,
      spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/none' } },
    },
    { apiVersion: 'v1', kind: 'ReplicationController', metadata: here, spec: { ...workload, selector: LABELS } },
    { apiVersion: 'v1', kind: 'ResourceQuota', metadata: here, spec: { hard: { pods: '100' } } },
    { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: here, revision: 1, data: { spec: {} } },
    { apiVersion: 'networking.k8s.io/v1', kind: 'IngressClass', metadata: wide, spec: { controller: 'example.com/none' } },
    { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata: here, addressType: 'IPv4', endpoints: [] },
    { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: wide, value: 7 },
    { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: wide, provisioner: 'example.com/none' },
    { apiVersion: RBAC, kind: 'ClusterRole', metadata: wide, rules: [] },
    {
      apiVersion: RBAC,
      kind: 'ClusterRoleBinding',
      metadata: wide,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [service],
    },
    { apiVersion: RBAC, kind: 'Role', metadata: here, rules: [] },
    {
      apiVersion: RBAC,
      kind: 'RoleBinding',
      metadata: here,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: here.name },
      subjects: [service],
    },
  ] as readonly KubeObject[];
}
