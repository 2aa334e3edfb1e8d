import type { TypeRef } from '@/lib/kube/object';
import type { Discovery } from '@/server/kube';
import { toKindRef } from '@/server/kube';
import type { Clock } from '@/server/platform';

/** As long as discovery goes by what it knows of a kind that nobody serves. */
const LOOK_MS = 10_000;

export interface ServedKindsDeps {
  readonly discovery: Pick<Discovery, 'resolveKind'>;
  readonly clock: Clock;
  readonly types: readonly TypeRef[];
  /** Hears of each kind once, as soon as it is served. */
  readonly onServed: (type: TypeRef) => void;
}

/**
 * Waits for kinds that a cluster may serve one day. Until then nothing of them is watched: a watch of a kind that nobody serves would ask again
 * every second, and discovery answers for all of them at once, mostly that nothing has changed.
 */
export async function awaitServed({ discovery, clock, types, onServed }: ServedKindsDeps, signal: AbortSignal): Promise<void> {
  const awaited = new Set(types);
  while (!signal.aborted) {
    for (const type of awaited) {
      if (!(await isServed(discovery, type, signal))) continue;
      awaited.delete(type);
      onServed(type);
    }
    if (awaited.size === 0) return;
    await clock.sleep(LOOK_MS, signal).catch(() => undefined); // an abort ends the loop by itself
  }
}

async function isServed(discovery: Pick<Discovery, 'resolveKind'>, type: TypeRef, signal: AbortSignal): Promise<boolean> {
  const answer = discovery.resolveKind(toKindRef(type), signal);
  return answer.then(
    () => true,
    () => false, // nobody serves it, or nobody can tell now: either is asked again
  );
}
