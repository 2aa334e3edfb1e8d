import { setMaxListeners } from 'node:events';
import { messageOf } from '@/lib/contract/app-error';
import type { RecordEntry } from '@/lib/contract/record-entry';
import type { DecisionVerb } from '@/lib/contract/stage-decision';
import { verbIs } from '@/lib/contract/stage-decision';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { controllerOf, parseObjectKey, toAddress } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { parseInstant } from '@/lib/std/instant';
import { formatCount } from '@/lib/words/figures';
import { formatRollout } from '@/lib/words/format-rollout';
import type { EngineDeps, Outcome, ReconcileContext, Reconciler, RecordState } from '@/server/framework';
import {
  clusterOfPass,
  PROGRESSING_PACE,
  RECORD_RETRY_MS,
  requeueAfter,
  StatusWriteThrottle,
  settled,
  TerminalError,
} from '@/server/framework';
import type { AccessReviewer, Cluster, Grants } from '@/server/kube';
import { createAccessReviewer, EventRecorder, isConflict } from '@/server/kube';
import type { LiveStatus, WatchedSets } from '@/server/status';
import { act, recordLostPolicy } from './act';
import { abortOf } from './control/control-facts';
import type { AttemptRecord, ControlState } from './control/state';
import { ENGINE_ACTOR } from './control/transitions';
import type { Observation, RolloutDecision } from './decide';
import { decide } from './decide';
import { clearPassFailure, reportFailedPass } from './failed-pass';
import { ManualScalings } from './manual-scaling';
import type { RolloutObject } from './objects';
import { readRollout } from './objects';
import type { RolloutStores } from './observe';
import { observe } from './observe';
import { findUnpermittedRevision } from './ownership';
import { NOT_GRANTED, serverActionsOf, ungrantedOf } from './pass/ungranted';
import { lostPolicyReason } from './policy-storage';
import type { LostStates } from './status-change';
import { classifyChange, countedFieldsOf, Progress } from './status-change';

const CONFLICT_MS = 250;
const LOST_MS = 10_000;

interface ReconcilerDeps extends EngineDeps {
  readonly status: Pick<LiveStatus, 'of'>;
  /** The workloads of rollouts: whose status becomes another has its rollout looked at. */
  readonly watched: WatchedSets;
  /** Where the server itself may scale. */
  readonly grants: Grants;
  /** The states that went from their objects. */
  readonly lost: Pick<LostStates, 'recall'>;
}

