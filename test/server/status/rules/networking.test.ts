import { describe, expect, it } from 'vitest';
import type { RuleCase } from './evaluate';
import { condition, evaluate } from './evaluate';

const accepted = condition('Accepted', 'True', 'Accepted', 'Gateway accepted', 2);
const programmed = condition('Programmed', 'True', 'Programmed', 'Gateway programmed', 2);
const listener = (...conditions: readonly object[]) => ({ listeners: [{ name: 'https', conditions }] });

const GATEWAYS: readonly RuleCase[] = [
  [
    'serves',
    { generation: 2, status: { addresses: [{ value: '192.0.2.1' }, { value: '192.0.2.2' }], conditions: [accepted, programmed] } },
    'Current',
    'Gateway is programmed. Addresses: 192.0.2.1, 192.0.2.2',
  ],
  [
    'was changed since its conditions were written',
    { generation: 3, status: { conditions: [accepted, programmed] } },
    'InProgress',
    'Gateway generation is 3, but condition Accepted is of generation 2',
  ],
  [
    'waits for its address',
    { status: { conditions: [accepted, condition('Programmed', 'False', 'AddressNotAssigned', 'waiting for an address')] } },
    'InProgress',
    'waiting for an address',
  ],
  [
    'asks for an address that cannot be had',
    { status: { conditions: [accepted, condition('Programmed', 'False', 'AddressNotUsable', '192.0.2.9 is taken')] } },
    'Failed',
    '192.0.2.9 is taken',
  ],
  [
    'is refused',
    { status: { conditions: [condition('Accepted', 'False', 'InvalidParameters', 'no such ConfigMap')] } },
    'Failed',
    'no such ConfigMap',
  ],
  [
    'has a listener without its certificate',
    {
      status: {
        conditions: [accepted, programmed],
        ...listener(condition('ResolvedRefs', 'False', 'InvalidCertificateRef', 'Secret tls not found')),
      },
    },
    'Failed',
    'Listener: Secret tls not found',
  ],
  [
    'has a listener that the data plane does not serve',
    {
      status: {
        conditions: [accepted, programmed],
        ...listener(condition('Programmed', 'False', 'Invalid', 'TLS options are not supported')),
      },
    },
    'Failed',
    'Listener: TLS options are not supported',
  ],
  [
    'has a listener that the data plane does not serve yet',
    { status: { conditions: [accepted, programmed], ...listener(condition('Programmed', 'False', 'Pending', 'waits for the proxy')) } },
    'InProgress',
    'Listener: waits for the proxy',
  ],
  [
    'has a listener that nobody has looked at',
    { status: { conditions: [accepted, programmed], ...listener(condition('Accepted', 'False', 'Pending', 'Waiting for controller')) } },
    'InProgress',
    'Listener: Waiting for controller',
  ],
  [
    'has not been taken up',
    { spec: { gatewayClassName: 'edge' }, status: { conditions: [condition('Accepted', 'Unknown', 'Pending', 'Waiting for controller')] } },
    'InProgress',
    'Gateway is not programmed. Waiting for controller',
  ],
  ['has no status', { spec: { gatewayClassName: 'edge' } }, 'InProgress', 'Gateway waits for a controller of class edge'],
];

const refs = (...names: readonly string[]) => ({ parentRefs: names.map((name) => ({ name })) });
const parent = (name: string, ...conditions: readonly object[]) => ({
  parentRef: { name },
  controllerName: 'example.com/gateway',
  conditions,
});
const yes = condition('Accepted', 'True', 'Accepted', 'Route is accepted', 1);
const resolved = condition('ResolvedRefs', 'True', 'ResolvedRefs', 'All references are resolved', 1);

const ROUTES: readonly RuleCase[] = [
  [
    'is accepted',
    { generation: 1, spec: refs('edge'), status: { parents: [parent('edge', yes, resolved)] } },
    'Current',
    'is accepted by edge',
  ],
  [
    'is refused by one of two parents',
    {
      spec: refs('edge', 'inner'),
      status: { parents: [parent('edge', yes), parent('inner', condition('Accepted', 'False', 'NotAllowedByListeners', 'not allowed'))] },
    },
    'Failed',
    'not allowed',
  ],
  [
    'has heard of one of two parents only',
    { spec: refs('edge', 'inner'), status: { parents: [parent('edge', yes, resolved)] } },
    'InProgress',
    'waits for all parents to report: edge, inner',
  ],
  [
    'names a backend that is not there',
    {
      spec: refs('edge'),
      status: { parents: [parent('edge', yes, condition('ResolvedRefs', 'False', 'BackendNotFound', 'Service web not found'))] },
    },
    'Failed',
    'Service web not found',
  ],
  [
    'was changed meanwhile',
    { generation: 2, spec: refs('edge'), status: { parents: [parent('edge', yes)] } },
    'InProgress',
    'but condition Accepted is of generation 1',
  ],
  ['has no status', { spec: refs('edge') }, 'InProgress', 'waits for edge to report'],
  ['names no parent', { spec: {} }, 'Current', 'names no parent'],
];

