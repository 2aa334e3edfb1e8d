import type { Release } from './clock';

/** A controller of one's own whose signal aborts with the outer one too, until it is released. */
export interface LinkedAbort {
  readonly controller: AbortController;
  readonly release: Release;
}

/**
 * Links a controller to an outer signal. By hand: what AbortSignal.any links to a signal as old as the process is not given back on every Node,
 * while this is, by whoever releases it when its work is over.
 */
export function linkAbort(outer: AbortSignal | undefined): LinkedAbort {
  const controller = new AbortController();
  const onAbort = () => controller.abort(outer?.reason);
  outer?.addEventListener('abort', onAbort, { once: true });
  if (outer?.aborted) onAbort();
  return { controller, release: () => outer?.removeEventListener('abort', onAbort) };
}