/** Brings one rollout a step on: planner first, then runner, in one work item. */
export function createRolloutReconciler(deps: ReconcilerDeps, stores: RolloutStores): Reconciler<ObjectKey> {
  /** Entries on record, of those that each rollout still tells of. */
  const recorded = new Map<ObjectKey, ReadonlySet<string>>();
  const rhythm = new StatusWriteThrottle(PROGRESSING_PACE);
  const progress = new Progress();
  const byHand = new ManualScalings();
  const review = createAccessReviewer(deps.cluster, deps.clock);
  const { grants } = deps;
  const events = new EventRecorder('slipway-rollout', deps.clock);

  async function record(key: ObjectKey, control: ControlState | undefined, owned: boolean): Promise<void> {
    if (control === undefined) return;
    const known = recorded.get(key);
    const now = new Set<string>();
    for (const entry of entriesOf(key, control, { owned, at: deps.clock.now() })) {
      if (known?.has(entry.id) !== true) await deps.record(entry);
      now.add(entry.id);
    }
    recorded.set(key, now);
  }

  /** The decision without a status that only counts, while it has to wait, and how long. */
  function inRhythm(key: ObjectKey, ro: RolloutObject, decision: RolloutDecision, now: Instant) {
    const waitMs = classifyChange(ro, decision) === 'counts' ? rhythm.waitMs(key, countedFieldsOf(decision), now) : 0;
    progress.note(key, decision.control);
    if (waitMs > 0) return { wanted: { ...decision, control: undefined }, waitMs };
    rhythm.rest(key);
    return { wanted: decision, waitMs: undefined };
  }

  function look(key: ObjectKey, now: Instant): Observation | null {
    const seen = observe({ ...stores, status: deps.status }, key, now);
    deps.watched.set(
      key,
      [...(seen?.view.workloads.values() ?? [])].map(({ object }) => toAddress(object)),
      [...(seen?.view.workloads.keys() ?? [])].join(),
    );
    return seen && progress.recall(key, deps.lost.recall(key, seen));
  }

  /** Tells by an Event what the condition is about to say, once for each sentence. */
  async function reportUngranted({ object }: RolloutObject, message: string, cluster: Cluster): Promise<void> {
    if (ungrantedOf(object) === message) return;
    await events
      .record(cluster, object, { type: 'Warning', reason: NOT_GRANTED, message })
      .catch((error: unknown) =>
        deps.log.debug({ rollout: object.metadata.name, error: messageOf(error) }, 'an Event could not be written'),
      );
  }

  /** A failure that cannot be told is still logged and repeated: what it was is what is thrown. */
  async function reportFailure(key: ObjectKey, context: ReconcileContext, error: unknown): Promise<void> {
    const object = stores.rollouts.get(key);
    if (object === undefined) return;
    try {
      await reportFailedPass({ object, error, now: deps.clock.now() }, clusterOfPass(deps, context), context.signal);
    } catch (untold) {
      context.log.debug({ error: messageOf(untold) }, 'could not write the failure of a pass to the status of its rollout');
    }
  }

  /** One pass. What an earlier one of the same turn comes to goes on record before what this one does. */
  const pass = async (key: ObjectKey, context: ReconcileContext, earlier?: Promise<void>): Promise<Outcome> => {
    const { signal } = context;
    setMaxListeners(0, signal); // all scales are written at once, each write of which listens
    const cluster = clusterOfPass(deps, context);
    const state = await recordStateOf(deps);
    const now = deps.clock.now();
    const looked = look(key, now);
    if (looked === null) {
      recorded.delete(key);
      rhythm.rest(key);
      progress.forget(key);
      byHand.forget(key);
      grants.forget(key);
      return settled();
    }
    const allowed = await permitted(looked, review);
    const ungranted = await grants.explain(key, () => serverActionsOf(looked.view), deps.cluster.discovery);
    const view = { ...allowed.view, ungranted };
    const seen = { ...allowed, view, scaledByHand: await byHand.find(key, view, cluster, signal) };
    // It would go on without the gates it may have had; a definition that is mended changes no rollout, so look again.
    if (isPolicyLost(seen, deps)) {
      await carryOut(recordLostPolicy(seen.view.ro, { cluster, dropped: knownLosses(deps), signal }));
      return requeueAfter(LOST_MS);
    }
    const { ro, workloads } = seen.view;
    const decisions = recordable(seen, state);
    if (standsStill(seen, state, decisions)) return requeueAfter(RECORD_RETRY_MS);
    const decision = decide(
      {
        ...seen,
        decisions,
        decisionsBlockedReason: blockedReasonsOf(deps, decisions),
        isTied: (deps.decisionsBlockedReason?.('loosen') ?? null) === null,
      },
      now,
    );
    // A person may have seen more than this copy has: nobody is turned away before the rollout itself was asked.
    if (decision.verdicts.some(({ phase }) => phase === 'Rejected') && !(await isCurrent(ro.object, cluster, signal)))
      return requeueAfter(CONFLICT_MS);
    if (ungranted !== undefined) await reportUngranted(ro, ungranted, cluster);
    const { wanted, waitMs } = inRhythm(key, ro, decision, now);
    const acting = { cluster, autoscalers: stores.autoscalers, dropped: deps.dropped, signal };
    const done = await carryOut(act(wanted, { ro, workloads, now, ...acting }).then(() => clearPassFailure(ro, wanted, acting)));
    if (!done) return requeueAfter(CONFLICT_MS); // what was left before still tells a foreign count from one of ours
    byHand.leave(key, seen, wanted);
    // What cannot be read is mended by a person, not by trying again: the object is told so by an Event.
    if (ro.fault !== undefined) throw new TerminalError(formatRollout({ id: 'wait.unreadable', ...ro.fault }));
    if (decision.fault !== undefined)
      deps.log.debug({ rollout: key, code: decision.fault.code, fault: decision.fault.message }, 'a rollout waits');
    await earlier;
    const noted = record(key, decision.control, controllerOf(ro.object) !== undefined);
    if (isOnward(ro, wanted, stores.rollouts.get(key))) return meanwhile(noted, () => pass(key, context, noted));
    await noted;
    return soonest(decision.requeueAfterMs, waitMs, unlessAll(seen, decisions));
  };

  return async (key, context) => {
    try {
      return await pass(key, context);
    } catch (error) {
      await reportFailure(key, context, error);
      throw error;
    }
  };
}

/** Does the one while the other is under way, and fails where either does. */
function meanwhile<Result>(other: Promise<void>, work: () => Promise<Result>): Promise<Result> {
  other.catch(() => undefined); // thrown once the work is over
  return work().finally(() => other);
}

