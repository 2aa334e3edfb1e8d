import { AppError } from '@/lib/contract/app-error';
import type { GarbageRow, GarbageView } from '@/lib/contract/tracker-rows';
import { GARBAGE_VERDICTS } from '@/lib/contract/tracker-rows';
import { readFields, readString } from '@/lib/kube/fields';
import { KINDS, LABELS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { describeObject, toObjectKey } from '@/lib/kube/object';
import { garbageContextOf } from '@/server/application';
import type { GarbageItem, GarbagePlan, ResourceTracker } from '@/server/dispatch';
import { extractAppRevisionName, planGarbage, readTracker, revisionNumberOf } from '@/server/dispatch';
import type { FactsDeps } from '../applications/application-facts';
import type { ClusterView } from '../cluster-view';
import { toLiveState } from '../live-state';
import { readRolloutState } from '../rollouts/rollout-state';

const MOST_NAMED = 4;

/** Compares two trackers: what collecting the first against the second does to each object. */
export function compareTrackers(view: ClusterView, from: string, to: string): GarbageView {
  const old = requireTracker(view, from);
  const next = requireTracker(view, to);
  const application = view.get(KINDS.application, toObjectKey({ namespace: next.labels['app.oam.dev/namespace'], name: next.labels['app.oam.dev/name'] }));
  const plan = planGarbage(old, next, { ...(application && garbageContextOf(application)), live: (entry) => toLiveState(view, entry) });
  return toGarbageView(plan, from, to, view);
}

function requireTracker(view: ClusterView, name: string) {
  const object = view.get(KINDS.resourceTracker, name);
  if (object === undefined) throw new AppError('not-found', `no ResourceTracker is called ${name}`);
  return readTracker(object);
}

/** A plan as the screen shows it, with what goes or suffers beside each deletion. */
export function toGarbageView(plan: GarbagePlan, from: string, to: string, view: ClusterView): GarbageView {
  const counts = Object.fromEntries(GARBAGE_VERDICTS.map((verdict) => [verdict, 0])) as GarbageView['counts'];
  for (const item of plan.items) counts[item.verdict] = (counts[item.verdict] ?? 0) + 1;
  const order = (item: GarbageItem) => GARBAGE_VERDICTS.indexOf(item.verdict);
  const rows = [...plan.items].sort((a, b) => order(a) - order(b) || (a.id < b.id ? -1 : 1)).map((item) => toRow(item, view));
  return { from, to, digest: plan.digest, counts, rows, refused: plan.refused ?? null };
}

function toRow(item: GarbageItem, view: ClusterView): GarbageRow {
  const { entry, verdict } = item;
  const object = view.get(entry, toObjectKey(entry));
  return {
    id: item.id,
    apiVersion: entry.apiVersion,
    kind: entry.kind,
    ns: entry.namespace ?? null,
    name: entry.name,
    uid: item.uid ?? null,
    verdict,
    why: item.why,
    blast: verdict === 'deleted' && object !== undefined ? blastOf(object, view) : [],
  };
}

/** What goes or suffers with an object: dependents by owner, endpoints that lose their pods, finalizers that will hold it. */
function blastOf(object: KubeObject, view: ClusterView): string[] {
  const blast: string[] = [];
  const dependents = dependentsOf(object, view);
  for (const [kind, names] of dependents) {
    const named = names.slice(0, MOST_NAMED).join(', ');
    blast.push(`takes ${names.length} ${kind}${names.length === 1 ? '' : 's'} with it: ${named}${names.length > MOST_NAMED ? ', …' : ''}`);
  }
  for (const service of servicesLosing(object, view)) blast.push(`${describeObject({ kind: 'Service', ...service.metadata })} loses its last endpoint`);
  const { finalizers = [] } = object.metadata;
  if (finalizers.length > 0) blast.push(`held until ${finalizers.join(', ')} ${finalizers.length === 1 ? 'is' : 'are'} removed`);
  return blast;
}

function dependentsOf(object: KubeObject, view: ClusterView): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const queue = view.children(object.metadata.uid ?? '').slice();
  for (let child = queue.shift(); child !== undefined; child = queue.shift()) {
    const names = found.get(child.kind) ?? [];
    names.push(child.metadata.name ?? '');
    found.set(child.kind, names);
    queue.push(...view.children(child.metadata.uid ?? ''));
  }
  return found;
}

/** Services whose selected workloads are all this one. */
function servicesLosing(workload: KubeObject, view: ClusterView): readonly KubeObject[] {
  const labels = readFields(workload, 'spec', 'template', 'metadata', 'labels');
  if (Object.keys(labels).length === 0) return [];
  const { namespace, uid } = workload.metadata;
  const selects = (service: KubeObject, template: unknown) => {
    const selector = Object.entries(readFields(service, 'spec', 'selector'));
    return selector.length > 0 && selector.every(([key, value]) => readString(template, 'spec', 'template', 'metadata', 'labels', key) === value);
  };
  const others = view
    .open(KINDS.deployment)
    .list(namespace)
    .filter((other) => other.metadata.uid !== uid);
  return view
    .open(KINDS.service)
    .list(namespace)
    .filter((service) => selects(service, workload) && !others.some((other) => selects(service, other)));
}

/** What the end of a rollout collects: every other tracker of the application against the one of the target; undefined when there is no other. */
export function planRolloutGarbage(application: ObjectKey, { view, tracked }: Pick<FactsDeps, 'view' | 'tracked'>): GarbagePlan | undefined {
  const rollout = view.get(KINDS.rolloutOrchestrator, application);
  const target = revisionNumberOf(rollout === undefined ? '' : readRolloutState(rollout).to);
  const trackers = tracked.trackersOf(application).flatMap((object) => {
    try {
      return [readTracker(object)];
    } catch {
      return []; // shown as unreadable on its own page; the engine refuses to collect while it is
    }
  });
  const numberOf = (tracker: ResourceTracker) => revisionNumberOf(extractAppRevisionName(tracker.name, tracker.labels[LABELS.appNamespace] ?? ''));
  const next = trackers.find((tracker) => numberOf(tracker) === target);
  const older = trackers
    .filter((tracker) => tracker !== next && tracker.deletionTimestamp === undefined)
    .sort((a, b) => (numberOf(b) ?? 0) - (numberOf(a) ?? 0));
  if (next === undefined || older.length === 0) return undefined;
  const object = view.get(KINDS.application, application);
  return planGarbage(older, next, { ...(object && garbageContextOf(object)), live: (entry) => toLiveState(view, entry) });
}

/** What the end of one rollout collects, for the screen; an empty view when nothing older is there. */
export function viewRolloutGarbage(application: ObjectKey, deps: Pick<FactsDeps, 'view' | 'tracked'>): GarbageView {
  const rollout = deps.view.get(KINDS.rolloutOrchestrator, application);
  if (rollout === undefined) throw new AppError('not-found', `there is no RolloutOrchestrator ${application}`);
  const plan = planRolloutGarbage(application, deps);
  const nothing: GarbagePlan = { from: [], to: undefined, items: [], digest: '', refused: undefined };
  return toGarbageView(plan ?? nothing, plan?.from.join(', ') ?? '', plan?.to ?? readRolloutState(rollout).to, deps.view);
}
