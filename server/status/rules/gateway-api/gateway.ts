import type { StatusRule } from '../rule';
import { STALE_CONDITION } from '../stale-condition';

const LISTENERS = '.status.listeners[*].conditions';

/** Accepted says whether the Gateway makes sense, Programmed whether the data plane serves it; each listener has conditions of its own. */
export const gateway: StatusRule = {
  kind: 'gateway.networking.k8s.io/Gateway',
  rows: [
    { when: [{ condition: 'Accepted', stale: true }], ...STALE_CONDITION },
    { when: [{ condition: 'Programmed', stale: true }], ...STALE_CONDITION },
    { when: [{ condition: 'Accepted', status: 'False', reason: 'Pending' }], status: 'InProgress', message: '{condition.message}' },
    { when: [{ condition: 'Accepted', status: 'False' }], status: 'Failed', message: '{condition.message}' },
    { when: [{ condition: 'Conflicted', status: 'True', at: LISTENERS }], status: 'Failed', message: 'Listener: {condition.message}' },
    { when: [{ condition: 'Accepted', status: 'False', at: LISTENERS }], status: 'Failed', message: 'Listener: {condition.message}' },
    { when: [{ condition: 'ResolvedRefs', status: 'False', at: LISTENERS }], status: 'Failed', message: 'Listener: {condition.message}' },
    { when: [{ condition: 'Programmed', status: 'False', reason: ['Invalid', 'AddressNotUsable'] }], status: 'Failed', message: '{condition.message}' },
    { when: [{ condition: 'Programmed', status: ['False', 'Unknown'] }], status: 'InProgress', message: '{condition.message}' },
    { when: [{ condition: 'Programmed', status: 'True' }], status: 'Current', message: 'Gateway is programmed. Addresses: {.status.addresses[*].value|none}' },
    { when: [{ condition: 'Accepted' }], status: 'InProgress', reason: 'NotProgrammed', message: 'Gateway is not programmed. {condition.message}' },
    { status: 'InProgress', reason: 'NotAccepted', message: 'Gateway waits for a controller of class {.spec.gatewayClassName}' },
  ],
};
