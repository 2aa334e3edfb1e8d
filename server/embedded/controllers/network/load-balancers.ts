import { readFields, readList, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { parseKubeTime } from '@/lib/std/instant';
import type { ControllerHost } from '../../host';
import type { EventWriter, Recorder } from '../events';
import type { RequeueAfterMs } from '../key-queue';
import { INGRESS, INGRESS_CLASS, SERVICE } from '../kinds';
import type { Loop } from '../loop';
import { keyOf, startLoop } from '../loop';
import { isTerminating } from '../pod-view';
import { updateStatus } from '../writes';

/** How long a cloud takes to make a load balancer. */
const PROVISION_MS = 3000;

// Of the range for benchmarks (RFC 2544), so that no address is anybody's. The first is that of the ingress controller.
const INGRESS_ADDRESS = '198.18.0.1';
const FIRST_SERVICE = 2;
const LEGACY_CLASS = 'kubernetes.io/ingress.class';

/** Plays the cloud: gives every Service of type LoadBalancer an address of its own, unless its class asks for another controller. */
export function startLoadBalancers(host: ControllerHost, events: EventWriter): Loop {
  const record = events.recorder('service-controller');
  return startLoop(host, {
    name: 'service-lb',
    watches: [{ type: SERVICE }],
    reconcile: async (key) => {
      const service = host.get(SERVICE, key);
      return service && !isTerminating(service) ? syncService(host, record, service) : undefined;
    },
  });
}

async function syncService(host: ControllerHost, record: Recorder, service: KubeObject): Promise<RequeueAfterMs> {
  const given = addressesOf(service);
  if (readString(service, 'spec', 'type') !== 'LoadBalancer') {
    if (given.length > 0) await giveAddress(host, service, []);
    return undefined;
  }
  // Who names a class asks for a controller that is not part of the cloud (KEP-1959).
  if (given.length > 0 || readString(service, 'spec', 'loadBalancerClass')) return undefined;
  const left = provisioning(host, service);
  if (left > 0) return left;
  const ip = readString(service, 'spec', 'loadBalancerIP') || freeAddress(host);
  await giveAddress(host, service, [{ ip, ipMode: 'VIP' }]);
  record(service, 'Normal', 'EnsuredLoadBalancer', 'Ensured load balancer');
  return undefined;
}

/** Plays an ingress controller, all of whose Ingresses are reached at one address. */
export function startIngresses(host: ControllerHost, events: EventWriter): Loop {
  const record = events.recorder('ingress-controller');
  const waiting = () =>
    host
      .list(INGRESS)
      .filter((ingress) => addressesOf(ingress).length === 0)
      .map(keyOf);
  return startLoop(host, {
    name: 'ingress',
    watches: [{ type: INGRESS }, { type: INGRESS_CLASS, keysOf: waiting }],
    reconcile: async (key) => {
      const ingress = host.get(INGRESS, key);
      if (!ingress || isTerminating(ingress) || addressesOf(ingress).length > 0 || !isServed(host, ingress)) return undefined;
      const left = provisioning(host, ingress);
      if (left > 0) return left;
      await giveAddress(host, ingress, [{ ip: INGRESS_ADDRESS }]);
      record(ingress, 'Normal', 'Sync', 'Scheduled for sync');
      return undefined;
    },
  });
}

/** Where classes are set up, a name that is none of theirs is a mistake and served by nobody; where none are, every name will do. */
function isServed(host: ControllerHost, ingress: KubeObject): boolean {
  const name = readString(ingress, 'spec', 'ingressClassName');
  if (name === undefined || ingress.metadata.annotations?.[LEGACY_CLASS] !== undefined) return true;
  const classes = host.list(INGRESS_CLASS);
  return classes.length === 0 || classes.some(({ metadata }) => metadata.name === name);
}

/** How much of the time that a cloud takes is left. */
function provisioning(host: ControllerHost, { metadata }: KubeObject): number {
  const createdAt = parseKubeTime(metadata.creationTimestamp);
  return createdAt === undefined ? 0 : createdAt + PROVISION_MS - host.clock.now();
}

function addressesOf(object: KubeObject): readonly unknown[] {
  return readList(object, 'status', 'loadBalancer', 'ingress');
}

async function giveAddress(host: ControllerHost, object: KubeObject, ingress: readonly object[]): Promise<void> {
  await updateStatus(host, object, { ...readFields(object, 'status'), loadBalancer: ingress.length > 0 ? { ingress } : {} });
}

function freeAddress(host: ControllerHost): string {
  const taken = new Set(host.list(SERVICE).flatMap((service) => addressesOf(service).map((entry) => readString(entry, 'ip'))));
  for (let at = FIRST_SERVICE; ; at++) {
    const address = `198.${18 + (at >> 16)}.${(at >> 8) & 255}.${at & 255}`;
    if (!taken.has(address)) return address;
  }
}
