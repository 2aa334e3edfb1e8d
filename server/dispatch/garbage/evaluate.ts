import type { KubeObject, TypeRef } from '@/lib/kube/object';
import { controllerOf, groupOf } from '@/lib/kube/object';
import { ANNOTATION, LABEL } from '../labels';
import type { TrackerEntry } from '../tracker/record';
import type { EvaluatedBy, GarbageContext, GarbageItem, GarbageVerdict, LiveState, Tracked } from './model';
import { keptReason, ruleFor } from './rules';

/** Kinds that hold data or other objects: they only go when a decision names them. */
const PRECIOUS: ReadonlyMap<string, string> = new Map([
  ['PersistentVolume', ''],
  ['PersistentVolumeClaim', ''],
  ['Namespace', ''],
  ['CustomResourceDefinition', 'apiextensions.k8s.io'],
]);

/** True for kinds that hold data or other objects, which nothing deletes unless a decision names them. */
export function holdsData({ apiVersion, kind }: TypeRef): boolean {
  return PRECIOUS.get(kind) === groupOf(apiVersion);
}

interface Evaluation {
  readonly verdict: GarbageVerdict;
  readonly why: string;
  readonly uid: string | undefined;
}

/** Where an object is listed. */
interface Place {
  readonly id: string;
  readonly tracker: string;
}

/** An entry with what was judged of it. */
export function toItem(entry: TrackerEntry, { id, tracker }: Place, { verdict, why, uid }: Evaluation): GarbageItem {
  return { id, entry, uid, verdict, why, tracker };
}

/** What the judgements of one plan have in common. */
interface Circumstances {
  readonly context: GarbageContext;
  readonly accepted: ReadonlySet<string>;
  /** Absent while the application is going. */
  readonly next: Tracked | undefined;
  readonly sharedWhy: string;
}

const PROPAGATION = { orphan: 'Orphan', cascading: 'Foreground' } as const;

/** What is known of a recorded object that lives in another cluster: nothing, whatever has its name here. Undefined for one of this cluster. */
export function explainElsewhere({ cluster }: Pick<TrackerEntry, 'cluster'>): Extract<LiveState, { kind: 'unknown' }> | undefined {
  return cluster === 'local' ? undefined : { kind: 'unknown', why: `it lives in cluster ${cluster}` };
}

/** What is known of a recorded object, wherever it lives. */
export function stateOf(entry: TrackerEntry, { live }: Pick<GarbageContext, 'live'>): ReturnType<GarbageContext['live']> {
  const state = live(entry);
  return state.kind === 'unread' ? state : (explainElsewhere(entry) ?? state);
}

/** What becomes of one recorded object, and why. */
export function evaluate(entry: TrackerEntry, place: Place & { readonly isShared: boolean }, circumstances: Circumstances): GarbageItem {
  const { context, sharedWhy } = circumstances;
  const as = (verdict: GarbageVerdict, why: string) => toItem(entry, place, { verdict, why, uid: entry.uid });
  if (place.isShared) return as('handed-over', sharedWhy);
  const live = stateOf(entry, context);
  if (live.kind === 'unread') return evaluateUnread(as, circumstances);
  if (context.release) return freed(as('kept', 'the application asks to leave its objects in place'), live, context);
  if (entry.skipGC) return freed(as('kept', 'its record says to skip it'), live, context);
  if (live.kind === 'unknown') return as('held', live.why);
  if (live.kind === 'absent') return as('gone', 'it is already gone');
  return evaluatePresent(entry, place, live, circumstances);
}

/** The original asks whether older revisions are to stay whole, and nobody else: it knows no rules. */
function evaluateUnread(as: (verdict: GarbageVerdict, why: string) => GarbageItem, { context, next }: Circumstances): GarbageItem {
  if (next === undefined || !context.policy?.keepLegacyResource) return { ...as('deleted', deletedReason(next)), unread: true };
  return { ...as('kept', WAITS.legacy), retained: true };
}