const issued = condition('Ready', 'True', 'Ready', 'Certificate is up to date and has not expired', 1);
const orderFailed = condition(
  'Issuing',
  'False',
  'Failed',
  'The certificate request has failed to complete and will be retried: order is invalid',
  1,
);
const CERTIFICATES: readonly RuleCase[] = [
  [
    'is valid',
    { generation: 1, status: { notAfter: '2031-08-01T00:00:00Z', conditions: [issued] } },
    'Current',
    'Certificate is valid until 2031-08-01T00:00:00Z',
  ],
  [
    'is valid and cannot be renewed',
    { status: { notAfter: '2031-08-01T00:00:00Z', lastFailureTime: '2031-05-03T00:00:00Z', conditions: [issued, orderFailed] } },
    'Current',
    'Certificate is valid until 2031-08-01T00:00:00Z. Its renewal failed: The certificate request has failed',
  ],
  [
    'is on order',
    {
      status: {
        conditions: [
          condition('Issuing', 'True', 'DoesNotExist', 'Issuing certificate as Secret does not exist'),
          condition('Ready', 'False', 'DoesNotExist', 'Issuing certificate as Secret does not exist'),
        ],
      },
    },
    'InProgress',
    'Issuing certificate as Secret does not exist',
  ],
  [
    'could not be ordered',
    {
      status: {
        lastFailureTime: '2031-05-03T00:00:00Z',
        conditions: [orderFailed, condition('Ready', 'False', 'DoesNotExist', 'no Secret')],
      },
    },
    'Failed',
    'The certificate request has failed to complete and will be retried: order is invalid',
  ],
  [
    'has expired while its renewal is on order',
    {
      status: {
        conditions: [
          condition('Issuing', 'True', 'Renewing', 'renewing'),
          condition('Ready', 'False', 'Expired', 'Certificate expired on Saturday'),
        ],
      },
    },
    'Failed',
    'Certificate expired on Saturday',
  ],
  [
    'asks for something else since',
    { generation: 2, status: { conditions: [issued] } },
    'InProgress',
    'Certificate generation is 2, but condition Ready is of generation 1',
  ],
  ['is new', {}, 'InProgress', 'Certificate has not been ordered'],
];

const registered = 'The ACME account was registered with the ACME server';
const ISSUERS: readonly RuleCase[] = [
  ['is registered', { status: { conditions: [condition('Ready', 'True', 'ACMEAccountRegistered', registered)] } }, 'Current', registered],
  [
    'cannot register',
    { status: { conditions: [condition('Ready', 'False', 'ErrRegisterACMEAccount', 'Failed to register')] } },
    'Failed',
    'Failed to register',
  ],
  ['is new', {}, 'InProgress', 'has not been reconciled by cert-manager'],
];

describe('rules of what brings requests in', () => {
  it.each(GATEWAYS)('[status 11.7] a Gateway that %s', (_title, state, status, message) => {
    expect(evaluate('gateway.networking.k8s.io/v1', 'Gateway', state)).toMatchObject({ status, message });
  });

  describe.each(['HTTPRoute', 'GRPCRoute'])('%s', (kind) => {
    it.each(ROUTES)('[status 11.7] a route that %s', (_title, state, status, message) => {
      expect(evaluate('gateway.networking.k8s.io/v1', kind, state)).toMatchObject({ status, message: expect.stringContaining(message) });
    });
  });

  it.each(CERTIFICATES)('[status 11.7] a Certificate that %s', (_title, state, status, message) => {
    expect(evaluate('cert-manager.io/v1', 'Certificate', state)).toMatchObject({ status, message: expect.stringContaining(message) });
  });

  describe.each(['Issuer', 'ClusterIssuer'])('%s', (kind) => {
    it.each(ISSUERS)('[status 11.7] an issuer that %s', (_title, state, status, message) => {
      expect(evaluate('cert-manager.io/v1', kind, state)).toMatchObject({ status, message: expect.stringContaining(message) });
    });
  });
});
