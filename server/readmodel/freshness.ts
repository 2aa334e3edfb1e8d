import type { Freshness } from '@/lib/contract/live';
import type { TreeNode } from '@/lib/contract/tree-rows';
import { KINDS, nameOfKind } from '@/lib/kube/kinds';
import type { ObjectAddress, ObjectKey, TypeRef } from '@/lib/kube/object';
import { groupOf, toObjectKey } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { toInstant, toIso } from '@/lib/std/instant';
import type { Staleness, Store } from '@/server/kube';
import { findStaleness, findStalenessOfKind } from '@/server/kube';
import type { Clock } from '@/server/platform';
import { withKindsBelow } from '@/server/status';
import type { ClusterView } from './cluster-view';
import { isOwnKind, kindKey, OWN_KINDS } from './cluster-view';
import type { Backlog } from './row-table';

/** An API server that does not answer for less than this is not told of. */
const SILENT_AFTER_MS = 4500;

/** What every row and every decision rests on. Another kind matters only to what consists of it. */
const CORE: readonly TypeRef[] = [...OWN_KINDS, KINDS.deployment, KINDS.replicaSet, KINDS.pod];

/** Whether the API server answers, as the probe sees it. */
export interface Reachability {
  readonly reachable: boolean;
  /** Since when it does not answer. */
  readonly since: Instant | undefined;
  readonly reason: string;
}

/** Since when and why what the screens show may be out of date; undefined while it is fresh. */
export interface StaleData {
  readonly since: Instant;
  readonly sentence: string;
}

/** What the age of data is judged by. */
export interface FreshnessDeps {
  readonly view: ClusterView;
  readonly reachability: () => Reachability;
  readonly clock: Clock;
}

/** What a page rests on besides the core kinds: the namespace it is of, and the objects that it consists of. */
export interface Place {
  readonly namespace?: string;
  readonly objects: readonly Pick<ObjectAddress, 'apiVersion' | 'kind' | 'namespace' | 'name'>[];
}

/**
 * Judges the age of what a place rests on, or of everything: the API server unanswered, or a watch not resumed, for five seconds; polls of
 * its namespace that do not come through, whatever those of others do.
 */
export function findStaleData({ view, reachability, clock }: FreshnessDeps, place?: Place): StaleData | undefined {
  const now = clock.now();
  const { reachable, since, reason } = reachability();
  if (!reachable && since !== undefined && now - since >= SILENT_AFTER_MS) {
    return { since, sentence: asSentence(`The API server does not answer: ${reason}`) };
  }
  const unread = view.storesOf(OWN_KINDS).find((store) => store.knowledge('').kind === 'forbidden');
  const { state } = unread?.health() ?? {};
  if (unread !== undefined && state?.kind === 'refused') {
    return { since: state.since, sentence: asSentence(`${nameOfKind(unread.scope)} objects may not be read: ${state.reason}`) };
  }
  const lost = [...lossesOf(view, place, now)].sort((a, b) => a.since - b.since);
  const [first] = lost;
  if (first === undefined) return undefined;
  const watches = lost.filter(({ how }) => how === 'watched').map(({ type }) => nameOfKind(type));
  if (first.how === 'watched' && watches.length > 1) {
    return { since: first.since, sentence: asSentence(`The watches of ${watches.join(', ')} are lost: ${first.reason}`) };
  }
  return { since: first.since, sentence: asSentence(formatLoss(first)) };
}

interface LostPart extends Staleness {
  readonly type: TypeRef;
  readonly how: 'watched' | 'polled';
  readonly namespace?: string | undefined;
}

function formatLoss({ type, how, namespace, kind, reason }: LostPart): string {
  if (how === 'watched') return `The watch of ${nameOfKind(type)} is lost: ${reason}`;
  const where = namespace ? ` of namespace ${namespace}` : '';
  return `${nameOfKind(type)} objects${where} ${kind === 'forbidden' ? 'may not' : 'cannot'} be read: ${reason}`;
}

