import { setMaxListeners } from 'node:events';
import type { ObjectKey } from '@/lib/kube/object';
import type { Outcome, Reconciler } from '@/server/framework';
import { clusterOfPass, RECORD_RETRY_MS, requeueAfter, settled } from '@/server/framework';
import { yieldToEventLoop } from '@/server/platform';
import { act } from './act/act';
import type { ActContext } from './act/context';
import { actOnGone } from './act/finalize';
import { reportFailedPass } from './act/status';
import { decide } from './decide/decide';
import { decideGone } from './decide/deletion';
import type { Observation } from './observe/observe';
import { observe, observeGone } from './observe/observe';
import { withPermittedLabels } from './permission/propagated';
import { hashOf } from './revision';
import { answerRollbacks } from './rollback/answer-rollbacks';
import { withExtractedValues } from './values/observe-values';

/** When a pass looks again that wrote what it looked at, should no watch tell. */
const WRITTEN_MS = 1000;
/** When it is looked again whether the console carried out a rollback, or whether it is to be refused. */
const AWAITED_MS = 5000;

/** Brings one application a step closer to what its spec says. */
export function createApplicationReconciler(shared: Omit<ActContext, 'signal'>): Reconciler<ObjectKey> {
  return async (key, pass) => {
    const { signal } = pass;
    const context = { ...shared, deps: { ...shared.deps, cluster: clusterOfPass(shared.deps, pass) }, signal };
    try {
      return await reconcile(context, key);
    } catch (error) {
      throw await reportFailedPass(context, context.stores.applications.get(key), error);
    }
  };
}

async function reconcile(context: ActContext, key: ObjectKey): Promise<Outcome> {
  const { signal } = context;
  await yieldToEventLoop(context.deps.clock);
  const standing = (await context.deps.recordState?.()) ?? 'open';
  if (standing === 'full') return requeueAfter(RECORD_RETRY_MS); // nothing is done that could not be put on record
  const observed = observe(context.stores, key);
  const told = standing === 'open' ? observed : withoutPending(observed);
  if (told === null) {
    context.watched.set(key, []);
    context.moving.delete(key);
    context.grants.forget(key);
    context.revertPace.forget(key);
    await actOnGone(context, key, decideGone(observeGone(context.stores, key), key));
    return settled();
  }
  const found = await withExtractedValues(told, context.valuesKey);
  // What the pass was to judge is old by then; the watch of it brings the next one.
  const rollback = await answerRollbacks(context, found);
  if (rollback === 'written') return requeueAfter(WRITTEN_MS);
  setMaxListeners(0, signal); // a dispatch has many requests under way at once, each of which listens
  // Reading and rendering thousands of objects are a turn each.
  await yieldToEventLoop(context.deps.clock);
  if (!('fault' in found.application)) hashOf(found.application);
  await yieldToEventLoop(context.deps.clock);
  const seen = await withPermittedLabels(context, found);
  const decision = decide(seen, context.deps.clock.now());
  const again = await act(decision, { ...context, seen });
  if (seen.decisions.length !== observed?.decisions.length) return requeueAfter(Math.min(again ?? RECORD_RETRY_MS, RECORD_RETRY_MS));
  if (rollback === 'awaited') return requeueAfter(Math.min(again ?? AWAITED_MS, AWAITED_MS));
  return again === undefined ? settled() : requeueAfter(again);
}

/** While the record cannot be written no decision about an application counts: it stays Pending. */
function withoutPending(seen: Observation | null): Observation | null {
  return seen && { ...seen, decisions: seen.decisions.filter(({ phase }) => phase !== 'Pending') };
}
