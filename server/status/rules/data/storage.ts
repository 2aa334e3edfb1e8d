import { phaseRows, summaryRows } from '../readings';
import { below, cel, currentIf, failedIf, has, is, progressingIf, rulesFor, unobserved } from '../rows';
import type { RuleRow, StatusRule } from '../rule';

/** States of a MinIO tenant that somebody must mend. */
const TENANT_BROKEN = [
  'Statefulset not controlled by operator',
  'Another MinIO Tenant already exists in the namespace',
  'Tenant credentials are not set properly',
  'Different versions across MinIO Pools',
  'Pool Decommissioning Not Allowed',
];

const SNAPSHOT_ROWS: readonly RuleRow[] = [
  failedIf(
    [has('.status.error.message'), cel('!has(object.status.readyToUse) || object.status.readyToUse == false')],
    '{.status.error.message}',
    'SnapshotFailed',
  ),
  currentIf(is('.status.readyToUse', true), '{.kind} is ready to use. Size: {.status.restoreSize|unknown}'),
  progressingIf(is('.status.readyToUse', false), '{.kind} is not ready to use', 'NotReadyToUse'),
  unobserved('the snapshot controller'),
];

const ROOK = {
  by: 'Rook',
  current: ['Ready', 'Connected', 'Created'],
  failed: ['Failure', 'ReconcileFailed', 'Error', 'ConnectionFailure', 'Failed'],
};

const VELERO = {
  by: 'Velero',
  failed: ['Failed', 'PartiallyFailed', 'FailedValidation', 'WaitingForPluginOperationsPartiallyFailed', 'FinalizingPartiallyFailed'],
};

