import { DispatchError } from '../dispatch-error';
import { GCHandler } from '../garbage/handler';
import type { ResourceTracker } from '../tracker/record';
import type { DispatchContext } from './dispatch-context';

interface Collected {
  /** Where the application lies. */
  readonly namespace: string;
  readonly current: ResourceTracker;
  readonly previous: ResourceTracker | undefined;
  readonly strays: readonly ResourceTracker[];
}

/** Deletes what only the previous tracker lists, and the tracker; then trackers that older code left behind. */
export async function collect(
  { client, options, signal }: DispatchContext,
  { namespace, current, previous, strays }: Collected,
): Promise<void> {
  const handler = new GCHandler(client, namespace, options.garbage);
  try {
    if (previous !== undefined) await handler.garbageCollect(previous, current, signal);
    for (const stray of strays) await handler.forget(stray, current, signal);
  } catch (cause) {
    if (previous === undefined) throw cause;
    throw new DispatchError(`cannot do GC based on resource trackers "${previous.name}" and "${current.name}"`, {
      stage: 'collect',
      cause,
    });
  }
}
