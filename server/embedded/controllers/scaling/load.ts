import { isFields, readFields, readList, readNumber, readString } from '@/lib/kube/fields';
import { labelsOf, matchesSelector, matchesSet } from '@/lib/kube/label-selector';
import type { KubeObject } from '@/lib/kube/object';
import type { ControllerHost } from '../../host';
import { POD, SERVICE } from '../kinds';
import { isActive, isReady } from '../pod-view';

export const LOAD = 'sim.slipway.dev/load';

/** CPU that the pods of a workload use together, in millicores, and the pods that share it. */
export interface Load {
  readonly totalMillicores: number;
  readonly readyPods: readonly KubeObject[];
}

/** The load said on the workload, or else on a Service before its pods; undefined when nobody says any. */
export function findLoad(host: ControllerHost, target: KubeObject): Load | undefined {
  const selector = readFields(target, 'spec', 'selector');
  const pods = host.list(POD, target.metadata.namespace).filter((pod) => matchesSelector(selector, labelsOf(pod)));
  const template = readFields(target, 'spec', 'template', 'metadata', 'labels') as Record<string, string>;
  const services = host.list(SERVICE, target.metadata.namespace).filter((service) => {
    const wanted = readFields(service, 'spec', 'selector');
    return Object.keys(wanted).length > 0 && matchesSet(wanted, template);
  });
  const said = [target, ...services]
    .map((object) => Number.parseFloat(object.metadata.annotations?.[LOAD] ?? ''))
    .find((load) => !Number.isNaN(load));
  return said === undefined ? undefined : { totalMillicores: said, readyPods: pods.filter((pod) => isActive(pod) && isReady(pod)) };
}

/** One CPU metric of an autoscaler: what it wants, and what it found. */
export interface CpuReading {
  /** Replicas at which the target would be met. */
  readonly proposed: number;
  readonly name: string;
  readonly status: unknown;
}

const TOLERANCE = 0.1;

/** Reads a `Resource` metric on cpu against the load; undefined for a metric that the simulation does not know. */
export function readCpu(metric: unknown, load: Load, replicas: number): CpuReading | undefined {
  const target = readFields(metric, 'resource', 'target');
  if (readString(metric, 'type') !== 'Resource' || readString(metric, 'resource', 'name') !== 'cpu' || load.readyPods.length === 0)
    return undefined;
  const perPod = load.totalMillicores / load.readyPods.length;
  const average = `${Math.round(perPod)}m`;
  const wanted = readNumber(target, 'averageUtilization');
  if (wanted === undefined) {
    const name = 'cpu resource';
    return {
      proposed: propose(load, perPod / toMillicores(target.averageValue), replicas),
      name,
      status: toStatus({ averageValue: average }),
    };
  }
  const request = requestOf(load.readyPods[0]);
  if (request === 0) return undefined;
  const utilization = Math.floor((perPod * 100) / request);
  const name = 'cpu resource utilization (percentage of request)';
  return {
    proposed: propose(load, utilization / wanted, replicas),
    name,
    status: toStatus({ averageUtilization: utilization, averageValue: average }),
  };
}

function propose(load: Load, ratio: number, replicas: number): number {
  return Math.abs(ratio - 1) <= TOLERANCE ? replicas : Math.ceil(load.readyPods.length * ratio);
}

function toStatus(current: Record<string, unknown>): unknown {
  return { type: 'Resource', resource: { name: 'cpu', current } };
}

function requestOf(pod: unknown): number {
  return readList(pod, 'spec', 'containers').reduce<number>(
    (total, container) => total + toMillicores(readFields(container, 'resources', 'requests').cpu),
    0,
  );
}

function toMillicores(quantity: unknown): number {
  if (typeof quantity === 'number') return quantity * 1000;
  if (typeof quantity !== 'string' || isFields(quantity)) return 0;
  return quantity.endsWith('m') ? Number.parseFloat(quantity) : Number.parseFloat(quantity) * 1000;
}
