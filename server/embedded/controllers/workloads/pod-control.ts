import { messageOf } from '@/lib/contract/app-error';
import { isFields, readFields } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { getApiStatus } from '@/server/kube';
import type { ControllerHost } from '../../host';
import type { Recorder } from '../events';
import { POD } from '../kinds';
import { deleteExactly, toControllerReference } from '../writes';

/** Makes and removes the pods of a workload, and says so in events on the workload. */
export interface PodControl {
  create(owner: KubeObject, template: unknown, change?: PodChange): Promise<KubeObject | undefined>;
  remove(owner: KubeObject, pod: KubeObject): Promise<void>;
}

/** What a pod has beyond its template. */
export interface PodChange {
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** The pod that a template makes for an owner. */
export function toPod(owner: KubeObject, template: unknown, change: PodChange = {}): KubeObject {
  const meta = readFields(template, 'metadata');
  const labels = { ...readFields(meta, 'labels'), ...change.labels } as Record<string, string>;
  const annotations = { ...readFields(meta, 'annotations'), ...change.annotations } as Record<string, string>;
  const finalizers = [...(Array.isArray(meta.finalizers) ? (meta.finalizers as string[]) : []), ...(change.finalizers ?? [])];
  const { name: ownerName = '', namespace = '' } = owner.metadata;
  return {
    ...POD,
    metadata: {
      ...(change.name ? { name: change.name } : { generateName: `${ownerName}-` }),
      namespace,
      ...(Object.keys(labels).length > 0 ? { labels } : {}),
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
      ...(finalizers.length > 0 ? { finalizers } : {}),
      ownerReferences: [toControllerReference(owner)],
    },
    spec: { ...readFields(template, 'spec'), ...change.spec },
  };
}

/** True when the server refused because the namespace is going: whatever is tried there fails, and that is no fault. */
export function isNamespaceTerminating(error: unknown): boolean {
  return getApiStatus(error)?.details?.causes?.some((cause) => cause.reason === 'NamespaceTerminating') === true;
}

/** Pod control that writes through the host. */
export function createPodControl(host: ControllerHost, record: Recorder): PodControl {
  return {
    async create(owner, template, change) {
      try {
        const pod = await host.cluster.create(toPod(owner, template, change));
        record(owner, 'Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`);
        return pod;
      } catch (error) {
        if (isNamespaceTerminating(error)) return undefined;
        record(owner, 'Warning', 'FailedCreate', `Error creating: ${messageOf(error)}`);
        throw error;
      }
    },
    async remove(owner, pod) {
      try {
        await deleteExactly(host, pod);
      } catch (error) {
        record(owner, 'Warning', 'FailedDelete', `Error deleting: ${messageOf(error)}`);
        throw error;
      }
      record(owner, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
    },
  };
}

/** The template of a workload. */
export function templateOf(workload: KubeObject): unknown {
  const template = readFields(workload, 'spec').template;
  return isFields(template) ? template : {};
}
