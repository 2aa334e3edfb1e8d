import { createHash } from 'node:crypto';
import type { KubeObject } from '@/lib/kube/object';
import { controllerOf, describeObject, groupOf, toObjectId } from '@/lib/kube/object';
import { ANNOTATION, LABEL } from '../labels';
import type { ResourceTracker, TrackerEntry } from '../tracker/record';
import type { GarbagePolicy, GarbageRule } from './rules';
import { ruleFor } from './rules';

/** What becomes of one object. `held` would go but for a safety rule, `gone` went before. */
export type GarbageVerdict = 'deleted' | 'held' | 'handed-over' | 'kept' | 'new' | 'gone';

export interface GarbageItem {
  /** `kind.group/namespace/name`. */
  readonly id: string;
  readonly entry: TrackerEntry;
  readonly uid: string | undefined;
  readonly verdict: GarbageVerdict;
  /** A sentence for people. */
  readonly why: string;
  /** True when it would be held, had no decision named it. */
  readonly named?: boolean;
  /** Tracker whose record names the object; the newer one for `new`. */
  readonly tracker: string;
  /** True when its tracker must stay, since the object waits for the application to go. */
  readonly retained?: boolean;
  /** True when the object loses the labels that tie it to the application. */
  readonly released?: boolean;
  /** uid of what controlled the object when its deletion was planned. */
  readonly controller?: string | undefined;
  /** What its delete does with what it owns; in the background when absent. */
  readonly propagation?: 'Orphan' | 'Foreground';
}

/** A collection as it is shown, checked and done: one and the same value. */
export interface GarbagePlan {
  readonly from: readonly string[];
  readonly to: string | undefined;
  readonly items: readonly GarbageItem[];
  /** Covers group, kind, namespace, name, uid and verdict of every object. */
  readonly digest: string;
  /** Set when the plan must not be carried out as it stands: why. */
  readonly refused: string | undefined;
}

/** What is known of an object: seen, seen to be absent, or not known at all, which never counts as absent. */
export type LiveState =
  | { readonly kind: 'present'; readonly object: KubeObject }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly why: string };

export interface GarbageContext {
  readonly live: (entry: TrackerEntry) => LiveState;
  /** Objects (`kind/namespace/name`) and a count that decisions named. */
  readonly named?: { readonly objects?: readonly string[]; readonly count?: number | undefined };
  /** Leave every object in place and only forget it. */
  readonly release?: boolean;
  /** Components the application still has; an object of one that asks to be skipped stays. */
  readonly components?: readonly string[];
  readonly policy?: GarbagePolicy | undefined;
  /** Whose labels released objects lose. */
  readonly application?: { readonly name: string; readonly namespace: string };
}

type Tracked = Pick<ResourceTracker, 'name' | 'uid' | 'entries'>;

/** Kinds that hold data or other objects: they only go when a decision names them. */
const PRECIOUS: ReadonlyMap<string, string> = new Map([
  ['PersistentVolume', ''],
  ['PersistentVolumeClaim', ''],
  ['Namespace', ''],
  ['CustomResourceDefinition', 'apiextensions.k8s.io'],
]);
const MANY = 5;

/** Plans what collecting the old trackers against the next one does. Without a next one the application is going. */
export function planGarbage(old: Tracked | readonly Tracked[], next: Tracked | undefined, context: GarbageContext): GarbagePlan {
  const olds = isList(old) ? old : [old];
  const nextEntries = byIdentity(next?.entries ?? []);
  const accepted = new Set([...olds, ...(next ? [next] : [])].map(({ uid }) => uid));
  const sharedWhy = `${next?.name ?? ''} lists it too`;
  const circumstances = { context, accepted, next, sharedWhy };
  const items = judgeAll(olds, (id, entry, tracker) => judge(entry, { id, tracker, isShared: nextEntries.has(id) }, circumstances));
  for (const [id, entry] of nextEntries) {
    if (items.has(id)) continue;
    items.set(id, toItem(entry, { id, tracker: next?.name ?? '' }, { verdict: 'new', why: 'only the newer revision has it', uid: entry.uid }));
  }
  const list = context.policy?.order === 'dependency' ? [...items.values()].reverse() : [...items.values()];
  const unknown = list.find((item) => item.verdict === 'held' && context.live(item.entry).kind === 'unknown');
  const refused =
    unknown === undefined ? tooMany(list, context) : `nothing is deleted while the state of ${describeObject(unknown.entry)} is not known: ${unknown.why}`;
  return { from: olds.map(({ name }) => name), to: next?.name, items: list, digest: digestOf(items), refused };
}

