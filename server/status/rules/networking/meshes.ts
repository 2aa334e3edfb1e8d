import { phaseRows, summaryRows } from '../readings';
import { anyOf, currentIf, failedIf, has, is, progressingIf, unobserved } from '../rows';
import type { RuleRow, StatusRule } from '../rule';
import { POLICY_ROWS } from './gateway-api';

/** Gloo tells a state per namespace that an instance of it watches; before 1.12 there was one, as a number: 0 pending, 1 accepted, 2 rejected, 3 warning. */
const GLOO_ROWS: readonly RuleRow[] = [
  failedIf(
    anyOf(is('.status.statuses[*].state', 'Rejected', 'Warning', 2, 3), is('.status.state', 'Rejected', 'Warning', 2, 3)),
    '{.status.statuses[*].reason|.status.reason|Gloo rejected it}',
    'Rejected',
  ),
  progressingIf(
    anyOf(is('.status.statuses[*].state', 'Pending', 0), is('.status.state', 'Pending', 0)),
    '{.kind} waits for Gloo. {.status.statuses[*].reason|.status.reason}',
    'Pending',
  ),
  currentIf(
    anyOf(is('.status.statuses[*].state', 'Accepted', 1), is('.status.state', 'Accepted', 1)),
    '{.kind} is accepted by {.status.statuses[*].reportedBy|.status.reportedBy|Gloo}',
  ),
  unobserved('Gloo'),
];

/** An ancestor that has not answered; other kinds of these groups have no ancestors at all. */
const UNANSWERED = progressingIf({ cel: 'has(object.status.ancestors)' }, '{.kind} has no status from a controller', 'NotAccepted');

/** Settings of a mesh: only those that Istio is told to report on have a status. */
const ISTIO_SETTINGS = ['networking.istio.io/*', 'security.istio.io/*', 'telemetry.istio.io/*', 'extensions.istio.io/*'];

/** Kinds of other projects that attach to Gateways, Routes or Services, and say by each of them whether it took effect. */
const ATTACHED = ['gateway.envoyproxy.io', 'microgateway.airlock.com', 'gateway.kgateway.dev', 'gateway.nginx.org'];

export const MESH_RULES: readonly StatusRule[] = [
  ...['gateway.solo.io/*', 'gloo.solo.io/*'].map((kind) => ({ kind, rows: [...GLOO_ROWS] })),
  ...ATTACHED.map((group) => ({ kind: `${group}/*`, rows: [...POLICY_ROWS.filter(({ when }) => when !== undefined), UNANSWERED] })),
  {
    kind: 'install.istio.io/IstioOperator',
    rows: [
      ...phaseRows({
        by: 'Istio',
        at: '.status.status',
        current: ['HEALTHY'],
        failed: ['ERROR'],
        waiting: ['ACTION_REQUIRED'],
        says: '.status.message',
      }),
    ],
  },
  ...['sailoperator.io/Istio', 'sailoperator.io/IstioRevision', 'sailoperator.io/IstioCNI', 'sailoperator.io/ZTunnel'].map((kind) => ({
    kind,
    rows: [
      ...summaryRows({
        by: 'the Sail operator',
        waiting: ['IstiodNotReady', 'CNINotReady', 'ZTunnelNotReady'],
        says: '{.kind} is {.status.state|ready}',
      }),
    ],
  })),
  ...ISTIO_SETTINGS.map((kind): StatusRule => ({ kind, statusless: true })),
  {
    kind: 'proclaim.dogmatiq.io/DNSSDServiceInstance',
    rows: [
      failedIf(
        is('.status.conditions[type=Adopted].status', 'False'),
        '{.status.conditions[type=Adopted].message}',
        '{.status.conditions[type=Adopted].reason}',
      ),
      failedIf(
        is('.status.conditions[type=Advertised].status', 'False'),
        '{.status.conditions[type=Advertised].message}',
        '{.status.conditions[type=Advertised].reason}',
      ),
      currentIf(is('.status.conditions[type=Discoverable].status', 'True'), 'The instance is discoverable'),
      progressingIf(has('.status.conditions'), '{.status.conditions[*].message}', '{.status.conditions[*].reason}'),
      unobserved('Proclaim'),
    ],
  },
];
