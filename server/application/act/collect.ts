import { toAddress } from '@/lib/kube/object';
import type { GarbageItem, GarbagePlan, ResourceTracker, TrackerEntry } from '@/server/dispatch';
import { executeGarbage, readLive, trackersToGo } from '@/server/dispatch';
import type { Collection, CollectionInput } from '../decide/collection';
import { evaluateCollection } from '../decide/collection';
import { hasMoved } from '../observe/moved';
import type { Observation } from '../observe/observe';
import type { ActContext } from './context';
import { record } from './context';
import { answerDecisions } from './decisions';

export type CollectionRequest = Omit<CollectionInput, 'live' | 'decisions' | 'now' | 'rollout'>;

/** What became of a collection. */
export type CollectionOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'waiting'; readonly plan: GarbagePlan }
  | { readonly kind: 'held'; readonly plan: GarbagePlan; readonly why: string };

/** Judges a collection and, when it may go on, carries it out: exactly the plan or nothing. */
export async function collect(context: ActContext, request: CollectionRequest, seen: Observation, mayGo: boolean): Promise<CollectionOutcome> {
  const { objects, deps, signal } = context;
  const now = deps.clock.now();
  const { olds, next } = request;
  if (olds.length === 0 && seen.decisions.length === 0) return { kind: 'done' };
  const input = { ...request, rollout: seen.rollout, decisions: seen.decisions, now };
  const shown = evaluateCollection({ ...input, live: (entry) => objects.live(entry) });
  await answerDecisions(context, shown.judged, seen.decisions);
  if (olds.length === 0) return { kind: 'done' };
  if (!mayGo) return { kind: 'waiting', plan: shown.plan };
  // Trackers that only hold what waits for the application to go are no business of every pass.
  const idle = trackersToGo(shown.plan, olds).length === 0 && !shown.plan.items.some(({ verdict, released }) => verdict === 'deleted' || released);
  if (idle && shown.held === undefined) return { kind: 'done' };
  if (shown.held !== undefined) return { kind: 'held', plan: shown.plan, why: shown.held };
  // What is shown comes from watched copies; what is done is judged once more by what the server says now.
  const live = await readLive(deps.cluster, onlyOld(olds, shown.plan), signal);
  const settled = seen.decisions
    .map((decision) => shown.judged.find((one) => one.decision === decision) ?? decision)
    .map((one) => ('decision' in one ? { ...one.decision, phase: one.phase } : one));
  const fresh = evaluateCollection({ ...input, decisions: settled, live });
  if (fresh.held !== undefined) return { kind: 'held', plan: fresh.plan, why: fresh.held };
  if (fresh.plan.digest !== shown.plan.digest) return { kind: 'held', plan: fresh.plan, why: 'the set of objects to delete is changing; checking again' };
  if (await hasMoved(context, seen.object)) return { kind: 'held', plan: fresh.plan, why: 'the application changed in the meantime; checking again' };
  await execute(context, fresh, olds, next, seen);
  return { kind: 'done' };
}

function onlyOld(olds: readonly ResourceTracker[], plan: GarbagePlan): readonly TrackerEntry[] {
  const shared = new Set(plan.items.filter(({ verdict }) => verdict === 'handed-over').map(({ entry }) => entry));
  return olds.flatMap(({ entries }) => entries.filter((entry) => !shared.has(entry)));
}

async function execute(
  context: ActContext,
  { plan }: Collection,
  olds: readonly ResourceTracker[],
  next: ResourceTracker | undefined,
  seen: Observation,
): Promise<void> {
  const about = toAddress(seen.object);
  const going = plan.items.filter(({ verdict }) => verdict === 'deleted');
  await record(context, {
    id: `garbage.planned:${olds.map(({ uid }) => uid).join(',')}:${plan.digest}`,
    action: 'garbage.planned',
    about,
    message: `${going.length} ${going.length === 1 ? 'object' : 'objects'} of ${plan.from.join(', ')} ${going.length === 1 ? 'goes' : 'go'}${next ? `, since ${next.name} does not have them` : ' with the application'}`,
    data: { digest: plan.digest, deleted: going.map(({ id }) => id), held: plan.items.filter(({ verdict }) => verdict === 'held').map(({ id }) => id) },
  });
  await executeGarbage(context.deps.cluster, plan, olds, {
    signal: context.signal,
    application: { name: about.name, namespace: about.namespace ?? '' },
    onDeleted: (item) => recordDeletion(context, item, plan),
    onTrackerDeleted: (tracker) =>
      record(context, {
        id: `tracker.deleted:${tracker.uid}`,
        action: 'tracker.deleted',
        about,
        message: `ResourceTracker ${tracker.name} was deleted; its objects were taken over or deleted`,
      }),
  });
}

function recordDeletion(context: ActContext, { entry, uid, why, id }: GarbageItem, plan: GarbagePlan): Promise<void> {
  const { apiVersion, kind, name, namespace } = entry;
  return record(context, {
    id: `garbage.deleted:${uid ?? id}`,
    action: 'garbage.deleted',
    about: { apiVersion, kind, name, ...(namespace ? { namespace } : {}) },
    message: `${id} was deleted: ${why}`,
    data: { digest: plan.digest },
  });
}
