import type { StatusRule } from '../rule';
import { STALE_CONDITION } from '../stale-condition';

/**
 * Issuing is True while a certificate is on order, False after an order failed, and absent otherwise. A renewal that failed
 * leaves a certificate that still works, so it stays current and says so.
 */
export const certificate: StatusRule = {
  kind: 'cert-manager.io/Certificate',
  rows: [
    { when: [{ condition: 'Ready', stale: true }], ...STALE_CONDITION },
    { when: [{ condition: 'Ready', status: 'False', reason: 'Expired' }], status: 'Failed', message: '{condition.message}' },
    {
      when: [
        { condition: 'Issuing', status: 'False' },
        { condition: 'Ready', status: 'True' },
        { path: '.status.lastFailureTime', present: true },
      ],
      status: 'Current',
      message: 'Certificate is valid until {.status.notAfter|an unknown time}. Its renewal failed: {condition.message}',
    },
    { when: [{ condition: 'Ready', status: 'True' }], status: 'Current', message: 'Certificate is valid until {.status.notAfter|an unknown time}' },
    {
      when: [
        { condition: 'Issuing', status: 'False' },
        { path: '.status.lastFailureTime', present: true },
      ],
      status: 'Failed',
      message: '{condition.message}',
    },
    { when: [{ condition: 'Issuing', status: 'True' }], status: 'InProgress', message: '{condition.message}' },
    { when: [{ condition: 'Ready' }], status: 'InProgress', message: '{condition.message}' },
    { status: 'InProgress', reason: 'NotIssued', message: 'Certificate has not been ordered' },
  ],
};