/** Judged items by identity. */
function judgeAll(olds: readonly Tracked[], judgeOne: (id: string, entry: TrackerEntry, tracker: string) => GarbageItem): Map<string, GarbageItem> {
  const items = new Map<string, GarbageItem>();
  for (const tracker of olds) {
    for (const entry of tracker.entries) {
      const id = identity(entry);
      const held = items.get(id);
      if (held !== undefined && !isOutdated(held, entry)) continue;
      const judged = judgeOne(id, entry, tracker.name);
      if (held === undefined || judged.verdict !== 'kept') items.set(id, judged);
    }
  }
  return items;
}

/** Recorded twice under two uids: the record that names the object which lives there is the one that counts. */
function isOutdated(held: GarbageItem, entry: TrackerEntry): boolean {
  return held.verdict === 'kept' && held.entry.uid !== entry.uid;
}

/** Array.isArray does not narrow a readonly list. */
function isList(old: Tracked | readonly Tracked[]): old is readonly Tracked[] {
  return Array.isArray(old);
}

/**
 * `kind.group/namespace/name`, as `identityOf` by group and kind tells entries apart: neither part of it can hold what separates them.
 * Computed once per record and shown as it is, since records are long.
 */
function identity(entry: TrackerEntry): string {
  const id = toObjectId(entry);
  return entry.cluster === 'local' ? id : `${entry.cluster}:${id}`;
}

/** Entries by identity; of one that is listed twice the first. */
function byIdentity(entries: readonly TrackerEntry[]): ReadonlyMap<string, TrackerEntry> {
  const found = new Map<string, TrackerEntry>();
  for (const entry of entries) {
    const id = identity(entry);
    if (!found.has(id)) found.set(id, entry);
  }
  return found;
}

interface Judgement {
  readonly verdict: GarbageVerdict;
  readonly why: string;
  readonly uid: string | undefined;
}

/** Where an object is listed. */
interface Place {
  readonly id: string;
  readonly tracker: string;
}

function toItem(entry: TrackerEntry, { id, tracker }: Place, { verdict, why, uid }: Judgement): GarbageItem {
  return { id, entry, uid, verdict, why, tracker };
}

interface Circumstances {
  readonly context: GarbageContext;
  readonly accepted: ReadonlySet<string>;
  /** Absent while the application is going. */
  readonly next: Tracked | undefined;
  readonly sharedWhy: string;
}

const PROPAGATION = { orphan: 'Orphan', cascading: 'Foreground' } as const;

function judge(entry: TrackerEntry, place: Place & { readonly isShared: boolean }, circumstances: Circumstances): GarbageItem {
  const { context, sharedWhy } = circumstances;
  const as = (verdict: GarbageVerdict, why: string) => toItem(entry, place, { verdict, why, uid: entry.uid });
  if (place.isShared) return as('handed-over', sharedWhy);
  const live = context.live(entry);
  if (context.release) return freed(as('kept', 'the application asks to leave its objects in place'), live, context);
  if (entry.skipGC) return freed(as('kept', 'its record says to skip it'), live, context);
  if (live.kind === 'unknown') return as('held', live.why);
  if (live.kind === 'absent') return as('gone', 'it is gone already');
  return judgePresent(entry, place, live, circumstances);
}

