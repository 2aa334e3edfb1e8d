import type { Fields } from '@/lib/kube/fields';
import { readList, readString } from '@/lib/kube/fields';
import { labelsOf } from '@/lib/kube/label-selector';
import type { KubeObject } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { ControllerHost } from '../../host';
import { ownedOf } from '../claim';
import { ENDPOINT_SLICE } from '../kinds';
import { isTerminating } from '../pod-view';
import { deleteExactly, toControllerReference } from '../writes';
import type { Backend } from './backends';
import { labelsFor, portsOf, toBackends } from './backends';

const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
const MANAGER = 'endpointslice-controller.k8s.io';
const SERVICE_NAME = 'kubernetes.io/service-name';
const MAX_ENDPOINTS = 100;

/** Brings the EndpointSlices of a Service in line with its pods: an endpoint stays where it is, new ones fill gaps. */
export async function syncEndpointSlices(host: ControllerHost, service: KubeObject, pods: readonly KubeObject[]): Promise<void> {
  const slices = ownedOf(host, service.metadata.uid ?? '', ENDPOINT_SLICE).filter(
    (slice) => !isTerminating(slice) && labelsOf(slice)[MANAGED_BY] === MANAGER,
  );
  const wanted = new Map(toBackends(service, pods).map((backend) => [String(backend.target.uid), toEndpoint(backend)]));
  const filled = slices.map((slice) => ({ slice, endpoints: takeKept(slice, wanted) }));
  const rest = [...wanted.values()];
  for (const { endpoints } of filled) endpoints.push(...rest.splice(0, Math.max(0, MAX_ENDPOINTS - endpoints.length)));
  const ports = portsOf(service, pods);
  const labels = labelsFor(service, { [MANAGED_BY]: MANAGER, [SERVICE_NAME]: service.metadata.name ?? '' });
  for (const [at, { slice, endpoints }] of filled.entries()) {
    if (endpoints.length === 0 && (at > 0 || filled.some((other) => other.endpoints.length > 0))) await deleteExactly(host, slice);
    else await update(host, slice, { endpoints, labels, ports: endpoints.length > 0 ? ports : [] });
  }
  for (let first = filled.length === 0; first || rest.length > 0; first = false) {
    const endpoints = rest.splice(0, MAX_ENDPOINTS);
    await host.cluster.create(toSlice(service, { endpoints, labels, ports: endpoints.length > 0 ? ports : [] }));
  }
}

interface Content {
  readonly endpoints: readonly Fields[];
  readonly ports: readonly Fields[];
  readonly labels: Record<string, string>;
}

/** Endpoints of a slice that are still wanted, as they look now; what it takes is not wanted elsewhere any more. */
function takeKept(slice: KubeObject, wanted: Map<string, Fields>): Fields[] {
  return readList(slice, 'endpoints').flatMap((endpoint) => {
    const uid = readString(endpoint, 'targetRef', 'uid') ?? '';
    const kept = wanted.get(uid);
    wanted.delete(uid);
    return kept ? [kept] : [];
  });
}

async function update(host: ControllerHost, slice: KubeObject, { endpoints, labels, ports }: Content): Promise<void> {
  const same =
    deepEqual(readList(slice, 'endpoints'), endpoints) && deepEqual(readList(slice, 'ports'), ports) && deepEqual(labelsOf(slice), labels);
  if (!same) await host.cluster.update({ ...slice, metadata: { ...slice.metadata, labels }, endpoints, ports });
}

function toSlice(service: KubeObject, { endpoints, labels, ports }: Content): KubeObject {
  const { name = '', namespace = '' } = service.metadata;
  return {
    ...ENDPOINT_SLICE,
    metadata: { generateName: `${name}-`, namespace, labels, ownerReferences: [toControllerReference(service)] },
    addressType: 'IPv4',
    endpoints,
    ports,
  };
}

function toEndpoint({ ip, ready, serving, terminating, nodeName, hostname, target }: Backend): Fields {
  return {
    addresses: [ip],
    conditions: { ready, serving, terminating },
    ...(hostname ? { hostname } : {}),
    targetRef: target,
    ...(nodeName ? { nodeName } : {}),
  };
}
