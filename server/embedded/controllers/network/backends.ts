import type { Fields } from '@/lib/kube/fields';
import { readBoolean, readFields, readList, readString } from '@/lib/kube/fields';
import { labelsOf, matchesSet } from '@/lib/kube/label-selector';
import type { KubeObject } from '@/lib/kube/object';
import type { ControllerHost } from '../../host';
import { POD } from '../kinds';
import { isFinished, isReady, isTerminating, nodeOf } from '../pod-view';

const HEADLESS_LABEL = 'service.kubernetes.io/headless';

/** One pod behind a Service. */
export interface Backend {
  readonly ip: string;
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
  readonly nodeName: string;
  readonly hostname: string | undefined;
  readonly target: Fields;
}

/** True for a Service whose endpoints come from pods. */
export function hasPods(service: KubeObject): boolean {
  return Object.keys(readFields(service, 'spec', 'selector')).length > 0 && readString(service, 'spec', 'type') !== 'ExternalName';
}

/** Labels of what is made for a Service: its own, who made them, and a mark when it has no address of its own. */
export function labelsFor(service: KubeObject, own: Readonly<Record<string, string>>): Record<string, string> {
  const { [HEADLESS_LABEL]: _own, ...labels } = labelsOf(service);
  return { ...labels, ...own, ...(readString(service, 'spec', 'clusterIP') === 'None' ? { [HEADLESS_LABEL]: '' } : {}) };
}

/** Pods that a Service selects. */
export function podsOf(host: ControllerHost, service: KubeObject): readonly KubeObject[] {
  const selector = readFields(service, 'spec', 'selector');
  return host.list(POD, service.metadata.namespace).filter((pod) => matchesSet(selector, labelsOf(pod)));
}

/** The pods that have an address and have not ended. */
export function toBackends(service: KubeObject, pods: readonly KubeObject[]): readonly Backend[] {
  const early = readBoolean(service, 'spec', 'publishNotReadyAddresses') ?? false;
  return pods.flatMap((pod) => {
    const ip = readString(pod, 'status', 'podIP');
    if (ip === undefined || isFinished(pod)) return [];
    const { name, namespace, uid } = pod.metadata;
    const serving = isReady(pod);
    const terminating = isTerminating(pod);
    const isNamed = readString(pod, 'spec', 'subdomain') === service.metadata.name;
    return {
      ip,
      ready: early || (serving && !terminating),
      serving,
      terminating,
      nodeName: nodeOf(pod),
      hostname: isNamed ? readString(pod, 'spec', 'hostname') : undefined,
      target: { kind: 'Pod', namespace, name, uid },
    };
  });
}

/** Ports as the pods serve them; a named target port is looked up in the first pod that has it. */
export function portsOf(service: KubeObject, pods: readonly KubeObject[]): readonly Fields[] {
  return readList(service, 'spec', 'ports').flatMap((port) => {
    const target = readFields(port).targetPort ?? readFields(port).port;
    const number = typeof target === 'number' ? target : findPort(pods, String(target));
    if (number === undefined) return [];
    const appProtocol = readString(port, 'appProtocol');
    return {
      name: readString(port, 'name') ?? '',
      port: number,
      protocol: readString(port, 'protocol') ?? 'TCP',
      ...(appProtocol ? { appProtocol } : {}),
    };
  });
}

function findPort(pods: readonly KubeObject[], name: string): number | undefined {
  for (const pod of pods) {
    for (const container of readList(pod, 'spec', 'containers')) {
      const port = readList(container, 'ports').find((entry) => readString(entry, 'name') === name);
      if (port !== undefined) return readFields(port).containerPort as number;
    }
  }
  return undefined;
}
