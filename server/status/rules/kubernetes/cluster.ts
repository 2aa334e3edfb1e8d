import { phaseRows } from '../readings';
import { cel, condition, currentIf, failedIf, has, is, progressingIf, unobserved } from '../rows';
import type { StatusRule } from '../rule';

/** What the cluster itself is made of: its extensions, nodes and volumes. */
export const CLUSTER_RULES: readonly StatusRule[] = [
  // The rest of a definition is told by kstatus: names taken, established.
  { kind: 'apiextensions.k8s.io/CustomResourceDefinition', rows: [failedIf(condition('NonStructuralSchema', 'True'))] },
  {
    kind: 'apiregistration.k8s.io/APIService',
    rows: [
      currentIf(condition('Available', 'True'), 'APIService is available. {condition.message}'),
      progressingIf(condition('Available'), 'APIService is not available. {condition.message}'),
      unobserved('the API server'),
    ],
  },
  {
    kind: 'Node',
    rows: [
      failedIf(condition('Ready', ['False', 'Unknown'])),
      failedIf(condition('NetworkUnavailable', 'True')),
      currentIf([condition('Ready', 'True'), is('.spec.unschedulable', true)], 'Node is ready, but unschedulable'),
      currentIf(condition('Ready', 'True'), 'Node is ready'),
      unobserved('a kubelet'),
    ],
  },
  // A claim whose volume is gone never comes back by itself; Bound and Pending are told by kstatus.
  {
    kind: 'PersistentVolumeClaim',
    rows: [failedIf(is('.status.phase', 'Lost'), 'PVC lost its volume {.spec.volumeName|of unknown name}', 'Lost')],
  },
  {
    kind: 'PersistentVolume',
    rows: [
      ...phaseRows({
        by: 'the volume controller',
        current: ['Available', 'Bound', 'Released'],
        failed: ['Failed'],
        says: '.status.message',
      }),
    ],
  },
  {
    kind: 'storage.k8s.io/VolumeAttachment',
    rows: [
      currentIf(is('.status.attached', true), 'Volume is attached to {.spec.nodeName}'),
      failedIf(has('.status.attachError.message'), '{.status.attachError.message}', 'AttachFailed'),
      progressingIf(cel('has(object.status)'), 'Volume is not attached to {.spec.nodeName}', 'NotAttached'),
      unobserved('an attacher'),
    ],
  },
  {
    kind: 'certificates.k8s.io/CertificateSigningRequest',
    rows: [
      failedIf(condition('Denied', 'True')),
      failedIf(condition('Failed', 'True')),
      currentIf([condition('Approved', 'True'), has('.status.certificate')], 'Certificate is issued'),
      progressingIf(condition('Approved', 'True'), 'Certificate is approved and not issued yet', 'Approved'),
      { status: 'InProgress', reason: 'NotApproved', message: 'CertificateSigningRequest waits for approval' },
    ],
  },
];
