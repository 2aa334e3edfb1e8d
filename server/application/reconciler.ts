import { setMaxListeners } from 'node:events';
import type { ObjectKey } from '@/lib/kube/object';
import type { Reconciler } from '@/server/framework';
import { clusterOfPass, requeueAfter, settled } from '@/server/framework';
import { breathe } from '@/server/platform';
import { act } from './act';
import type { ActContext } from './act-context';
import { rejectStrays } from './act-decisions';
import { dropEmptyTrackers } from './act-empty-trackers';
import { decide } from './decide';
import { observe } from './observe';
import { hashOf } from './revision';

/** Brings one application a step closer to what its spec says. */
export function createApplicationReconciler(shared: Omit<ActContext, 'signal'>): Reconciler<ObjectKey> {
  return async (key, pass) => {
    const { signal } = pass;
    const context = { ...shared, deps: { ...shared.deps, cluster: clusterOfPass(shared.deps, pass) } };
    await breathe(context.deps.clock);
    const seen = observe(context.stores, key);
    if (seen === null) {
      context.watched.set(key, []);
      await rejectStrays({ ...context, signal }, key);
      await dropEmptyTrackers({ ...context, signal }, key);
      return settled();
    }
    setMaxListeners(0, signal); // a dispatch has many requests under way at once, each of which listens
    // Reading and rendering thousands of objects are a turn each.
    await breathe(context.deps.clock);
    if (!('fault' in seen.application)) hashOf(seen.application);
    await breathe(context.deps.clock);
    const decision = decide(seen, context.deps.clock.now());
    const again = await act({ ...context, signal }, decision, seen);
    return again === undefined ? settled() : requeueAfter(again);
  };
}
