import { AppError } from '@/lib/contract/app-error';
import type { GarbageRow, GarbageView } from '@/lib/contract/tracker-rows';
import { GARBAGE_VERDICTS } from '@/lib/contract/tracker-rows';
import { KINDS } from '@/lib/kube/kinds';
import type { ObjectKey } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import { garbageContextOf } from '@/server/application';
import type { GarbageItem, GarbagePlan } from '@/server/dispatch';
import { planGarbage, readTracker, revisionNumberOf } from '@/server/dispatch';
import type { ClusterView } from '../cluster-view';
import { toLiveState } from '../live-state';
import { targetOf } from '../rollouts/describe';
import type { BlastContext } from './blast-radius';
import { blastRadiusOf, explainBlast, toBlastScene } from './blast-radius';
import type { PlanDeps } from './plan-against';
import { planAgainst } from './plan-against';

/** Compares two trackers: what collecting the first against the second does to each object. */
export function compareTrackers(view: ClusterView, from: string, to: string): GarbageView {
  const old = requireTracker(view, from);
  const next = requireTracker(view, to);
  const application = view.get(
    KINDS.application,
    toObjectKey({ namespace: next.labels['app.oam.dev/namespace'], name: next.labels['app.oam.dev/name'] }),
  );
  const plan = planGarbage(old, next, { ...(application && garbageContextOf(application)), live: (entry) => toLiveState(view, entry) });
  return toGarbageView(plan, from, to, view);
}

function requireTracker(view: ClusterView, name: string) {
  const object = view.get(KINDS.resourceTracker, name);
  if (object === undefined) throw new AppError('not-found', `there is no ResourceTracker ${name}`);
  return readTracker(object);
}

/** A plan as the screen shows it, with what goes or suffers beside each deletion. */
export function toGarbageView(plan: GarbagePlan, from: string, to: string, view: ClusterView): GarbageView {
  const counts = Object.fromEntries(GARBAGE_VERDICTS.map((verdict) => [verdict, 0])) as GarbageView['counts'];
  for (const item of plan.items) counts[item.verdict] = (counts[item.verdict] ?? 0) + 1;
  const order = (item: GarbageItem) => GARBAGE_VERDICTS.indexOf(item.verdict);
  const scene = toBlastScene(plan, view);
  const rows = [...plan.items].sort((a, b) => order(a) - order(b) || (a.id < b.id ? -1 : 1)).map((item) => toRow(item, view, scene));
  return { from, to, digest: plan.digest, counts, rows, refused: plan.refused ?? null };
}

function toRow(item: GarbageItem, view: ClusterView, scene: BlastContext): GarbageRow {
  const { entry, verdict } = item;
  const object = view.get(entry, toObjectKey(entry));
  // What is held goes once a decision names it, so whoever decides is to see what that does.
  const radius = object !== undefined && (verdict === 'deleted' || verdict === 'held') ? blastRadiusOf(object, item, scene) : [];
  return {
    id: item.id,
    apiVersion: entry.apiVersion,
    kind: entry.kind,
    ns: entry.namespace ?? null,
    name: entry.name,
    uid: item.uid ?? null,
    verdict,
    why: item.why,
    blast: radius.map(explainBlast),
    radius: [...radius],
  };
}

/** What the end of a rollout collects: every other tracker of the application against the one of the target; undefined when there is no other. */
export function planRolloutGarbage(application: ObjectKey, deps: PlanDeps): GarbagePlan | undefined {
  const rollout = deps.view.get(KINDS.rolloutOrchestrator, application);
  return planAgainst(application, rollout && revisionNumberOf(targetOf(rollout) ?? ''), deps);
}

/** What the end of one rollout collects, for the screen; an empty view when nothing older is there. */
export function viewRolloutGarbage(application: ObjectKey, deps: PlanDeps): GarbageView {
  const rollout = deps.view.get(KINDS.rolloutOrchestrator, application);
  if (rollout === undefined) throw new AppError('not-found', `there is no RolloutOrchestrator ${application}`);
  const plan = planRolloutGarbage(application, deps);
  const nothing: GarbagePlan = { from: [], to: undefined, items: [], digest: '', refused: undefined };
  return toGarbageView(plan ?? nothing, plan?.from.join(', ') ?? '', plan?.to ?? targetOf(rollout) ?? '', deps.view);
}
