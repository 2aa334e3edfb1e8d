import type { KubeObject } from '@/lib/kube/object';
import { Channel } from '@/lib/std/channel';
import type { Store } from '@/server/kube';
import type { EventSource, InformerEvent } from '../event-stream';

/** A shared store as a source of events: what it holds first, then each change. Slow consumers make it wait in memory, never the store. */
export function storeEvents(store: Store): EventSource<KubeObject> {
  return {
    async *watch(signal: AbortSignal): AsyncGenerator<InformerEvent<KubeObject>, void, void> {
      const channel = new Channel<InformerEvent<KubeObject>>(Number.POSITIVE_INFINITY);
      const release = store.subscribe(
        ({ before, after }) => {
          const object = after ?? before;
          if (object === undefined) return;
          const gone = after === undefined || Boolean(after.metadata.deletionTimestamp);
          // Room is never short, so there is nothing to wait for.
          void channel.send({ type: gone ? 'delete' : 'update', object });
        },
        { replay: true },
      );
      const stop = () => channel.close();
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      try {
        yield* channel;
      } finally {
        signal.removeEventListener('abort', stop);
        release();
      }
    },
  };
}
