import { releaseKindNamed } from '@/lib/contract/release-kind';
import type {
  CallsView,
  ControllerView,
  EngineRow,
  LeadershipView,
  PollView,
  StatusRulesView,
  WatchView,
} from '@/lib/contract/system-rows';
import { readString } from '@/lib/kube/fields';
import { KINDS, LABELS } from '@/lib/kube/kinds';
import type { ObjectKey } from '@/lib/kube/object';
import { parseObjectKey } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { toInstant, toIso } from '@/lib/std/instant';
import type { ReconcileStats } from '@/server/chartsync';
import type { ControllerStats } from '@/server/framework';
import type { CallFigures, Store } from '@/server/kube';
import type { PolledKind } from '@/server/status';
import type { ClusterView } from '../cluster-view';
import type { LeadershipFacts, ProcessFacts } from './status-row';

const WATCH_ORDER: readonly WatchView['state'][] = ['retrying', 'refused', 'listing', 'stopped', 'missing', 'watching'];

/** Of the objects that an annotation holds, so many are named. */
const PAUSED_SHOWN = 20;

/** Queues, watches, calls and leadership, as the engine page shows them. */
export function toEngineRow(facts: ProcessFacts, stores: readonly Store[], view: ClusterView): EngineRow {
  const eventLoop = facts.eventLoop?.() ?? null;
  return {
    key: 'engine',
    startedAt: facts.startedAt,
    eventLoop,
    turns: eventLoop,
    leader: facts.leader(),
    leadership: facts.leadership === undefined ? null : toLeadership(facts.leadership()),
    controllers: facts.controllers().map((stats) => toController(stats, view)),
    calls: facts.calls === undefined ? null : toCalls(facts.calls()),
    statusRules: facts.statusRules === undefined ? null : toStatusRules(facts.statusRules),
    findings: [...facts.findings()],
    charts: facts.charts === undefined ? null : toCharts(facts.charts()),
    polls: (facts.polled?.() ?? []).map(toPoll),
    watches: stores
      .map(toWatch)
      .sort(
        (a, b) =>
          WATCH_ORDER.indexOf(a.state) - WATCH_ORDER.indexOf(b.state) ||
          (a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : a.key < b.key ? -1 : 1),
      ),
  };
}

function toPoll({ apiVersion, kind, verb, reason, everyMs, round }: PolledKind): PollView {
  const last = round && { ...round, at: toIso(round.at), lastError: round.lastError ?? null };
  return { key: `${apiVersion}/${kind}`, apiVersion, kind, verb, reason, everyMs, round: last ?? null };
}

function toCalls({ verbs, slowest, throttled }: CallFigures): CallsView {
  return { verbs: [...verbs], slowest: slowest === undefined ? null : { ...slowest, at: toIso(slowest.at) }, throttled };
}

function toStatusRules({
  options: { rules = new Map(), policies = [] },
  sources,
}: NonNullable<ProcessFacts['statusRules']>): StatusRulesView {
  return {
    house: [...rules.keys()].length,
    sources: sources().map(({ setting, place, keys, readAt, fault }) => ({
      setting,
      place,
      keys: [...keys],
      readAt: readAt === undefined ? null : toIso(readAt),
      fault: fault === undefined ? null : { since: toIso(fault.since), sentences: [...fault.sentences] },
    })),
    policies: [...policies],
  };
}

function toLeadership({ identity, holder, since, inForce, shards, failure }: LeadershipFacts): LeadershipView {
  return {
    identity,
    holder: holder ?? null,
    since: since === undefined ? null : toIso(since),
    inForce: inForce ?? null,
    shards: shards.map((shard) => ({ index: shard.index, holder: shard.holder ?? null, mine: shard.mine })),
    failure: failure === undefined ? null : { since: toIso(failure.since), reason: failure.reason },
  };
}

function toController(stats: ControllerStats, view: ClusterView): ControllerView {
  const { oldestKey, lastError } = stats;
  return {
    name: stats.name,
    depth: stats.depth,
    deferred: stats.deferred,
    aside: stats.deferred,
    active: stats.active,
    passes: stats.passes,
    failures: stats.failures,
    passesPerMinute: stats.passesPerMinute,
    failuresPerMinute: stats.failuresPerMinute,
    tookMs: stats.tookMs ?? null,
    oldest: oldestKey === undefined ? null : { key: oldestKey, href: pageOfKey(stats.kind, oldestKey, view), waitedMs: stats.oldestMs },
    paused: stats.paused.slice(0, PAUSED_SHOWN).map(({ key, annotation }) => ({ key, href: pageOfKey(stats.kind, key, view), annotation })),
    pausedCount: stats.paused.length,
    waitsFor: [...stats.waitsFor],
    lastError:
      lastError === undefined
        ? null
        : {
            key: lastError.key,
            href: pageOfKey(stats.kind, lastError.key, view),
            message: lastError.message,
            at: toIso(toInstant(lastError.at)),
          },
  };
}

/** The page that shows what a key names: its own, or that of the rollout it belongs to. */
function pageOfKey(kind: string | undefined, key: ObjectKey, view: ClusterView): string | null {
  const { namespace, name } = parseObjectKey(key);
  const release = kind === undefined ? undefined : releaseKindNamed(kind);
  if (release !== undefined) return `/releases/${namespace}/${release}/${name}`;
  switch (kind) {
    case KINDS.application.kind:
      return `/applications/${namespace}/${name}`;
    case KINDS.rolloutOrchestrator.kind:
      return `/rollouts/${namespace}/${name}`;
    case KINDS.resourceTracker.kind:
      return `/trackers/${name}`;
    case KINDS.stagePodAutoscaler.kind: {
      const rollout = view.get(KINDS.stagePodAutoscaler, key)?.metadata.labels?.[LABELS.rolloutService];
      return rollout === undefined ? null : `/rollouts/${namespace}/${rollout}`;
    }
    case KINDS.stageDecision.kind: {
      const rollout = readString(view.get(KINDS.stageDecision, key), 'spec', 'rolloutRef', 'name');
      return rollout === undefined ? null : `/rollouts/${namespace}/${rollout}`;
    }
    default:
      return null;
  }
}

function toWatch(store: Store): WatchView {
  const { apiVersion, kind, namespace, labelSelector } = store.scope;
  const { state: whole, objects, lastContactAt, watchedIn = [] } = store.health();
  // What may not be read as a whole, and is watched namespace by namespace, is watched.
  const state = whole.kind === 'refused' && watchedIn.length > 0 ? ({ kind: 'watching' } as const) : whole;
  const scope = [namespace, ...(state === whole ? [] : watchedIn), labelSelector].filter((part) => part !== undefined).join(', ');
  const retries = state.kind === 'retrying' || state.kind === 'refused' ? state : undefined;
  return {
    key: `${apiVersion}/${kind} ${scope}`,
    kind,
    scope: scope || null,
    state: state.kind === 'retrying' && state.isMissing ? 'missing' : state.kind,
    reason: retries?.reason ?? null,
    since: retries === undefined ? null : toIso(retries.since),
    objects,
    lastContactAt: lastContactAt === undefined ? null : toIso(lastContactAt),
  };
}

function toCharts({ mirrors, spared, ...figures }: ReconcileStats): EngineRow['charts'] {
  const at = (instant: Instant | null) => (instant === null ? null : toIso(instant));
  return {
    ...figures,
    dryRunsSkipped: spared,
    spared,
    mirrors: mirrors.map(({ since: _, ...mirror }) => ({ ...mirror, fetchedAt: at(mirror.fetchedAt), nextAt: at(mirror.nextAt) })),
  };
}
