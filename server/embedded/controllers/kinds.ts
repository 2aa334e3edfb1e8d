import type { TypeRef } from '@/lib/kube/object';

const kind = (apiVersion: string, name: string): TypeRef => ({ apiVersion, kind: name });

// The kinds that the controllers know by name.
export const CONFIG_MAP = kind('v1', 'ConfigMap');
export const CRON_JOB = kind('batch/v1', 'CronJob');
export const DAEMON_SET = kind('apps/v1', 'DaemonSet');
export const DEPLOYMENT = kind('apps/v1', 'Deployment');
export const ENDPOINTS = kind('v1', 'Endpoints');
export const ENDPOINT_SLICE = kind('discovery.k8s.io/v1', 'EndpointSlice');
export const EVENT = kind('v1', 'Event');
export const HORIZONTAL_POD_AUTOSCALER = kind('autoscaling/v2', 'HorizontalPodAutoscaler');
export const INGRESS = kind('networking.k8s.io/v1', 'Ingress');
export const INGRESS_CLASS = kind('networking.k8s.io/v1', 'IngressClass');
export const JOB = kind('batch/v1', 'Job');
export const LEASE = kind('coordination.k8s.io/v1', 'Lease');
export const NAMESPACE = kind('v1', 'Namespace');
export const NODE = kind('v1', 'Node');
export const PERSISTENT_VOLUME = kind('v1', 'PersistentVolume');
export const PERSISTENT_VOLUME_CLAIM = kind('v1', 'PersistentVolumeClaim');
export const POD = kind('v1', 'Pod');
export const POD_DISRUPTION_BUDGET = kind('policy/v1', 'PodDisruptionBudget');
export const REPLICA_SET = kind('apps/v1', 'ReplicaSet');
export const SERVICE = kind('v1', 'Service');
export const SERVICE_ACCOUNT = kind('v1', 'ServiceAccount');
export const STATEFUL_SET = kind('apps/v1', 'StatefulSet');
export const STORAGE_CLASS = kind('storage.k8s.io/v1', 'StorageClass');
