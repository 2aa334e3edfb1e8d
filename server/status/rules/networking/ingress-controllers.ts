import { condition, conditionAt, currentIf, failedIf, has, is, progressingIf, unobserved } from '../rows';
import type { StatusRule } from '../rule';
import { STALE_CONDITION } from '../stale-condition';

const ROUTERS = '.status.ingress[*].conditions';

/** Kinds by which controllers beside the Gateway API let requests in. */
export const INGRESS_CONTROLLER_RULES: readonly StatusRule[] = [
  {
    kind: 'projectcontour.io/HTTPProxy',
    rows: [
      { when: [{ condition: 'Valid', stale: true }], ...STALE_CONDITION },
      failedIf(condition('Valid', 'False'), '{condition.errors[*].message|condition.message}'),
      failedIf(
        is('.status.currentStatus', 'invalid', 'orphaned'),
        '{.status.description|.status.currentStatus}',
        '{.status.currentStatus}',
      ),
      currentIf(is('.status.currentStatus', 'valid'), '{.status.description|HTTPProxy is valid}'),
      progressingIf(has('.status.currentStatus'), '{.status.description|.status.currentStatus}', '{.status.currentStatus}'),
      unobserved('Contour'),
    ],
  },
  {
    kind: 'projectcontour.io/ExtensionService',
    rows: [
      { when: [{ condition: 'Valid', stale: true }], ...STALE_CONDITION },
      failedIf(condition('Valid', 'False'), '{condition.errors[*].message|condition.message}'),
      currentIf(condition('Valid', 'True')),
      unobserved('Contour'),
    ],
  },
  {
    kind: 'route.openshift.io/Route',
    rows: [
      failedIf(
        conditionAt(ROUTERS, 'Admitted', 'False'),
        'Route is not admitted. {condition.message|condition.reason}',
        '{condition.reason|NotAdmitted}',
      ),
      progressingIf(
        conditionAt(ROUTERS, 'Admitted', 'Unknown'),
        'Route is not admitted yet. {condition.message}',
        '{condition.reason|NotAdmitted}',
      ),
      currentIf(conditionAt(ROUTERS, 'Admitted', 'True'), 'Route is admitted. Host: {.status.ingress[*].host}'),
      unobserved('a router'),
    ],
  },
  {
    kind: 'networking.gke.io/ManagedCertificate',
    rows: [
      currentIf(is('.status.certificateStatus', 'Active'), 'Certificate is active. Domains: {.status.domainStatus[*].domain|none}'),
      failedIf(
        is('.status.domainStatus[*].status', 'FailedNotVisible', 'FailedCaaChecking', 'FailedCaaForbidden', 'FailedRateLimited'),
        'Certificate is {.status.certificateStatus}. Domains: {.status.domainStatus[*].status}',
        'DomainFailed',
      ),
      failedIf(
        is('.status.certificateStatus', 'ProvisioningFailedPermanently', 'RenewalFailed'),
        'Certificate is {.status.certificateStatus}',
        '{.status.certificateStatus}',
      ),
      progressingIf(has('.status.certificateStatus'), 'Certificate is {.status.certificateStatus}', '{.status.certificateStatus}'),
      unobserved('Google Cloud'),
    ],
  },
];
