import { anyOf, cel, condition, conditionAt, currentIf, failedIf, lacks, progressingIf, rulesFor } from '../rows';
import type { Guard, RuleRow, StatusRule } from '../rule';
import { STALE_CONDITION } from '../stale-condition';

const LISTENERS = '.status.listeners[*].conditions';
const PARENTS = '.status.parents[*].conditions';
const ANCESTORS = '.status.ancestors[*].conditions';

/** A condition in a list of the path that speaks of the present generation. */
function fresh(...seen: Parameters<typeof conditionAt>): Guard {
  return { ...conditionAt(...seen), stale: false } as Guard;
}

/** Whether fewer parents than the route names have answered for the present generation. */
const UNANSWERED = cel(
  'object.status.parents.filter(parent, parent.conditions.exists(one, one.type == "Accepted" && (!has(one.observedGeneration) || !has(object.metadata.generation) || one.observedGeneration == object.metadata.generation))).size() < size(object.spec.parentRefs)',
);

/**
 * Every kind of route has the same status: conditions per parent, written by the controller of that parent. What a parent said of a
 * former generation is no verdict on this one, and a parent that the route left keeps its last word for a while.
 */
const ROUTE_ROWS: readonly RuleRow[] = [
  currentIf(lacks('.spec.parentRefs'), '{.kind} names no parent'),
  progressingIf(fresh(PARENTS, 'Accepted', 'False', 'Pending')),
  failedIf(anyOf(fresh(PARENTS, 'Accepted', 'False'), fresh(PARENTS, 'ResolvedRefs', 'False'), fresh(PARENTS, 'PartiallyInvalid', 'True'))),
  progressingIf(anyOf(fresh(PARENTS, 'Programmed', ['False', 'Unknown']), fresh(PARENTS, 'Accepted', 'Unknown'))),
  { when: [{ condition: 'Accepted', at: PARENTS, stale: true }, UNANSWERED], ...STALE_CONDITION },
  progressingIf(UNANSWERED, '{.kind} waits for all parents to report: {.spec.parentRefs[*].name}', 'NotAccepted'),
  currentIf(fresh(PARENTS, 'Accepted', 'True'), '{.kind} is accepted by {.spec.parentRefs[*].name}'),
  { status: 'InProgress', reason: 'NotAccepted', message: '{.kind} waits for {.spec.parentRefs[*].name} to report' },
];

/** A policy attached to Gateways or Services: conditions per ancestor. Each ancestor must have taken the present generation. */
export const POLICY_ROWS: readonly RuleRow[] = [
  failedIf(anyOf(fresh(ANCESTORS, 'Accepted', 'False'), fresh(ANCESTORS, 'ResolvedRefs', 'False'))),
  { when: [{ condition: 'Accepted', at: ANCESTORS, stale: true }], ...STALE_CONDITION },
  progressingIf(anyOf(conditionAt(ANCESTORS, 'Accepted', 'Unknown'), conditionAt(ANCESTORS, 'Programmed', ['False', 'Unknown']))),
  progressingIf(
    cel('object.status.ancestors.exists(ancestor, !ancestor.conditions.exists(one, one.type == "Accepted"))'),
    '{.kind} waits for all ancestors to report: {.status.ancestors[*].ancestorRef.name}',
    'NotAccepted',
  ),
  currentIf(conditionAt(ANCESTORS, 'Accepted', 'True'), '{.kind} is accepted by {.status.ancestors[*].ancestorRef.name}'),
  { status: 'InProgress', reason: 'NotAccepted', message: '{.kind} has no status from a controller' },
];

/** Accepted says whether the Gateway makes sense, Programmed whether the data plane serves it; each listener has conditions of its own. */
const GATEWAY_ROWS: readonly RuleRow[] = [
  { when: [{ condition: 'Accepted', stale: true }], ...STALE_CONDITION },
  { when: [{ condition: 'Programmed', stale: true }], ...STALE_CONDITION },
  progressingIf(condition('Accepted', 'False', 'Pending')),
  failedIf(anyOf(condition('Accepted', 'False'), condition('ResolvedRefs', 'False'))),
  progressingIf(conditionAt(LISTENERS, 'Accepted', 'False', 'Pending'), 'Listener: {condition.message}'),
  failedIf(
    anyOf(
      conditionAt(LISTENERS, 'Conflicted', 'True'),
      conditionAt(LISTENERS, 'Accepted', 'False'),
      conditionAt(LISTENERS, 'ResolvedRefs', 'False'),
      conditionAt(LISTENERS, 'Programmed', 'False', 'Invalid'),
    ),
    'Listener: {condition.message}',
  ),
  failedIf(condition('Programmed', 'False', ['Invalid', 'AddressNotUsable'])),
  progressingIf(condition('Programmed', ['False', 'Unknown'])),
  progressingIf(conditionAt(LISTENERS, 'Programmed', ['False', 'Unknown']), 'Listener: {condition.message}'),
  currentIf(condition('Programmed', 'True'), '{.kind} is programmed. Addresses: {.status.addresses[*].value|none}'),
  progressingIf(condition('Accepted'), '{.kind} is not programmed. {condition.message}', 'NotProgrammed'),
  {
    status: 'InProgress',
    reason: 'NotAccepted',
    message: '{.kind} waits for a controller of class {.spec.gatewayClassName|.spec.parentRef.name|unknown}',
  },
];

const GROUP = 'gateway.networking.k8s.io';

export const GATEWAY_API_RULES: readonly StatusRule[] = [
  {
    kind: `${GROUP}/GatewayClass`,
    rows: [
      { when: [{ condition: 'Accepted', stale: true }], ...STALE_CONDITION },
      currentIf(condition('Accepted', 'True')),
      progressingIf(condition('Accepted', 'False', ['Pending', 'Waiting'])),
      failedIf(condition('Accepted', 'False')),
      progressingIf(condition('Accepted')),
      { status: 'InProgress', reason: 'NotAccepted', message: 'GatewayClass waits for controller {.spec.controllerName}' },
    ],
  },
  ...rulesFor(GROUP, ['Gateway', 'ListenerSet'], GATEWAY_ROWS),
  ...rulesFor('gateway.networking.x-k8s.io', ['XListenerSet'], GATEWAY_ROWS),
  ...rulesFor(GROUP, ['HTTPRoute', 'GRPCRoute', 'TLSRoute', 'TCPRoute', 'UDPRoute'], ROUTE_ROWS),
  ...rulesFor(GROUP, ['BackendTLSPolicy'], POLICY_ROWS),
];
