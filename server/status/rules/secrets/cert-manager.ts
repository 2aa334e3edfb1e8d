import { phaseRows, summaryRows } from '../readings';
import { anyOf, condition, currentIf, failedIf, has, progressingIf, rulesFor } from '../rows';
import type { RuleRow, StatusRule } from '../rule';
import { STALE_CONDITION } from '../stale-condition';

const BY = 'cert-manager';
const ISSUER_ROWS = summaryRows({ by: BY, says: '{condition.message|condition.reason}' });

/**
 * Issuing is True while a certificate is on order, False after an order failed, and absent otherwise. A renewal that failed
 * leaves a certificate that still works, so it stays current and says so.
 */
const CERTIFICATE_ROWS: readonly RuleRow[] = [
  { when: [{ condition: 'Ready', stale: true }], ...STALE_CONDITION },
  // ConfigError is what releases before 0.11 said of a certificate that can never be ordered.
  failedIf(condition('Ready', 'False', ['Expired', 'ConfigError'])),
  currentIf(
    [condition('Issuing', 'False'), condition('Ready', 'True'), has('.status.lastFailureTime')],
    'Certificate is valid until {.status.notAfter|an unknown time}. Its renewal failed: {condition.message}',
  ),
  currentIf(condition('Ready', 'True'), 'Certificate is valid until {.status.notAfter|an unknown time}'),
  failedIf([condition('Issuing', 'False'), has('.status.lastFailureTime')]),
  progressingIf(condition('Issuing', 'True')),
  progressingIf(condition('Ready')),
  { status: 'InProgress', reason: 'NotIssued', message: 'Certificate has not been ordered' },
];

export const CERT_MANAGER_RULES: readonly StatusRule[] = [
  ...rulesFor('cert-manager.io', ['Certificate'], CERTIFICATE_ROWS),
  ...rulesFor('cert-manager.io', ['Issuer', 'ClusterIssuer'], ISSUER_ROWS),
  {
    kind: 'cert-manager.io/CertificateRequest',
    rows: [
      failedIf(anyOf(condition('InvalidRequest', 'True'), condition('Denied', 'True'), condition('Ready', 'False', ['Failed', 'Denied']))),
      ...summaryRows({ by: BY, broken: ['Failed', 'Denied'] }),
    ],
  },
  ...rulesFor(
    'acme.cert-manager.io',
    ['Order', 'Challenge'],
    phaseRows({ by: BY, at: '.status.state', current: ['valid'], failed: ['invalid', 'expired', 'errored'], says: '.status.reason' }),
  ),
  // The group of releases before 0.11.
  ...rulesFor('certmanager.k8s.io', ['Certificate'], CERTIFICATE_ROWS),
  ...rulesFor('certmanager.k8s.io', ['Issuer', 'ClusterIssuer'], ISSUER_ROWS),
];
