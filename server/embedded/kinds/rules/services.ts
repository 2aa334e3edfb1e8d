import { readField, readList, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { FieldError } from '../../api/failures';
import { invalidValue, required } from '../../api/failures';
import type { Store } from '../../storage/store';
import type { Draft } from '../draft';
import { each, fill, peek, within } from '../draft';
import { labelName } from '../names';
import { checkPort } from './pod-template';
import type { KindRules } from './rules';

const FIRST_NODE_PORT = 30_000;

export const serviceRules: KindRules = {
  names: labelName,
  newStatus: () => ({ loadBalancer: {} }),
  defaults: completeService,
  prepare(object, previous, { store }) {
    const spec = within(object, 'spec');
    if (spec.type === 'ExternalName') {
      for (const member of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy', 'internalTrafficPolicy']) delete spec[member];
      return;
    }
    keepAddress(spec, previous);
    const address = readString(spec, 'clusterIP') ?? freeAddress(store);
    fill(spec, { clusterIP: address, clusterIPs: [address], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' });
    if (spec.type === 'NodePort' || spec.type === 'LoadBalancer')
      for (const port of each(spec, 'ports')) fill(port, { nodePort: freeNodePort(store, spec) });
  },
  validate: checkService,
};

function completeService(object: Draft): void {
  const spec = fill(within(object, 'spec'), { type: 'ClusterIP', sessionAffinity: 'None' });
  for (const port of each(spec, 'ports')) fill(port, { protocol: 'TCP', targetPort: port.port });
  if (spec.type !== 'ExternalName') fill(spec, { internalTrafficPolicy: 'Cluster' });
  if (spec.type === 'NodePort' || spec.type === 'LoadBalancer') fill(spec, { externalTrafficPolicy: 'Cluster' });
  if (spec.type === 'LoadBalancer') fill(spec, { allocateLoadBalancerNodePorts: true });
  if (spec.sessionAffinity === 'ClientIP') fill(within(within(spec, 'sessionAffinityConfig'), 'clientIP'), { timeoutSeconds: 10_800 });
}

// A client that does not name the address again means the one there is.
function keepAddress(spec: Draft, previous: KubeObject | undefined): void {
  if (previous === undefined || readField(previous, 'spec', 'type') === 'ExternalName') return;
  for (const member of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'] as const) {
    const held = readField(previous, 'spec', member);
    if (held !== undefined) fill(spec, { [member]: held });
  }
  for (const [at, port] of each(spec, 'ports').entries()) {
    const held = readField(previous, 'spec', 'ports', at, 'nodePort');
    if (held !== undefined && spec.type !== 'ClusterIP') fill(port, { nodePort: held });
  }
}

function checkService(object: Draft, previous: KubeObject | undefined): readonly FieldError[] {
  const spec = peek(object, 'spec');
  const errors: FieldError[] = [];
  const ports = each(spec, 'ports');
  if (ports.length === 0 && spec?.type !== 'ExternalName' && spec?.clusterIP !== 'None') errors.push(required('spec.ports'));
  if (spec?.type === 'ExternalName' && !spec.externalName) errors.push(required('spec.externalName'));
  for (const [at, port] of ports.entries()) {
    errors.push(...checkPort(`spec.ports[${at}].port`, port.port));
    if (ports.length > 1 && !port.name) errors.push(required(`spec.ports[${at}].name`));
  }
  const held = readField(previous, 'spec', 'clusterIP');
  const wanted = readList(spec, 'clusterIPs');
  if (held !== undefined && spec?.clusterIP !== undefined && held !== spec.clusterIP) {
    errors.push(invalidValue('spec.clusterIPs[0]', wanted, 'may not change once set'));
  }
  return errors;
}

function freeAddress(store: Store): string {
  const taken = new Set(
    store
      .table('services')
      .list()
      .map((service) => readString(service, 'spec', 'clusterIP')),
  );
  for (let at = 10; ; at++) {
    const address = `10.96.${at >> 8}.${at & 255}`;
    if (!taken.has(address)) return address;
  }
} // prettier-ignore

function freeNodePort(store: Store, spec: Draft): number {
  const taken = new Set(
    [...store.table('services').list(), { spec }].flatMap((service) =>
      readList(service, 'spec', 'ports').map((port) => readField(port, 'nodePort')),
    ),
  );
  let port = FIRST_NODE_PORT;
  while (taken.has(port)) port++;
  return port;
}
