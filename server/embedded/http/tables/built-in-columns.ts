import { isFields, readField, readFields, readList, readNumber, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { parseInstant } from '@/lib/std/instant';
import type { Column } from './column';
import { AGE, count, NAME, sinceText, text } from './column';
import { toAge } from './duration-text';
import { PLACEMENT, POD_COLUMNS } from './pod-columns';

const number = (object: unknown, ...path: readonly string[]) => readNumber(object, ...path) ?? 0;
const NONE = '<none>';

/** A selector as text: `app=web,tier in (a,b)`. */
export function selectorText(selector: unknown): string {
  const labels =
    isFields(readField(selector, 'matchLabels')) || readField(selector, 'matchExpressions')
      ? readFields(selector, 'matchLabels')
      : readFields(selector);
  const plain = Object.entries(labels).map(([key, value]) => `${key}=${String(value)}`);
  const expressions = readList(selector, 'matchExpressions').map((expression) => {
    const [key, operator] = [readString(expression, 'key') ?? '', readString(expression, 'operator')];
    if (operator === 'Exists') return key;
    return operator === 'DoesNotExist'
      ? `!${key}`
      : `${key} ${(operator ?? '').toLowerCase()} (${readList(expression, 'values').join(',')})`;
  });
  return [...plain, ...expressions].join(',') || NONE;
} // prettier-ignore

function loadBalancerAddresses(object: KubeObject): readonly string[] {
  const entries = readList(object, 'status', 'loadBalancer', 'ingress');
  return [...new Set(entries.flatMap((entry) => readString(entry, 'ip') || readString(entry, 'hostname') || []))].sort();
}

/** Where a Service is reached from outside, as the API server prints it. */
function externalAddress(service: KubeObject): string {
  const type = readString(service, 'spec', 'type');
  if (type === 'ExternalName') return readString(service, 'spec', 'externalName') ?? '';
  const balanced = type === 'LoadBalancer' ? loadBalancerAddresses(service) : [];
  return [...balanced, ...readList(service, 'spec', 'externalIPs')].join(',') || (type === 'LoadBalancer' ? '<pending>' : NONE);
}

const containers = (member: 'name' | 'image') => (object: KubeObject) =>
  readList(
    readField(object, 'spec', 'template', 'spec') ?? readField(object, 'spec', 'jobTemplate', 'spec', 'template', 'spec'),
    'containers',
  )
    .map((container) => readString(container, member) ?? '')
    .join(',');
const TEMPLATE: readonly Column[] = [
  text('Containers', containers('name'), 1),
  text('Images', containers('image'), 1),
  text('Selector', (object) => selectorText(readField(object, 'spec', 'selector')), 1),
];

const DEPLOYMENT: readonly Column[] = [
  NAME,
  text('Ready', (object) => `${number(object, 'status', 'readyReplicas')}/${number(object, 'spec', 'replicas')}`),
  text('Up-to-date', (object) => number(object, 'status', 'updatedReplicas')),
  text('Available', (object) => number(object, 'status', 'availableReplicas')),
  AGE,
  ...TEMPLATE,
];

const REPLICA_SET: readonly Column[] = [
  NAME,
  count('Desired', (object) => number(object, 'spec', 'replicas')),
  count('Current', (object) => number(object, 'status', 'replicas')),
  count('Ready', (object) => number(object, 'status', 'readyReplicas')),
  AGE,
  ...TEMPLATE,
];

const STATEFUL_SET: readonly Column[] = [
  NAME,
  text('Ready', (object) => `${number(object, 'status', 'readyReplicas')}/${number(object, 'spec', 'replicas')}`),
  AGE,
  ...TEMPLATE.slice(0, 2),
];

const DAEMON_SET: readonly Column[] = [
  NAME,
  count('Desired', (object) => number(object, 'status', 'desiredNumberScheduled')),
  count('Current', (object) => number(object, 'status', 'currentNumberScheduled')),
  count('Ready', (object) => number(object, 'status', 'numberReady')),
  count('Up-to-date', (object) => number(object, 'status', 'updatedNumberScheduled')),
  count('Available', (object) => number(object, 'status', 'numberAvailable')),
  text('Node Selector', (object) => selectorText(readField(object, 'spec', 'template', 'spec', 'nodeSelector'))),
  AGE,
  ...TEMPLATE,
];

function jobStatus(object: KubeObject): string {
  for (const type of ['Complete', 'Failed', 'Suspended']) {
    if (
      readList(object, 'status', 'conditions').some(
        (condition) => readString(condition, 'type') === type && readString(condition, 'status') === 'True',
      )
    )
      return type;
  }
  return object.metadata.deletionTimestamp ? 'Terminating' : 'Running';
} // prettier-ignore

const JOB: readonly Column[] = [
  NAME,
  text('Status', jobStatus),
  text('Completions', (object) => `${number(object, 'status', 'succeeded')}/${readNumber(object, 'spec', 'completions') ?? 1}`),
  text('Duration', (object, now) => {
    const start = parseInstant(readField(object, 'status', 'startTime'));
    return start === undefined ? '' : toAge((parseInstant(readField(object, 'status', 'completionTime')) ?? now) - start);
  }),
  AGE,
  ...TEMPLATE,
];

const CRON_JOB: readonly Column[] = [
  NAME,
  text('Schedule', (object) => readString(object, 'spec', 'schedule') ?? ''),
  text('Timezone', (object) => readString(object, 'spec', 'timeZone') ?? NONE),
  text('Suspend', (object) => (readField(object, 'spec', 'suspend') === true ? 'True' : 'False')),
  count('Active', (object) => readList(object, 'status', 'active').length),
  text('Last Schedule', (object, now) =>
    readField(object, 'status', 'lastScheduleTime') ? sinceText(readField(object, 'status', 'lastScheduleTime'), now) : NONE,
  ),
  AGE,
  ...TEMPLATE.slice(0, 2),
]; // prettier-ignore

function portsText(object: KubeObject): string {
  const ports = readList(object, 'spec', 'ports').map((port) => {
    const nodePort = readNumber(port, 'nodePort');
    return `${number(port, 'port')}${nodePort ? `:${nodePort}` : ''}/${readString(port, 'protocol') ?? 'TCP'}`;
  });
  return ports.join(',') || NONE;
}

const SERVICE: readonly Column[] = [
  NAME,
  text('Type', (object) => readString(object, 'spec', 'type') ?? ''),
  text('Cluster-IP', (object) => readString(object, 'spec', 'clusterIP') ?? NONE),
  text('External-IP', externalAddress),
  text('Port(s)', portsText),
  AGE,
  text('Selector', (object) => selectorText(readField(object, 'spec', 'selector')), 1),
];

const NODE: readonly Column[] = [
  NAME,
  text('Status', (object) => {
    const ready = readList(object, 'status', 'conditions').find((condition) => readString(condition, 'type') === 'Ready');
    const word = readString(ready, 'status') === 'True' ? 'Ready' : ready ? 'NotReady' : 'Unknown';
    return readField(object, 'spec', 'unschedulable') === true ? `${word},SchedulingDisabled` : word;
  }),
  text('Roles', () => NONE),
  AGE,
  text('Version', (object) => readString(object, 'status', 'nodeInfo', 'kubeletVersion') ?? ''),
];

const EVENT: readonly Column[] = [
  text('Last Seen', (object, now) => sinceText(object.lastTimestamp ?? object.eventTime ?? object.metadata.creationTimestamp, now)),
  text('Type', (object) => readString(object, 'type') ?? ''),
  text('Reason', (object) => readString(object, 'reason') ?? ''),
  text(
    'Object',
    (object) =>
      `${(readString(object, 'involvedObject', 'kind') ?? '').toLowerCase()}/${readString(object, 'involvedObject', 'name') ?? ''}`,
  ),
  text('Message', (object) => (readString(object, 'message') ?? '').trim()),
];

function metricText(metric: unknown, current: unknown): string {
  const wanted = readNumber(metric, 'resource', 'target', 'averageUtilization');
  const name = readString(metric, 'resource', 'name') ?? readString(metric, 'type') ?? '';
  const found = readNumber(current, 'resource', 'current', 'averageUtilization');
  if (wanted !== undefined) return `${name}: ${found === undefined ? '<unknown>' : `${found}%`}/${wanted}%`;
  return `${name}: ${readString(current, 'resource', 'current', 'averageValue') ?? '<unknown>'}/${readString(metric, 'resource', 'target', 'averageValue') ?? '<auto>'}`;
}

const AUTOSCALER: readonly Column[] = [
  NAME,
  text(
    'Reference',
    (object) =>
      `${readString(object, 'spec', 'scaleTargetRef', 'kind') ?? ''}/${readString(object, 'spec', 'scaleTargetRef', 'name') ?? ''}`,
  ),
  text(
    'Targets',
    (object) =>
      readList(object, 'spec', 'metrics')
        .map((metric, at) => metricText(metric, readField(object, 'status', 'currentMetrics', at)))
        .join(', ') || NONE,
  ),
  text('MinPods', (object) => String(readNumber(object, 'spec', 'minReplicas') ?? '<unset>')),
  text('MaxPods', (object) => number(object, 'spec', 'maxReplicas')),
  text('Replicas', (object) => number(object, 'status', 'currentReplicas')),
  AGE,
]; // prettier-ignore

const size = (member: string) => (object: KubeObject) => Object.keys(readFields(object, member)).length;

/** Columns of the kinds that people look at; the others show name and age. */
export const BUILT_IN_COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  pods: [...POD_COLUMNS, ...PLACEMENT],
  services: SERVICE,
  nodes: NODE,
  events: EVENT,
  configmaps: [
    NAME,
    text('Data', (object) => Object.keys({ ...readFields(object, 'data'), ...readFields(object, 'binaryData') }).length),
    AGE,
  ],
  secrets: [NAME, text('Type', (object) => readString(object, 'type') ?? ''), text('Data', size('data')), AGE],
  namespaces: [NAME, text('Status', (object) => readString(object, 'status', 'phase') ?? ''), AGE],
  serviceaccounts: [NAME, text('Secrets', (object) => readList(object, 'secrets').length), AGE],
  endpoints: [NAME, text('Endpoints', endpointsText), AGE],
  persistentvolumeclaims: [
    NAME,
    text('Status', (object) => readString(object, 'status', 'phase') ?? ''),
    text('Volume', (object) => readString(object, 'spec', 'volumeName') ?? ''),
    text('Capacity', (object) => readString(object, 'status', 'capacity', 'storage') ?? ''),
    text('Access Modes', (object) =>
      readList(object, 'spec', 'accessModes')
        .join(',')
        .replaceAll('ReadWriteOnce', 'RWO')
        .replaceAll('ReadOnlyMany', 'ROX')
        .replaceAll('ReadWriteMany', 'RWX'),
    ),
    text('StorageClass', (object) => readString(object, 'spec', 'storageClassName') ?? ''),
    AGE,
  ],
  'deployments.apps': DEPLOYMENT,
  'replicasets.apps': REPLICA_SET,
  'statefulsets.apps': STATEFUL_SET,
  'daemonsets.apps': DAEMON_SET,
  'jobs.batch': JOB,
  'cronjobs.batch': CRON_JOB,
  'horizontalpodautoscalers.autoscaling': AUTOSCALER,
  'ingresses.networking.k8s.io': [
    NAME,
    text('Class', (object) => readString(object, 'spec', 'ingressClassName') ?? NONE),
    text(
      'Hosts',
      (object) =>
        readList(object, 'spec', 'rules')
          .map((rule) => readString(rule, 'host') ?? '*')
          .join(',') || '*',
    ),
    text('Address', (object) => loadBalancerAddresses(object).join(',')),
    text('Ports', (object) => (readList(object, 'spec', 'tls').length > 0 ? '80, 443' : '80')),
    AGE,
  ],
  'poddisruptionbudgets.policy': [
    NAME,
    text('Min Available', (object) => String(readField(object, 'spec', 'minAvailable') ?? 'N/A')),
    text('Max Unavailable', (object) => String(readField(object, 'spec', 'maxUnavailable') ?? 'N/A')),
    count('Allowed Disruptions', (object) => number(object, 'status', 'disruptionsAllowed')),
    AGE,
  ],
  'endpointslices.discovery.k8s.io': [
    NAME,
    text('AddressType', (object) => readString(object, 'addressType') ?? ''),
    text(
      'Ports',
      (object) =>
        readList(object, 'ports')
          .map((port) => readNumber(port, 'port') ?? '*')
          .join(',') || '<unset>',
    ),
    text(
      'Endpoints',
      (object) =>
        readList(object, 'endpoints')
          .flatMap((endpoint) => readList(endpoint, 'addresses'))
          .join(',') || '<unset>',
    ),
    AGE,
  ],
  'leases.coordination.k8s.io': [NAME, text('Holder', (object) => readString(object, 'spec', 'holderIdentity') ?? ''), AGE],
  'customresourcedefinitions.apiextensions.k8s.io': [NAME, text('Created At', (object) => object.metadata.creationTimestamp ?? '')],
  'roles.rbac.authorization.k8s.io': [NAME, text('Created At', (object) => object.metadata.creationTimestamp ?? '')],
  'clusterroles.rbac.authorization.k8s.io': [NAME, text('Created At', (object) => object.metadata.creationTimestamp ?? '')],
  'rolebindings.rbac.authorization.k8s.io': [NAME, text('Role', roleText), AGE],
  'clusterrolebindings.rbac.authorization.k8s.io': [NAME, text('Role', roleText), AGE],
}; // prettier-ignore

function roleText(object: KubeObject): string {
  return `${readString(object, 'roleRef', 'kind') ?? ''}/${readString(object, 'roleRef', 'name') ?? ''}`;
}

function endpointsText(object: KubeObject): string {
  const ends = readList(object, 'subsets').flatMap((subset) =>
    readList(subset, 'addresses').flatMap((address) =>
      readList(subset, 'ports').map((port) => `${readString(address, 'ip') ?? ''}:${number(port, 'port')}`),
    ),
  );
  const more = ends.length > 3 ? ` + ${ends.length - 3} more...` : '';
  return ends.length === 0 ? NONE : ends.slice(0, 3).join(',') + more;
}
