import type { Fields } from '@/lib/kube/fields';
import { readList, readString } from '@/lib/kube/fields';
import { labelsOf } from '@/lib/kube/label-selector';
import type { KubeObject } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { ControllerHost } from '../../host';
import { ENDPOINTS } from '../kinds';
import type { Backend } from './backends';
import { labelsFor, portsOf, toBackends } from './backends';

const MANAGED_BY = 'endpoints.kubernetes.io/managed-by';
const OVER_CAPACITY = 'endpoints.kubernetes.io/over-capacity';
const CAPACITY = 1000;

/** Brings the Endpoints object of a Service, the older form of its slices, in line with its pods. */
export async function syncEndpoints(host: ControllerHost, service: KubeObject, pods: readonly KubeObject[]): Promise<void> {
  const { name = '', namespace = '' } = service.metadata;
  const backends = toBackends(service, pods).filter((backend) => !backend.terminating);
  const subsets = toSubsets(backends.slice(0, CAPACITY), portsOf(service, pods));
  const labels = labelsFor(service, { [MANAGED_BY]: 'endpoint-controller' });
  const annotations = backends.length > CAPACITY ? { [OVER_CAPACITY]: 'truncated' } : {};
  const body = subsets.length > 0 ? { subsets } : {};
  const existing = host.get(ENDPOINTS, `${namespace}/${name}`);
  if (!existing) await host.cluster.create({ ...ENDPOINTS, metadata: { name, namespace, labels, annotations }, ...body });
  else if (!deepEqual(readList(existing, 'subsets'), subsets) || !deepEqual(labelsOf(existing), labels)) {
    const { subsets: _old, ...rest } = existing;
    await host.cluster.update({ ...rest, metadata: { ...existing.metadata, labels, annotations }, ...body });
  }
}

function toSubsets(backends: readonly Backend[], ports: readonly Fields[]): readonly Fields[] {
  if (backends.length === 0) return [];
  const sorted = [...backends].sort((a, b) => (a.ip < b.ip ? -1 : 1));
  const addresses = sorted.filter((backend) => backend.ready).map(toEndpointAddress);
  const notReadyAddresses = sorted.filter((backend) => !backend.ready).map(toEndpointAddress);
  return [
    {
      ...(addresses.length > 0 ? { addresses } : {}),
      ...(notReadyAddresses.length > 0 ? { notReadyAddresses } : {}),
      ...(ports.length > 0 ? { ports: ports.map(withoutEmptyName) } : {}),
    },
  ];
}

function toEndpointAddress({ ip, nodeName, hostname, target }: Backend): Fields {
  return { ip, ...(hostname ? { hostname } : {}), ...(nodeName ? { nodeName } : {}), targetRef: target };
}

function withoutEmptyName(port: Fields): Fields {
  const { name: _name, ...rest } = port;
  return readString(port, 'name') === '' ? rest : port;
}