export const STORAGE_RULES: readonly StatusRule[] = [
  ...rulesFor('snapshot.storage.k8s.io', ['VolumeSnapshot', 'VolumeSnapshotContent'], SNAPSHOT_ROWS),
  ...rulesFor('groupsnapshot.storage.k8s.io', ['VolumeGroupSnapshot', 'VolumeGroupSnapshotContent'], SNAPSHOT_ROWS),
  {
    kind: 'minio.min.io/Tenant',
    rows: [
      failedIf(is('.status.currentState', ...TENANT_BROKEN), '{.status.currentState}', 'Broken'),
      failedIf(is('.status.healthStatus', 'red'), 'Tenant has health red. {.status.healthMessage|.status.currentState}', 'HealthRed'),
      progressingIf(
        is('.status.healthStatus', 'yellow'),
        'Tenant has health yellow. {.status.healthMessage|.status.currentState}',
        'HealthYellow',
      ),
      currentIf(is('.status.currentState', 'Initialized'), 'Tenant is initialized. Drives online: {.status.drivesOnline|unknown}'),
      progressingIf(has('.status.currentState'), '{.status.currentState}', 'Changing'),
      unobserved('the MinIO operator'),
    ],
  },
  {
    kind: 'ceph.rook.io/CephCluster',
    rows: [
      failedIf(is('.status.state', 'Error'), '{.status.message|CephCluster is in state Error}', 'Error'),
      failedIf(
        is('.status.ceph.health', 'HEALTH_ERR', 'HEALTH_WARN'),
        'Ceph says {.status.ceph.health}. {.status.ceph.details[*].message}',
        '{.status.ceph.health}',
      ),
      currentIf(is('.status.ceph.health', 'HEALTH_OK'), 'Ceph says HEALTH_OK. {.status.message}'),
      progressingIf(has('.status.state'), 'CephCluster is {.status.state}. {.status.message}', '{.status.state}'),
      unobserved('Rook'),
    ],
  },
  { kind: 'ceph.rook.io/*', rows: [...phaseRows({ ...ROOK, says: '.status.message' })] },
  {
    kind: 'cassandra.rook.io/Cluster',
    rows: [
      progressingIf(
        cel('object.status.racks.exists(rack, object.status.racks[rack].readyMembers < object.status.racks[rack].members)'),
        'Ready members by rack: {.status.racks[*].readyMembers} of {.status.racks[*].members}',
        'LessReady',
      ),
      currentIf(has('.status.racks'), 'All members are ready: {.status.racks[*].readyMembers}'),
      unobserved('Rook'),
    ],
  },
  {
    kind: 'objectbucket.io/ObjectBucketClaim',
    rows: [...phaseRows({ by: 'a bucket provisioner', current: ['Bound'], failed: ['Failed'] })],
  },
  {
    kind: 'longhorn.io/Volume',
    rows: [
      failedIf(is('.status.robustness', 'faulted'), 'Volume is faulted', 'Faulted'),
      progressingIf(is('.status.robustness', 'degraded'), 'Volume is degraded: replicas are missing', 'Degraded'),
      ...phaseRows({ by: 'Longhorn', at: '.status.state', current: ['attached', 'detached'], failed: [] }).slice(1),
    ],
  },
  {
    kind: 'velero.io/BackupStorageLocation',
    rows: [...phaseRows({ by: 'Velero', current: ['Available'], failed: ['Unavailable'], says: '.status.message' })],
  },
  { kind: 'velero.io/Schedule', rows: [...phaseRows({ ...VELERO, current: ['Enabled'], says: '.status.validationErrors[*]' })] },
  ...rulesFor(
    'velero.io',
    ['Backup', 'Restore', 'PodVolumeBackup', 'PodVolumeRestore', 'DataUpload', 'DataDownload'],
    phaseRows({ ...VELERO, current: ['Completed'], says: '.status.failureReason|.status.validationErrors[*]|.status.message' }),
  ),
  {
    kind: 'trident.netapp.io/TridentBackendConfig',
    rows: [
      failedIf(is('.status.lastOperationStatus', 'Failed'), '{.status.message|The last operation failed}', 'Failed'),
      progressingIf(
        is('.status.phase', 'Lost', 'Deleting', 'Unbound'),
        'TridentBackendConfig is {.status.phase}. {.status.message}',
        '{.status.phase}',
      ),
      currentIf(
        [is('.status.lastOperationStatus', 'Success'), is('.status.phase', 'Bound')],
        'TridentBackendConfig is Bound to {.status.backendInfo.backendName|a backend}',
      ),
      progressingIf(has('.status.lastOperationStatus'), '{.status.message|.status.lastOperationStatus}', '{.status.lastOperationStatus}'),
      unobserved('Trident'),
    ],
  },
  {
    kind: 'trident.netapp.io/TridentOrchestrator',
    rows: [
      ...phaseRows({ by: 'Trident', at: '.status.status', current: ['Installed'], failed: ['Failed', 'Error'], says: '.status.message' }),
    ],
  },
  {
    kind: 'astra.netapp.io/ExecHook',
    rows: [
      progressingIf(is('.spec.enabled', false), 'ExecHook is disabled', 'Disabled'),
      currentIf(is('.spec.enabled', true), 'ExecHook is enabled'),
      unobserved('Astra Control'),
    ],
  },
  { kind: 'astra.netapp.io/Application', rows: [...summaryRows({ by: 'Astra Control' })] },
  { kind: 'astra.netapp.io/Schedule', rows: [currentIf([], 'Schedule ran last at {.status.lastScheduleTime|no time}')] },
  {
    kind: 'astra.netapp.io/*',
    rows: [
      ...phaseRows({
        by: 'Astra Control',
        at: '.status.state',
        current: ['Completed', 'available', 'Available'],
        failed: ['Failed', 'Error', 'failed', 'error'],
        says: '.status.error',
      }),
    ],
  },
  progressOf('solr.apache.org/SolrCloud', 'the Solr operator'),
  progressOf('zookeeper.pravega.io/ZookeeperCluster', 'the ZooKeeper operator'),
];

/** Kinds that publish nothing but their replicas and how many of them are ready. */
function progressOf(kind: string, by: string): StatusRule {
  return {
    kind,
    rows: [
      progressingIf(
        below('.status.readyReplicas', '.spec.replicas|.status.replicas|1'),
        'Ready: {.status.readyReplicas|0}/{.spec.replicas|.status.replicas|1}',
        'LessReady',
      ),
      currentIf(has('.status.readyReplicas'), '{.kind} is ready. Replicas: {.status.readyReplicas}'),
      unobserved(by),
    ],
  };
}
