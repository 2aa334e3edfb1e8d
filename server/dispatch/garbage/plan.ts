import { createHash } from 'node:crypto';
import { describeObject, toObjectId } from '@/lib/kube/object';
import { toStableJson } from '@/lib/std/stable-json';
import { formatCount } from '@/lib/words/figures';
import type { TrackerEntry } from '../tracker/record';
import { identityOf } from '../tracker/record';
import { plannedUidOf } from '../tracker/recreated';
import { evaluate, stateOf, toItem } from './evaluate';
import type { GarbageContext, GarbageItem, GarbagePlan, GarbageVerdict, Tracked } from './model';

const MANY = 5;

type IdentityOf = (entry: TrackerEntry) => string;

/**
 * Plans what collecting the old trackers against the next one does, whatever their order: where several recorded one object under different
 * uids, the newest tells. Without a next one the application is going.
 */
export function planGarbage(old: Tracked | readonly Tracked[], next: Tracked | undefined, context: GarbageContext): GarbagePlan {
  const olds = isList(old) ? newestFirst(old) : [old];
  const identity = context.identity === 'apiVersion' ? (entry: TrackerEntry) => identityOf(entry, 'apiVersion') : idOf;
  const nextEntries = byIdentity(next?.entries ?? [], identity);
  const accepted = new Set([...olds, ...(next ? [next] : [])].map(({ uid }) => uid));
  const sharedWhy = `${next?.name ?? ''} lists it too`;
  const circumstances = { context, accepted, next, sharedWhy };
  const items = evaluateAll(olds, identity, (id, entry, tracker) =>
    evaluate(entry, { id, tracker, isShared: nextEntries.has(id) }, circumstances),
  );
  for (const [id, entry] of nextEntries) {
    if (items.has(id)) continue;
    items.set(
      id,
      toItem(entry, { id, tracker: next?.name ?? '' }, { verdict: 'new', why: 'only the newer revision has it', uid: entry.uid }),
    );
  }
  const list = context.policy?.order === 'dependency' ? [...items.values()].reverse() : [...items.values()];
  const unknown = list.find((item) => item.verdict === 'held' && stateOf(item.entry, context).kind === 'unknown');
  const refused =
    unknown === undefined
      ? tooMany(list, context)
      : `nothing is deleted while the state of ${describeObject(unknown.entry)} is unknown: ${unknown.why}`;
  return { from: olds.map(({ name }) => name), to: next?.name, items: list, digest: digestOf(items, context.policy), refused };
}

/** Judged items by identity. */
function evaluateAll(
  olds: readonly Tracked[],
  identity: IdentityOf,
  evaluateOne: (id: string, entry: TrackerEntry, tracker: string) => GarbageItem,
): Map<string, GarbageItem> {
  const items = new Map<string, GarbageItem>();
  for (const tracker of olds) {
    for (const entry of tracker.entries) {
      const id = identity(entry);
      const held = items.get(id);
      if (held !== undefined && !isOutdated(held, entry)) continue;
      const evaluated = evaluateOne(id, entry, tracker.name);
      if (held === undefined || evaluated.verdict !== 'kept') items.set(id, evaluated);
    }
  }
  return items;
}

/** Recorded twice under two uids: the record that names the object which lives there is the one that counts. */
function isOutdated(held: GarbageItem, entry: TrackerEntry): boolean {
  return held.verdict === 'kept' && held.entry.uid !== entry.uid;
}

/** Trackers of one application differ by the number in their names alone: of two names the longer has the higher one. */
function newestFirst(trackers: readonly Tracked[]): readonly Tracked[] {
  return [...trackers].sort((a, b) => b.name.length - a.name.length || (a.name < b.name ? 1 : -1));
}

/** Array.isArray does not narrow a readonly list. */
function isList(old: Tracked | readonly Tracked[]): old is readonly Tracked[] {
  return Array.isArray(old);
}

