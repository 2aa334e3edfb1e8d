import type { ObjMetadata } from '../identifier';
import { toIdentifierKey } from '../identifier';
import type { ResourceStatus, StatusEvent } from '../resource-status';
import type { StatusSource } from './roots';

/** One watch as a stream. Who reads slowly gets the latest status of each object, never a backlog. */
export async function* streamEvents(
  live: StatusSource,
  identifiers: readonly ObjMetadata[],
  signal: AbortSignal,
): AsyncGenerator<StatusEvent, void, void> {
  const pending = new Map<string, ResourceStatus>();
  const untold = new Set(identifiers.map(toIdentifierKey));
  let isSynced = false;
  let wake: () => void = () => undefined;
  const notify = (key: string, status: ResourceStatus) => {
    pending.set(key, status);
    wake();
  };
  const subscription = live.subscribe((status) => notify(toIdentifierKey(status.identifier), status));
  const onAbort = () => wake();
  signal.addEventListener('abort', onAbort);
  try {
    if (signal.aborted) return;
    subscription.set(identifiers);
    // Others may have been watching some of them before.
    for (const identifier of identifiers) {
      const status = live.latest(identifier);
      if (status !== undefined) notify(toIdentifierKey(identifier), status);
    }
    while (!signal.aborted) {
      for (const [key, resource] of pending) {
        pending.delete(key);
        untold.delete(key);
        yield { type: 'Update', resource };
        if (signal.aborted) return;
      }
      if (!isSynced && untold.size === 0) {
        isSynced = true;
        yield { type: 'Sync' };
        continue;
      }
      await new Promise<void>((resolve) => {
        wake = resolve; // nothing came since the last look: from there to here all is one turn
      });
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    subscription.release();
  }
}
