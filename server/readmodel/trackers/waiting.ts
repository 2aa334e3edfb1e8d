import { AppError } from '@/lib/contract/app-error';
import type { ChangeFilter, ChangeRow, WaitingPage } from '@/lib/contract/change-rows';
import { countChanges, inChangeOrder, pageChanges } from '@/lib/contract/change-rows';
import { KINDS } from '@/lib/kube/kinds';
import type { ObjectKey } from '@/lib/kube/object';
import { parseObjectKey } from '@/lib/kube/object';
import type { GarbageItem, GarbagePlan } from '@/server/dispatch';
import { ownRevisions } from '../applications/desired';
import { toGarbageView } from './garbage-view';
import type { PlanDeps } from './plan-against';
import { planAgainst, planGarbageOfDeletion } from './plan-against';

/** One page of what waits to be collected of an application. */
export interface WaitingRequest extends ChangeFilter {
  readonly page?: number | undefined;
}

/**
 * What the engine would collect of an application as it stands: every older tracker against the one of the newest revision, or all of
 * them when the application is going. Undefined while nothing older is there.
 */
export function planWaiting(application: ObjectKey, deps: PlanDeps): GarbagePlan | undefined {
  const object = deps.view.get(KINDS.application, application);
  if (object === undefined) return undefined;
  if (object.metadata.deletionTimestamp !== undefined) return planGarbageOfDeletion(application, deps);
  return planAgainst(application, ownRevisions(object, deps.view).at(-1)?.number, deps);
}

/** What waits to be collected, a page of it, with what a decision about the whole has to name. */
export function viewWaiting(application: ObjectKey, request: WaitingRequest, deps: PlanDeps): WaitingPage {
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
function toRows(page: readonly GarbageItem[], plan: GarbagePlan, { view }: PlanDeps): ChangeRow[] {
  return [...inChangeOrder(toGarbageView({ ...plan, items: page }, '', '', view).rows)].map((row) => ({ ...row, diff: null }));
}

function toDecision(items: readonly GarbageItem[]): WaitingPage['decision'] {
  const held = items.filter(({ verdict }) => verdict === 'held');
  const deleted = items.filter(({ verdict }) => verdict === 'deleted');
  return { objects: held.map(({ entry }) => `${entry.kind}/${entry.namespace ?? ''}/${entry.name}`), count: held.length + deleted.length };
}
