import type { KubeObject, ObjectKey, TypeRef } from '@/lib/kube/object';
import { parseObjectKey } from '@/lib/kube/object';
import type { WorkQueue } from '@/server/platform';
import type { EventSource, InformerEvent } from './event-stream';

export interface QueueEventsConfig {
  readonly queue: Pick<WorkQueue<ObjectKey>, 'take' | 'done'>;
  /** The object of a key as it is now; undefined when it is gone. */
  readonly read: (key: ObjectKey) => KubeObject | undefined;
  /** What keys name, for those that are gone. */
  readonly type: TypeRef;
}

/**
 * Our informers as a source of events: their changes are keys in a queue, and each key is an event with the object as it is when its turn
 * comes. Several consumers may share a queue; a key is locked until the consumer asks for the next event, or leaves. The stream ends
 * when the queue is closed.
 */
export function queueEvents({ queue, read, type }: QueueEventsConfig): EventSource<KubeObject> {
  return {
    async *watch(_signal, onListed): AsyncGenerator<InformerEvent<KubeObject>, void, void> {
      onListed?.(); // keys come from stores that have synced
      for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
        try {
          yield toEvent(key, read(key), type);
        } finally {
          queue.done(key);
        }
      }
    },
  };
}

function toEvent(key: ObjectKey, object: KubeObject | undefined, type: TypeRef): InformerEvent<KubeObject> {
  if (object === undefined) return { type: 'delete', object: { ...type, metadata: parseObjectKey(key) }, tombstone: true };
  return { type: object.metadata.deletionTimestamp ? 'delete' : 'update', object };
}
