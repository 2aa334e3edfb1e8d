import type { TreeNode } from '@/lib/contract/application-rows';
import type { Freshness } from '@/lib/contract/live';
import { KINDS } from '@/lib/kube/kinds';
import type { TypeRef } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { toIso } from '@/lib/std/instant';
import type { Store } from '@/server/kube';
import type { Clock } from '@/server/platform';
import type { ClusterView } from './cluster-view';
import type { Backlog } from './row-table';

/** Five seconds on the screen, less what looking and pushing take. */
const STALE_AFTER_MS = 4500;

/** So many intervals without a poll make what was polled old. */
const MISSED_POLLS = 3;

/** Kinds of ours: while none of one may be read nobody knows what there is. */
const OURS: readonly TypeRef[] = [
  KINDS.application,
  KINDS.applicationRevision,
  KINDS.resourceTracker,
  KINDS.rolloutOrchestrator,
  KINDS.stagePodAutoscaler,
  KINDS.stageDecision,
];

/** What every row and every decision rests on. Another kind matters only to what consists of it. */
const CORE: readonly TypeRef[] = [...OURS, KINDS.deployment, KINDS.replicaSet, KINDS.pod];

/** Whether the API server answers, as the probe sees it. */
export interface Reachability {
  readonly reachable: boolean;
  /** Since when it does not answer. */
  readonly since: Instant | undefined;
  readonly reason: string;
}

/** Since when and why what the screens show may be out of date; undefined while it is fresh. */
export interface Trouble {
  readonly since: Instant;
  readonly sentence: string;
}

/** What the age of data is judged by. */
export interface FreshnessDeps {
  readonly view: ClusterView;
  readonly reachability: () => Reachability;
  readonly clock: Clock;
}

/** Judges the age of what rests on the core kinds and on those named: the API server unanswered, or a watch of theirs not resumed, for five seconds. */
export function findTrouble({ view, reachability, clock }: FreshnessDeps, kinds: readonly TypeRef[] = []): Trouble | undefined {
  const now = clock.now();
  const { reachable, since, reason } = reachability();
  if (!reachable && since !== undefined && now - since >= STALE_AFTER_MS) {
    return { since, sentence: asSentence(`The API server does not answer: ${reason}`) };
  }
  const lost = view.storesOf([...CORE, ...kinds]).flatMap((store) => {
    const loss = findLoss(store, now);
    return loss === undefined ? [] : [{ kind: store.scope.kind, ...loss }];
  });
  const unread = view.storesOf(OURS).find((store) => store.knowledge('').kind === 'forbidden');
  const { state } = unread?.health() ?? {};
  if (unread !== undefined && state?.kind === 'refused') {
    return { since: state.since, sentence: asSentence(`${unread.scope.kind} objects may not be read: ${state.reason}`) };
  }
  const [first, ...others] = lost.sort((a, b) => a.since - b.since);
  if (first === undefined) return undefined;
  const names = lost.map(({ kind }) => kind);
  const which = others.length === 0 ? `The watch of ${first.kind} is lost` : `The watches of ${names.join(', ')} are lost`;
  return { since: first.since, sentence: asSentence(`${which}: ${first.reason}`) };
}

/** Since when and why the copies of one kind are old. A kind that the cluster does not serve, and of which there are none, is not lost but absent. */
export function findLoss(store: Store, now: Instant): { readonly since: Instant; readonly reason: string } | undefined {
  const { state, objects, lastContactAt, polledEveryMs } = store.health();
  // What is polled is as old as the last poll, and old once polls do not come through.
  if (state.kind === 'refused') {
    const since = lastContactAt ?? state.since;
    return now - since < MISSED_POLLS * (polledEveryMs ?? STALE_AFTER_MS) ? undefined : { since, reason: state.reason };
  }
  if (state.kind !== 'retrying' || now - state.since < STALE_AFTER_MS) return undefined;
  return state.isMissing && objects === 0 ? undefined : { since: state.since, reason: state.reason };
}

/** What may have rows still to compute. */
export interface BacklogSource {
  backlog(): Backlog | undefined;
}

/** What a view over tables lacks while their rows are still being computed; undefined once they are. */
export function findBacklog(tables: readonly BacklogSource[]): Trouble | undefined {
  const backlogs = tables.flatMap((table) => table.backlog() ?? []);
  const [first] = backlogs.map(({ since }) => since).sort((a, b) => a - b);
  if (first === undefined) return undefined;
  const rows = backlogs.reduce((sum, backlog) => sum + backlog.rows, 0);
  return { since: first, sentence: rows === 1 ? '1 row is still to be computed.' : `${rows} rows are still to be computed.` };
}

/** How objects of one kind are known: from a live watch, or from a copy that was good until a moment. */
export function toKnown(store: Store, now: Instant): TreeNode['known'] {
  const loss = findLoss(store, now);
  const { state, lastContactAt } = store.health();
  if (loss === undefined && state.kind === 'refused') return { source: 'poll', at: lastContactAt === undefined ? null : toIso(lastContactAt) };
  return loss === undefined ? { source: 'watch', at: null } : { source: 'cache', at: toIso(store.health().lastContactAt ?? loss.since) };
}

/** When the oldest poll was of the kinds named that may not be watched; undefined when they all are. */
export function findPolled({ view }: Pick<FreshnessDeps, 'view'>, kinds: readonly TypeRef[]): Instant | undefined {
  const polled = view.storesOf(kinds).flatMap((store) => {
    const { state, lastContactAt } = store.health();
    return state.kind === 'refused' ? [lastContactAt ?? state.since] : [];
  });
  return polled.sort((a, b) => a - b)[0];
}

/** The freshness that every view carries. */
export function toFreshness(trouble: Trouble | undefined, clock: Clock, polledAt?: Instant): Freshness {
  return {
    observedAt: toIso(trouble?.since ?? polledAt ?? clock.now()),
    source: trouble !== undefined ? 'cache' : polledAt !== undefined ? 'poll' : 'watch',
    stale: trouble === undefined ? null : { since: toIso(trouble.since), reason: trouble.sentence },
  };
}

function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