function* lossesOf(view: ClusterView, place: Place | undefined, now: Instant): Iterable<LostPart> {
  const kinds = new Map([...CORE, ...(place?.objects ?? [])].map((type) => [kindKey(type), type]));
  for (const store of view.storesOf([...kinds.values()])) {
    const type = store.scope;
    const how = store.health().state.kind === 'refused' ? 'polled' : 'watched';
    if (how === 'polled' && place !== undefined && !isOwnKind(type)) continue; // by part, below
    const loss =
      how === 'watched' || place === undefined
        ? findStalenessOfKind(store, now)
        : findStaleness(store, toObjectKey({ ...place, name: '' }), now);
    if (loss !== undefined) yield { ...loss, type, how };
  }
  if (place !== undefined) yield* lostParts(view, place, now);
}

/** Of the kinds that are polled, what a place needs of each: its objects, and in their namespaces what they are judged by. */
function* lostParts(view: ClusterView, { objects }: Place, now: Instant): Iterable<LostPart> {
  if (!view.stores().some((store) => store.health().state.kind === 'refused')) return;
  const asked = new Set<string>();
  for (const object of objects) {
    const { namespace } = object;
    for (const of of withKindsBelow({ group: groupOf(object.apiVersion), kind: object.kind })) {
      const store = view.storeOfKind(of);
      if (store?.health().state.kind !== 'refused') continue;
      const isOwn = of.kind === object.kind;
      const key: ObjectKey = isOwn ? toObjectKey(object) : toObjectKey({ namespace, name: '' });
      const id = `${of.group}/${of.kind} ${key}`;
      if (asked.has(id)) continue;
      asked.add(id);
      const loss = findStaleness(store, key, now);
      // An object that may not be read is Unknown, with the sentence, by itself.
      if (loss !== undefined && !(isOwn && loss.kind === 'forbidden')) yield { ...loss, type: store.scope, how: 'polled', namespace };
    }
  }
}

/** What may have rows still to compute. */
export interface BacklogSource {
  backlog(): Backlog | undefined;
}

/** What a view over tables lacks while their rows are still being computed; undefined once they are. */
export function findBacklog(tables: readonly BacklogSource[]): StaleData | undefined {
  const backlogs = tables.flatMap((table) => table.backlog() ?? []);
  const [first] = backlogs.map(({ since }) => since).sort((a, b) => a - b);
  if (first === undefined) return undefined;
  const rows = backlogs.reduce((sum, backlog) => sum + backlog.rows, 0);
  return { since: first, sentence: rows === 1 ? '1 row is still to be computed.' : `${rows} rows are still to be computed.` };
}

/** How an object is known: from a live watch, from a poll, or from a copy that was good until a moment. */
export function toKnown(store: Store, key: ObjectKey, now: Instant): TreeNode['known'] {
  const loss = findStaleness(store, key, now);
  const { state, lastContactAt } = store.health();
  if (loss !== undefined) return { source: 'cache', at: toIso(state.kind === 'refused' ? loss.since : (lastContactAt ?? loss.since)) };
  if (state.kind !== 'refused') return { source: 'watch', at: null };
  const known = store.knowledge(key);
  if (known.kind === 'watched') return { source: 'watch', at: null };
  return { source: 'poll', at: known.kind === 'polled' ? toIso(known.at) : null };
}

/** When the oldest poll was of the objects that may not be watched; undefined when they all are. */
export function findPolled({ view }: Pick<FreshnessDeps, 'view'>, { objects }: Place): Instant | undefined {
  let oldest: Instant | undefined;
  for (const object of objects) {
    const store = view.storeOfKind({ group: groupOf(object.apiVersion), kind: object.kind });
    const state = store?.health().state;
    if (store === undefined || state?.kind !== 'refused') continue;
    const known = store.knowledge(toObjectKey(object));
    if (known.kind === 'watched') continue;
    const at = known.kind === 'polled' ? known.at : state.since;
    oldest = toInstant(Math.min(oldest ?? at, at));
  }
  return oldest;
}

/** The freshness that every view carries. */
export function toFreshness(trouble: StaleData | undefined, clock: Clock, polledAt?: Instant): Freshness {
  return {
    observedAt: toIso(trouble?.since ?? polledAt ?? clock.now()),
    source: trouble !== undefined ? 'cache' : polledAt !== undefined ? 'poll' : 'watch',
    stale: trouble === undefined ? null : { since: toIso(trouble.since), reason: trouble.sentence },
  };
}

function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