function judgePresent(
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
  if (asksToStay(live.object, context.components ?? [])) return as('kept', `its annotation ${ANNOTATION.skipGC} asks to leave it`);
  const rule = ruleFor(context.policy, entry, live.object);
  if (rule?.strategy === 'never') return freed(as('kept', 'a rule of the garbage-collect policy never lets it go'), live, context);
  const waits = next === undefined ? undefined : waitsFor(context.policy, rule);
  if (waits !== undefined) return { ...as('kept', waits), retained: true };
  const named = isPrecious(entry) ? isNamed(entry, context) : undefined;
  if (named === false) return as('held', `a ${entry.kind} only goes when a decision names it; it stays without an owner`);
  const why = named ? 'a decision names it' : 'the newer revision does not have it';
  const propagation = rule?.propagation && PROPAGATION[rule.propagation];
  // Most items are these, so they are made in one go.
  const going: GarbageItem = { id: place.id, entry, uid, verdict: 'deleted', why, tracker: place.tracker, controller: controller?.uid };
  return propagation === undefined && !named ? going : { ...going, ...(propagation ? { propagation } : {}), ...(named ? { named } : {}) };
}

/** An object that stays for good loses what ties it to the application. */
function freed(item: GarbageItem, live: LiveState, context: GarbageContext): GarbageItem {
  return isTied(live, item.entry, context) ? { ...item, released: true } : item;
}

function isPrecious({ apiVersion, kind }: TrackerEntry): boolean {
  return PRECIOUS.get(kind) === groupOf(apiVersion);
}

/** Why an object stays although the application goes on without it. */
function waitsFor(policy: GarbagePolicy | undefined, rule: GarbageRule | undefined): string | undefined {
  if (rule?.strategy === 'onAppDelete') return 'a rule of the garbage-collect policy lets it go with the application only';
  return rule === undefined && policy?.keepLegacyResource ? 'the garbage-collect policy keeps what older revisions had' : undefined;
}

/** True while the object carries the labels of the application that leaves it, as far as is known. */
function isTied(live: LiveState, { uid }: TrackerEntry, { application }: GarbageContext): boolean {
  if (application === undefined || live.kind === 'absent') return false;
  if (live.kind === 'unknown') return true;
  return (uid === undefined || live.object.metadata.uid === uid) && carriesLabelsOf(live.object, application);
}

/** True when the labels of an object name the application. */
export function carriesLabelsOf(
  { metadata: { labels = {} } }: KubeObject,
  { name, namespace }: { readonly name: string; readonly namespace: string },
): boolean {
  return labels[LABEL.appName] === name && labels[LABEL.appNamespace] === namespace;
}

function asksToStay(live: KubeObject, components: readonly string[]): boolean {
  return live.metadata.annotations?.[ANNOTATION.skipGC] !== undefined && components.includes(live.metadata.labels?.[LABEL.component] ?? '');
}

function isNamed(entry: TrackerEntry, context: GarbageContext): boolean {
  const names =
    entry.namespace === undefined ? [`${entry.kind}//${entry.name}`, `${entry.kind}/${entry.name}`] : [`${entry.kind}/${entry.namespace}/${entry.name}`];
  return (context.named?.objects ?? []).some((named) => names.includes(named));
}

/** Five objects and more: at most half of the application goes at once, unless a decision names the count. */
function tooMany(items: readonly GarbageItem[], context: GarbageContext): string | undefined {
  let going = 0;
  let present = items.length;
  for (const { verdict } of items) {
    if (verdict === 'deleted') going += 1;
    if (verdict === 'gone') present -= 1;
  }
  const named = context.named?.count;
  if (going < MANY || going * 2 <= present) return undefined;
  if (named !== undefined && going <= named) return undefined;
  const found = named === undefined ? 'no decision names a count' : `the decision names ${named}`;
  return `it would delete ${going} of ${present} objects, more than half of the application, and ${found}`;
}

/** What a decision names changes what is done, not what was seen. */
function digestedVerdict({ verdict, named }: GarbageItem): GarbageVerdict {
  if (named) return 'held';
  return verdict === 'gone' ? 'deleted' : verdict;
}

/**
 * An object that went counts as deleted: a collection that stopped half-way, or somebody who deleted an object that was
 * to go anyway, leaves the digest as it was.
 */
function digestOf(items: ReadonlyMap<string, GarbageItem>): string {
  const lines = Array.from(items, ([id, item]) => `${id}|${item.uid ?? ''}|${digestedVerdict(item)}`);
  return `sha256:${createHash('sha256').update(lines.sort().join('\n')).digest('hex')}`;
}
