import type { ObjectAddress } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import { formatCount } from '@/lib/words/figures';
import type { GarbageItem, GarbagePlan, ResourceTracker, TrackerEntry } from '@/server/dispatch';
import { executeGarbage, readLive } from '@/server/dispatch';
import type { Collection, CollectionOutcome, CollectionRequest } from '../decide/collection';
import { changedCollectionReason, decideCollection, evaluateCollection, withAnswers } from '../decide/collection';
import { hasMoved } from '../observe/live-checks';
import type { Observation } from '../observe/observe';
import type { ActContext } from './context';
import { record } from './context';
import { answerDecisions } from './decisions';

interface Asked extends CollectionRequest {
  /** False while what older trackers have is only shown. */
  readonly mayGo: boolean;
}

/** Judges a collection and, when it may go on, carries it out: exactly the plan or nothing. */
export async function collect(context: ActContext, { mayGo, ...request }: Asked, seen: Observation): Promise<CollectionOutcome> {
  const { objects, deps, signal } = context;
  const { olds } = request;
  const { decisions } = seen;
  if (olds.length === 0 && decisions.length === 0) return { kind: 'done' };
  const decisionsBlockedReason = deps.decisionsBlockedReason?.('approve') ?? undefined;
  const input = { ...request, rollout: seen.rollout, decisionsBlockedReason, now: deps.clock.now() };
  const shown = evaluateCollection({ ...input, decisions, live: (entry) => objects.live(entry) });
  await answerDecisions(context, await withoutEarly(context, shown, seen), decisions);
  if (olds.length === 0) return { kind: 'done' };
  const decided = decideCollection(shown, olds, mayGo);
  if (decided.kind !== 'collect') return decided;
  // What is shown comes from watched copies; what is done is judged once more by what the server says now.
  const live = await readLive(deps.cluster, onlyOld(olds, shown.plan), signal);
  const fresh = evaluateCollection({ ...input, decisions: withAnswers(shown.evaluated, decisions), live });
  const why = changedCollectionReason(shown, fresh);
  if (why !== undefined) return { kind: 'held', plan: fresh.plan, why };
  if (await hasMoved(context, seen.object))
    return { kind: 'held', plan: fresh.plan, why: 'the application changed in the meantime; checking again' };
  await execute(context, fresh.plan, { olds, next: request.next, about: toAddress(seen.object) });
  return { kind: 'done' };
}

/** A decision may be heard of before the change of the application that it is about: it is not refused by a copy that lags. */
async function withoutEarly(context: ActContext, { evaluated }: Collection, seen: Observation): Promise<Collection['evaluated']> {
  const isRefused = evaluated.some(({ phase }) => phase === 'Rejected');
  return isRefused && (await hasMoved(context, seen.object)) ? evaluated.filter(({ phase }) => phase !== 'Rejected') : evaluated;
}

function onlyOld(olds: readonly ResourceTracker[], plan: GarbagePlan): readonly TrackerEntry[] {
  const shared = new Set(plan.items.filter(({ verdict }) => verdict === 'handed-over').map(({ entry }) => entry));
  return olds.flatMap(({ entries }) => entries.filter((entry) => !shared.has(entry)));
}

interface Execution extends Pick<CollectionRequest, 'olds' | 'next'> {
  /** The application. */
  readonly about: ObjectAddress;
}

async function execute(context: ActContext, plan: GarbagePlan, { olds, next, about }: Execution): Promise<void> {
  const going = plan.items.filter(({ verdict }) => verdict === 'deleted');
  await record(context, {
    id: `garbage.planned:${olds.map(({ uid }) => uid).join(',')}:${plan.digest}`,
    action: 'garbage.planned',
    about,
    message: `${formatCount(going.length, 'object')} of ${plan.from.join(', ')} will be deleted${next ? `: not part of ${next.name}` : ' with the application'}`,
    data: {
      digest: plan.digest,
      deleted: going.map(({ id }) => id),
      held: plan.items.filter(({ verdict }) => verdict === 'held').map(({ id }) => id),
      ...ledgerOf(plan, going),
    },
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

/** More objects than this are not named as handed over: each collection is on record for ever. */
const MAX_HANDED_OVER = 200;

/** Whose objects they were, by places in `from` where there are several: the trackers go, and with them what tells of their revisions. */
function ledgerOf({ from, to, items }: GarbagePlan, going: readonly GarbageItem[]) {
  const handed = items.filter(({ verdict }) => verdict === 'handed-over');
  const named = handed.length > MAX_HANDED_OVER ? [] : handed;
  const by = (some: readonly GarbageItem[]) => some.map(({ tracker }) => from.indexOf(tracker));
  return {
    from,
    ...(to === undefined ? {} : { to }),
    ...(named.length === 0 ? {} : { handedOver: named.map(({ id }) => id) }),
    ...(from.length > 1 ? { deletedBy: by(going), handedOverBy: by(named) } : {}),
  };
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
