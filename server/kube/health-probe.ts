import { messageOf } from '@/lib/contract/app-error';
import type { Instant } from '@/lib/std/instant';
import { toIso } from '@/lib/std/instant';
import type { Clock, Log, Release } from '@/server/platform';
import { linkAbort } from '@/server/platform';
import type { Cluster } from './cluster';

const EVERY_MS = 2_000;
const STALE_AFTER_MS = 5_000;

/** Whether the API server answers. Stale: what its stores hold may no longer be so. */
export type ProbeState =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'answering' }
  | { readonly kind: 'stale'; readonly since: Instant; readonly reason: string };

/** A sentence while the API server does not answer. */
export function describeSilence(state: ProbeState): readonly string[] {
  return state.kind === 'stale' ? [`the API server has not answered since ${toIso(state.since)}: ${state.reason}`] : [];
}

/** Asks `/readyz` every two seconds; five seconds without a good answer are stale. */
export interface HealthProbe extends AsyncDisposable {
  start(): void;
  state(): ProbeState;
  /** Hears when the kind of the state changes. */
  subscribe(handler: (state: ProbeState) => void): Release;
}

/** A probe of one API server. */
export function createHealthProbe({
  cluster,
  clock,
  log,
}: {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly log: Log;
}): HealthProbe {
  const handlers = new Set<(state: ProbeState) => void>();
  const stop = new AbortController();
  const underWay = new Set<Promise<void>>();
  let state: ProbeState = { kind: 'unknown' };
  let reason = 'it has not answered yet';
  const late = `it did not answer within ${STALE_AFTER_MS / 1000} seconds`;
  let cancelTick: Release = () => undefined;
  let cancelStale: Release = () => undefined;

  function become(next: ProbeState): void {
    const hasChanged = next.kind !== state.kind;
    state = next;
    if (!hasChanged) return;
    log.info({ state: next.kind, ...(next.kind === 'stale' ? { reason: next.reason } : {}) }, 'the API server changed its health');
    for (const handler of handlers) handler(next);
  }

  function awaitAnswer(): void {
    cancelStale();
    const since = clock.now();
    cancelStale = clock.schedule(STALE_AFTER_MS, () => become({ kind: 'stale', since, reason }));
  }

  async function ask(): Promise<void> {
    const { controller, release } = linkAbort(stop.signal);
    const { signal } = controller;
    const cancel = clock.schedule(STALE_AFTER_MS, () => controller.abort(new Error(late)));
    try {
      const answer = await cluster.request({ path: '/readyz', signal });
      for await (const _chunk of answer.body); // read to the end, so that the connection can be used again
      // Refusing us is an answer too; only its own trouble is none.
      if (answer.status >= 500) throw new Error(`it answered ${answer.status}: not ready`);
      if (stop.signal.aborted) return;
      become({ kind: 'answering' });
      reason = late; // until it is known better
      awaitAnswer();
    } catch (error) {
      reason = messageOf(signal.aborted ? signal.reason : error);
    } finally {
      release();
      cancel();
    }
  }

  function tick(): void {
    const asking = ask().finally(() => underWay.delete(asking));
    underWay.add(asking);
    cancelTick = clock.schedule(EVERY_MS, tick);
  }

  return {
    start() {
      awaitAnswer();
      tick();
    },
    state: () => state,
    subscribe(handler) {
      const own = (next: ProbeState) => handler(next);
      handlers.add(own);
      return () => void handlers.delete(own);
    },
    async [Symbol.asyncDispose]() {
      stop.abort(new Error('the probe was stopped'));
      cancelTick();
      await Promise.all(underWay);
      cancelStale();
    },
  };
}