function evaluatePresent(
  entry: TrackerEntry,
  place: Place,
  live: LiveState & { readonly kind: 'present' },
  { context, accepted, next }: Circumstances,
): GarbageItem {
  const { uid = '' } = live.object.metadata;
  const as = (verdict: GarbageVerdict, why: string) => toItem(entry, place, { verdict, why, uid });
  const controller = controllerOf(live.object);
  if (entry.uid !== undefined && entry.uid !== uid) return as('kept', `it was replaced: recorded as uid ${entry.uid}, found ${uid}`);
  if (controller !== undefined && !accepted.has(controller.uid)) return as('kept', `${controller.kind} ${controller.name} controls it`);
  if (isKeptByAnnotation(live.object, context.components)) return as('kept', `its annotation ${ANNOTATION.skipGC} asks to leave it`);
  const rule = ruleFor(context.policy, entry, live.object);
  const stays = keptReason(context.policy, rule);
  if (stays === 'never') return freed(as('kept', 'a rule of the garbage-collect policy never deletes it'), live, context);
  if (stays !== undefined && next !== undefined) return { ...as('kept', WAITS[stays]), retained: true };
  const named = holdsData(entry) ? isNamed(entry, context) : undefined;
  if (named === false) return as('held', `a ${entry.kind} is deleted only when a decision names it; it stays without an owner`);
  const why = named ? 'a decision names it' : deletedReason(next);
  const propagation = rule?.propagation && PROPAGATION[rule.propagation];
  // Most items are these, so they are made in one go.
  const going: GarbageItem = {
    id: place.id,
    entry,
    uid,
    verdict: 'deleted',
    why,
    tracker: place.tracker,
    controller: controller?.uid,
    evaluatedBy: evaluatedBy(live.object),
  };
  return propagation === undefined && !named ? going : { ...going, ...(propagation ? { propagation } : {}), ...(named ? { named } : {}) };
}

/** Without a next one the application is going. */
const deletedReason = (next: Circumstances['next']) =>
  next === undefined ? 'its application is being deleted' : 'the newer revision does not have it';

/** An object that stays for good loses what ties it to the application. */
function freed(item: GarbageItem, live: LiveState, context: GarbageContext): GarbageItem {
  return isTied(live, item.entry, context) ? { ...item, released: true } : item;
}

/** Why an object stays until the application goes. */
const WAITS = {
  onAppDelete: 'a rule of the garbage-collect policy deletes it only with the application',
  legacy: 'the garbage-collect policy keeps what older revisions had',
} as const;

/** True while the object carries the labels of the application that leaves it, as far as is known. */
function isTied(live: LiveState, { uid }: TrackerEntry, { application }: GarbageContext): boolean {
  if (application === undefined || live.kind === 'absent') return false;
  if (live.kind !== 'present') return true;
  return (uid === undefined || live.object.metadata.uid === uid) && carriesLabelsOf(live.object, application);
}

/** True when the labels of an object name the application. */
export function carriesLabelsOf(
  { metadata: { labels = {} } }: KubeObject,
  { name, namespace }: { readonly name: string; readonly namespace: string },
): boolean {
  return labels[LABEL.appName] === name && labels[LABEL.appNamespace] === namespace;
}

/** What a judgement reads of an object that people may change at any moment. */
export function evaluatedBy({ metadata: { labels, annotations } }: KubeObject): EvaluatedBy {
  return { labels, asks: annotations?.[ANNOTATION.skipGC] !== undefined };
}

/** True when an object asks to be left, and is of a component that the application still has. */
export function isKeptByAnnotation(
  { metadata: { annotations, labels } }: KubeObject,
  components: GarbageContext['components'] = [],
): boolean {
  return annotations?.[ANNOTATION.skipGC] !== undefined && (components === 'all' || components.includes(labels?.[LABEL.component] ?? ''));
}

function isNamed(entry: TrackerEntry, context: GarbageContext): boolean {
  const names =
    entry.namespace === undefined
      ? [`${entry.kind}//${entry.name}`, `${entry.kind}/${entry.name}`]
      : [`${entry.kind}/${entry.namespace}/${entry.name}`];
  return (context.named?.objects ?? []).some((named) => names.includes(named));
}
