import { AppError } from '@/lib/contract/app-error';
import type { ChangeFilter, ChangeRow, WaitingPage } from '@/lib/contract/change-rows';
import { countChanges, inChangeOrder, pageChanges } from '@/lib/contract/change-rows';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { parseObjectKey } from '@/lib/kube/object';
import { garbageContextOf } from '@/server/application';
import type { GarbageItem, GarbagePlan, ResourceTracker } from '@/server/dispatch';
import { planGarbage, readTracker, revisionNumberOf } from '@/server/dispatch';
import type { FactsDeps } from '../applications/application-facts';
import { toLiveState } from '../live-state';
import { toGarbageView } from './garbage-view';

type Deps = Pick<FactsDeps, 'view' | 'tracked'>;

/** One page of what waits to be collected of an application. */
export interface WaitingRequest extends ChangeFilter {
  readonly page?: number | undefined;
}

/**
 * What the engine would collect of an application as it stands: every older tracker against the one of the newest revision, or all of
 * them when the application is going. Undefined while nothing older is there.
 */
export function planWaiting(application: ObjectKey, deps: Deps): GarbagePlan | undefined {
  const object = deps.view.get(KINDS.application, application);
  if (object === undefined) return undefined;
  const trackers = deps.tracked.trackersOf(application).flatMap((tracker) => readNumbered(tracker, deps));
  const context = { ...garbageContextOf(object), live: (entry: Parameters<typeof toLiveState>[1]) => toLiveState(deps.view, entry) };
  if (object.metadata.deletionTimestamp !== undefined) {
    return trackers.length === 0
      ? undefined
      : planGarbage(
          trackers.map((one) => one.tracker),
          undefined,
          context,
        );
  }
  const newest = newestRevision(application, deps);
  const next = trackers.find(({ number }) => number === newest);
  const olds = trackers.filter((one) => one !== next && one.tracker.deletionTimestamp === undefined).sort((a, b) => b.number - a.number);
  if (next === undefined || olds.length === 0) return undefined;
  return planGarbage(
    olds.map((one) => one.tracker),
    next.tracker,
    context,
  );
}

function newestRevision(application: ObjectKey, { view }: Deps): number {
  return Math.max(0, ...view.ofApplication(KINDS.applicationRevision, application).map(({ metadata }) => revisionNumberOf(metadata.name ?? '') ?? 0));
}

function readNumbered(tracker: KubeObject, { tracked }: Deps): readonly { readonly tracker: ResourceTracker; readonly number: number }[] {
  try {
    return [{ tracker: readTracker(tracker), number: revisionNumberOf(tracked.revisionOf(tracker) ?? '') ?? 0 }];
  } catch {
    return []; // shown as unreadable on its own page; the engine refuses to collect while it is
  }
}

/** What waits to be collected, a page of it, with what a decision about the whole has to name. */
export function viewWaiting(application: ObjectKey, request: WaitingRequest, deps: Deps): WaitingPage {
  if (deps.view.get(KINDS.application, application) === undefined) {
    const { namespace, name } = parseObjectKey(application);
    throw new AppError('not-found', `there is no Application ${name} in ${namespace ?? 'the cluster'}`);
  }
  const plan = planWaiting(application, deps) ?? { from: [], to: undefined, items: [], digest: '', refused: undefined };
  const items = plan.items.map((item) => ({ id: item.id, kind: item.entry.kind, verdict: item.verdict, item }));
  const { rows: page, total } = pageChanges(items, request);
  return {
    ...countChanges(items),
    from: [...plan.from],
    to: plan.to ?? null,
    digest: plan.digest,
    refused: plan.refused ?? null,
    total,
    rows: toRows(
      page.map(({ item }) => item),
      plan,
      deps,
    ),
    decision: toDecision(plan.items),
    going: countChanges(items.filter(({ verdict }) => verdict === 'held' || verdict === 'deleted')).kinds,
  };
}

/** What goes with a deletion is worked out for the page alone: it looks at much more than the plan. */
function toRows(page: readonly GarbageItem[], plan: GarbagePlan, { view }: Deps): ChangeRow[] {
  return [...inChangeOrder(toGarbageView({ ...plan, items: page }, '', '', view).rows)].map((row) => ({ ...row, diff: null }));
}

function toDecision(items: readonly GarbageItem[]): WaitingPage['decision'] {
  const held = items.filter(({ verdict }) => verdict === 'held');
  const deleted = items.filter(({ verdict }) => verdict === 'deleted');
  return { objects: held.map(({ entry }) => `${entry.kind}/${entry.namespace ?? ''}/${entry.name}`), count: held.length + deleted.length };
}