/**
 * `kind.group/namespace/name`, as `identityOf` by group and kind tells entries apart: neither part of it can hold what separates them.
 * Computed once per record and shown as it is, since records are long.
 */
function idOf(entry: TrackerEntry): string {
  const id = toObjectId(entry);
  return entry.cluster === 'local' ? id : `${entry.cluster}:${id}`;
}

/** Entries by identity; of one that is listed twice the first. */
function byIdentity(entries: readonly TrackerEntry[], identity: IdentityOf): ReadonlyMap<string, TrackerEntry> {
  const found = new Map<string, TrackerEntry>();
  for (const entry of entries) {
    const id = identity(entry);
    if (!found.has(id)) found.set(id, entry);
  }
  return found;
}

/** Five objects and more: at most half of the application goes at once, unless a decision names the count. */
function tooMany(items: readonly GarbageItem[], context: GarbageContext): string | undefined {
  let going = 0;
  let gone = 0;
  for (const item of items) {
    if (item.verdict === 'deleted') going += 1;
    // Gone, or another in its place: what was to wait for a decision does not go without one because somebody replaced a part of it.
    else if (item.verdict === 'gone' || (context.countGone && isAnother(item))) gone += 1;
  }
  const all = context.countGone ? going + gone : going;
  const present = context.countGone ? items.length : items.length - gone;
  const named = context.named?.count;
  if (all < MANY || all * 2 <= present) return undefined;
  if (named !== undefined && going <= named) return undefined;
  const approved = named === undefined ? '' : `, and ${named} were approved`;
  return `it would delete ${all} of ${formatCount(present, 'object')}, more than half of the application${approved}`;
}

/** What a decision names changes what is done, not what was seen. */
function digestedVerdict({ verdict, named }: GarbageItem): GarbageVerdict {
  if (named) return 'held';
  return verdict === 'gone' ? 'deleted' : verdict;
}

/**
 * An object that went counts as deleted: a collection that stopped half-way, or somebody who deleted an object that was
 * to go anyway, leaves the digest as it was. So what goes with an object is told by the rules, not by the object, which may have gone.
 */
function digestOf(items: ReadonlyMap<string, GarbageItem>, policy: GarbageContext['policy']): string {
  const lines = Array.from(items, ([id, item]) => `${id}|${seenUid(item) ?? ''}|${digestedVerdict(item)}`);
  const rules = policy?.rules ?? [];
  if (rules.some(({ propagation }) => propagation !== undefined)) lines.push(`rules|${toStableJson(rules)}`);
  return `sha256:${createHash('sha256').update(lines.sort().join('\n')).digest('hex')}`;
}

/**
 * The line of a plan that says what becomes of one recorded object, the same from the moment it was planned until it went: an object that is
 * gone, or another in its place, counts as deleted, and what a decision names as what it was before.
 */
export function toDeletionLine(item: GarbageItem): string {
  const { id, entry, uid } = item;
  return `${id}|${plannedUidOf(entry) ?? uid ?? ''}|${isAnother(item) ? 'deleted' : digestedVerdict(item)}`;
}

/** What is there, by the uid that plans know it by. */
function seenUid({ entry, uid }: GarbageItem): string | undefined {
  return uid !== undefined && uid === entry.uid ? plannedUidOf(entry) : uid;
}

/** Somebody made it anew: what was recorded is gone, and what is there is theirs. */
function isAnother({ entry, uid }: GarbageItem): boolean {
  return entry.uid !== undefined && uid !== undefined && entry.uid !== uid;
}

/** Digest of what becomes of the objects that only older revisions have; nothing that is made or handed over counts. */
export function digestOfDeletions({ items }: Pick<GarbagePlan, 'items'>): string {
  const lines = items.flatMap((item) => (item.verdict === 'new' || item.verdict === 'handed-over' ? [] : toDeletionLine(item)));
  return `sha256:${createHash('sha256').update(lines.sort().join('\n')).digest('hex')}`;
}
