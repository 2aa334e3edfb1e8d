import type { RecordEntry } from '@/lib/contract/record-entry';
import type { FieldOwner } from '@/lib/kube/field-owners';
import { ownerOf, readOwnedFields } from '@/lib/kube/field-owners';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject, toAddress } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';
import { ignoreNotFound } from '@/server/kube';
import type { Clock } from '@/server/platform';

export interface PauseDeps {
  readonly cluster: Pick<Cluster, 'get'>;
  readonly clock: Clock;
  readonly record: (entry: RecordEntry) => Promise<void>;
}

/** An annotation holds an object, so that no pass acts on it, or holds it no longer. */
export interface Pause {
  readonly object: KubeObject;
  readonly annotation: string;
  readonly held: boolean;
}

/**
 * Puts pauses by annotation on record. Kubernetes notes the client that set an annotation, and when it last wrote anything; who the person was,
 * and who takes an annotation away, it does not note, and the record says so. One that began while nobody looked has the same id whoever finds it.
 */
export function recordPauses({ cluster, clock, record }: PauseDeps, engine: string): (pause: Pause) => Promise<void> {
  return async ({ object, annotation, held }) => {
    const about = toAddress(object);
    const { uid = '', resourceVersion = '' } = object.metadata;
    const what = describeObject(about);
    // Watched copies keep no managers, so the server is asked; what is gone by now has none.
    const setter = held ? setterOf(await ignoreNotFound(cluster.get(toAddress(object))), annotation) : undefined;
    const action = held ? 'object.paused' : 'object.resumed';
    const by =
      setter === undefined
        ? 'by whom is not recorded'
        : `set by ${setter.manager}${setter.since ? ` at ${setter.since} or before` : ''}; the person is not recorded`;
    await record({
      id: `${action}:${uid}:${annotation}:${setter?.since ?? resourceVersion}`,
      at: clock.now(),
      actor: engine,
      action,
      about,
      message: held
        ? `${what} is paused by its annotation ${annotation}, ${by}`
        : `${what} is resumed: its annotation ${annotation} was removed, ${by}`,
      ...(setter === undefined ? {} : { data: { manager: setter.manager, since: setter.since ?? null } }),
    });
  };
}

function setterOf(live: KubeObject | undefined, annotation: string): FieldOwner | undefined {
  return ownerOf((live && readOwnedFields(live)) ?? [], ['metadata', 'annotations', annotation]);
}
