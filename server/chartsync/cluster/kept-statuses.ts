import type { Fields } from '@/lib/kube/fields';
import { readFields } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';

interface Known {
  readonly uid: string | undefined;
  /** What the resource says, or would say were it not dropped. */
  readonly status: Fields;
  /** False once the cluster was seen to hold it. */
  readonly isUnwritten: boolean;
}

/**
 * What this process knows the statuses of resources to say, by their address: while the definition of their kind drops a status nobody else does, and without
 * what it says of the last attempt a release would be upgraded once more when the definition is mended.
 */
export class KeptStatuses {
  readonly #known = new Map<string, Known>();

  /** Takes in a resource as the cluster holds it. */
  saw(at: string, resource: KubeObject): void {
    this.#known.set(at, { uid: resource.metadata.uid, status: readFields(resource, 'status'), isUnwritten: false });
  }

  /** Keeps members of a status that cannot be written; `copy` is the resource as far as it was not seen before. */
  keep(at: string, copy: KubeObject | undefined, members: Fields): void {
    const { uid, status } = this.#known.get(at) ?? { uid: copy?.metadata.uid, status: readFields(copy, 'status') };
    this.#known.set(at, { uid, status: { ...status, ...members }, isUnwritten: true });
  }

  /** What is still to be written, to whatever resource is there. */
  unwritten(at: string): Fields | undefined {
    const known = this.#known.get(at);
    return known?.isUnwritten === true ? known.status : undefined;
  }

  /** What this resource is to say and does not; nothing of one that came after it. */
  missingFrom(at: string, resource: KubeObject): Fields | undefined {
    const known = this.#known.get(at);
    if (known === undefined || known.uid !== resource.metadata.uid) return undefined;
    return known.isUnwritten || isDropped(known.status, resource) ? known.status : undefined;
  }

  /** The resource went. */
  forget(at: string): void {
    this.#known.delete(at);
  }
}

/** Whether a written status is not there: the API server leaves out what a definition does not have, and says nothing. */
export function isDropped(written: Fields, answer: KubeObject): boolean {
  const status = readFields(answer, 'status');
  return Object.entries(written).some(([name, value]) => value !== null && value !== undefined && status[name] === undefined);
}

/** A resource with members of a status laid over its own; null removes one. */
export function withStatus(resource: KubeObject, members: Fields): KubeObject {
  const status = Object.entries({ ...readFields(resource, 'status'), ...members }).filter(([, value]) => value !== null);
  return { ...resource, status: Object.fromEntries(status) };
}