/** True where a pass brought a stage to its end, its copy shows that, and nothing else of it is to be seen first: the next one begins at once. */
function isOnward({ control }: RolloutObject, { control: next, scales }: RolloutDecision, stored: KubeObject | undefined): boolean {
  if (control?.state !== 'stage' || next?.state !== 'boundary' || scales.writes.length > 0 || scales.ranges.length > 0) return false;
  return stored !== undefined && readRollout(stored).control?.state === 'boundary';
}

/** What was seen, with what whoever wrote the rollout may not have moved, where no application owns it. */
async function permitted(seen: Observation, review: AccessReviewer): Promise<Observation> {
  const taken = seen.view.taken ?? (await findUnpermittedRevision(seen.view, review));
  return taken === seen.view.taken ? seen : { ...seen, view: { ...seen.view, taken } };
}

/** Why those of the decisions may not be made that may not, by their verbs. */
function blockedReasonsOf({ decisionsBlockedReason }: EngineDeps, decisions: Observation['decisions']): ReadonlyMap<DecisionVerb, string> {
  const whys = new Map<DecisionVerb, string>();
  for (const { spec } of decisions) {
    const why = decisionsBlockedReason?.(spec.verb) ?? null;
    if (why !== null) whys.set(spec.verb, why);
  }
  return whys;
}

async function recordStateOf({ recordState }: EngineDeps): Promise<RecordState> {
  return recordState === undefined ? 'open' : recordState();
}

/** Nothing is done that could not be put on record; going back is never kept from going on. */
function standsStill({ view }: Observation, state: RecordState, decisions: Observation['decisions']): boolean {
  return state === 'full' && decisions.length === 0 && abortOf(view.control) === undefined;
}

/** When those that stay Pending are looked at again. */
function unlessAll(seen: Observation, decisions: Observation['decisions']): number | undefined {
  return decisions.length < seen.decisions.length ? RECORD_RETRY_MS : undefined;
}

/** The decisions that may count now: while the record cannot be written only those that stop, the others stay Pending. */
function recordable({ decisions }: Observation, state: RecordState): Observation['decisions'] {
  return state === 'open' ? decisions : decisions.filter(({ spec }) => verbIs(spec.verb, 'needsNoRecord'));
}

/** What the definition of rollouts drops, where that is known and no mere doubt. */
const knownLosses = ({ dropped, isDefinitionRead }: EngineDeps) =>
  isDefinitionRead?.(KINDS.rolloutOrchestrator.kind) === true ? dropped : undefined;

function isPolicyLost({ view }: Observation, { dropped }: EngineDeps): boolean {
  return dropped !== undefined && lostPolicyReason(view.ro.object, dropped) !== null;
}

/** What a rollout tells of itself, as it goes on record; `at` stands for a time that cannot be read. */
function* entriesOf(
  key: ObjectKey,
  { history, past }: ControlState,
  { owned, at }: { readonly owned: boolean; readonly at: Instant },
): Iterable<RecordEntry> {
  const about = { ...KINDS.rolloutOrchestrator, ...parseObjectKey(key) };
  for (const { id, at: written, actor, action, message } of history) {
    // Decisions are put on record where they are answered, the start of an application's rollout by the application.
    if (action.startsWith('decision.') || (owned && action === 'rollout.started')) continue;
    yield { id, at: parseInstant(written) ?? at, actor, action, about, message };
  }
  // The object keeps the last few attempts; the record keeps every one, with its stages.
  for (const { id, endedAt, ...data } of past) {
    yield {
      id: `${id}/attempt`,
      at: parseInstant(endedAt) ?? at,
      actor: ENGINE_ACTOR,
      action: 'rollout.attempt',
      about,
      message: formatAttempt(data),
      data,
    };
  }
}

function formatAttempt({ to, outcome, stages }: Pick<AttemptRecord, 'to' | 'outcome' | 'stages'>): string {
  const through = stages.filter(({ way, endedAt, failed }) => way === 'forward' && endedAt !== undefined && failed !== true);
  return `the attempt to reach ${to} was ${outcome} after ${formatCount(through.length, 'stage')}`;
}

/** Looks again at the earlier of two moments, if at any. */
function soonest(...inMs: readonly (number | undefined)[]): Outcome {
  const known = inMs.flatMap((ms) => ms ?? []);
  return known.length === 0 ? settled() : requeueAfter(Math.min(...known));
}

async function isCurrent(copy: KubeObject, cluster: Cluster, signal: AbortSignal): Promise<boolean> {
  const live = await cluster.get(toAddress(copy), { signal });
  return live.metadata.resourceVersion === copy.metadata.resourceVersion;
}

// Something moved while the pass looked. Its event is on its way and brings the next pass; the delay is for a watch that broke.
async function carryOut(work: Promise<void>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (isConflict(error)) return false;
    throw error;
  }
}
