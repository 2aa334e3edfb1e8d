import type { Fields } from '@/lib/kube/fields';
import { readFields } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';

interface Kept {
  readonly uid: string | undefined;
  readonly status: Fields;
}

/**
 * What there is to tell of resources while the definition of their kind drops it, by their address: a Helm that runs then ends by itself, and without what its
 * status says of the last attempt the release would be upgraded once more when the definition is mended.
 */
export class KeptStatuses {
  readonly #kept = new Map<string, Kept>();

  /** Keeps members of a status, beside those that the resource had. */
  keep(at: string, resource: KubeObject | undefined, members: Fields): void {
    const uid = resource?.metadata.uid;
    const before = this.#kept.get(at);
    const known = before !== undefined && before.uid === uid ? before.status : readFields(resource, 'status');
    this.#kept.set(at, { uid, status: { ...known, ...members } });
  }

  /** What is to be written of a resource that can be told again; nothing of one that came after it. */
  of(at: string, resource: KubeObject): Fields | undefined {
    const kept = this.#kept.get(at);
    if (kept !== undefined && kept.uid !== resource.metadata.uid) this.#kept.delete(at);
    return this.#kept.get(at)?.status;
  }

  /** It was written. */
  forget(at: string): void {
    this.#kept.delete(at);
  }
}

/** Whether a written status is not there: the API server leaves out what a definition does not have, and says nothing. */
export function isDropped(written: Fields, answer: KubeObject): boolean {
  const status = readFields(answer, 'status');
  return Object.entries(written).some(([name, value]) => value !== null && value !== undefined && status[name] === undefined);
}
