import { readString } from '@/lib/kube/fields';
import { labelsOf, matchesSet } from '@/lib/kube/label-selector';
import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import { isAlreadyExists } from '@/server/kube';
import type { ControllerHost } from '../../host';
import { ENDPOINT_SLICE, ENDPOINTS, POD, SERVICE } from '../kinds';
import type { Loop, ObservedChange } from '../loop';
import { controllersOf, keyOf, startLoop } from '../loop';
import { isFinished, isReady, isTerminating } from '../pod-view';
import { isNamespaceTerminating } from '../workloads/pod-control';
import { deleteExactly } from '../writes';
import { hasPods, podsOf } from './backends';
import { syncEndpointSlices } from './endpoint-slices';
import { syncEndpoints } from './endpoints';

/** Keeps EndpointSlices and Endpoints of Services in line with the pods behind them. */
export function startServices(host: ControllerHost): Loop {
  return startLoop(host, {
    name: 'endpointslice',
    watches: [{ type: SERVICE }, { type: POD, keysOf: (change) => servicesOf(host, change) }, { type: ENDPOINT_SLICE, keysOf: goneSlice }],
    workers: 4,
    reconcile: async (key) => {
      const service = host.get(SERVICE, key);
      if (!service) await removeEndpoints(host, key);
      else if (hasPods(service) && !isTerminating(service)) await sync(host, service);
      return undefined;
    },
  });
}

async function sync(host: ControllerHost, service: KubeObject): Promise<void> {
  const pods = podsOf(host, service);
  try {
    await syncEndpointSlices(host, service, pods);
    await syncEndpoints(host, service, pods);
  } catch (error) {
    if (!isNamespaceTerminating(error) && !isAlreadyExists(error)) throw error;
  }
}

// Slices go with their owner; the Endpoints object has none, only the name in common.
async function removeEndpoints(host: ControllerHost, key: ObjectKey): Promise<void> {
  const endpoints = host.get(ENDPOINTS, key);
  if (endpoints && labelsOf(endpoints)['endpoints.kubernetes.io/managed-by'] === 'endpoint-controller')
    await deleteExactly(host, endpoints);
}

function servicesOf(host: ControllerHost, { before, after }: ObservedChange): readonly ObjectKey[] {
  if (before && after && deepEqual(signatureOf(before), signatureOf(after))) return [];
  const namespace = (after ?? before)?.metadata.namespace;
  const labels = [before, after].flatMap((pod) => (pod ? [labelsOf(pod)] : []));
  return host
    .list(SERVICE, namespace)
    .filter(
      (service) =>
        hasPods(service) && labels.some((set) => matchesSet((service.spec as { selector: Record<string, string> }).selector, set)),
    )
    .map(keyOf);
}

function signatureOf(pod: KubeObject): unknown {
  return [
    readString(pod, 'status', 'podIP'),
    isReady(pod),
    isTerminating(pod),
    isFinished(pod),
    labelsOf(pod),
    readString(pod, 'spec', 'nodeName'),
  ];
}

function goneSlice(change: ObservedChange): readonly ObjectKey[] {
  return change.after ? [] : controllersOf(SERVICE)(change);
}
