import type { ReleaseVerb } from '@/lib/contract/release-decision';
import { RELEASE_VERBS } from '@/lib/contract/release-decision';
import type { ReleaseState } from '@/lib/contract/release-state';
import { readConditions } from '@/lib/kube/condition';
import { readNumber, readString } from '@/lib/kube/fields';
import { describeResource } from '@/lib/kube/kinds';
import type { Instant } from '@/lib/std/instant';
import type { ReleaseMessage } from '@/lib/words/release-message';
import { describeConditions } from '@/server/status';
import { approvalProgressOf } from '../decisions/approvals';
import { consequencesOf, refusalReason } from '../decisions/evaluate';
import { looseningOf } from '../gate/gate-policy';
import { shownAddress } from '../git/address';
import type { DeclaredRelease } from '../model/declared';
import { awaitsUninstall } from '../model/declared';
import { driftOf } from './comparing/drift-of';
import { lastComparison, notComparedReason, waitForApproval, waitOf, wasInSync } from './comparing/not-compared';
import type { ChartOrigin, ReleaseDescription, ReleaseObservation, ReleaseSummary } from './description';
import { changingOf, queuedMessage } from './helm-progress';
import type { Reconcile } from './reconcile-history';
import type { Failure } from './released-at';
import {
  commitOf,
  failureOf,
  goneBranchMessage,
  goneHeldCommitOf,
  isInSync,
  isOnlyAttempted,
  outdatedReason,
  revisionOf,
  storedOf,
} from './released-at';
import { actOf, chartOf } from './status-fields';
import { passOutcomeOf } from './uninstalling';

/** Acts that want somebody to carry them out; the others end with their answer. */
const CARRIED_OUT: readonly ReleaseVerb[] = ['sync', 'approve', 'rollback', 'unlock', 'loosen'];
/** Phases of the later kinds in which Helm is at work. */
const AT_WORK = new Set(['Installing', 'Upgrading', 'Testing', 'RollingBack', 'ChartFetched', 'Deployed', 'Tested']);

/** What a line about a release tells: how it stands, why, who acted last, what waits. Pure; a later moment gives the same but for what time alone changes. */
export function summarizeRelease(seen: ReleaseObservation, now: Instant): ReleaseSummary {
  const { resource } = seen;
  const waits = waitOf(seen);
  const [state, says] = stateOf(seen);
  const isChecked = waits === null && state !== 'suspended' && seen.hold === undefined && !awaitsUninstall(resource);
  return {
    at: resource.at,
    release: resource.release,
    state,
    says,
    waits,
    chart: chartOf(resource),
    revision: revisionOf(seen) ?? null,
    commit: commitOf(seen),
    lastAct: actOf(resource),
    drift: driftOf(seen),
    failedAt: readString(resource.status, 'failure', 'at') ?? null,
    nextCheckAt: isChecked ? nextCheckOf(seen, now) : null,
    gate: gateOf(seen),
    goneBranch: goneBranchMessage(seen),
  };
}

/** All that is told of one release, on its own page. Pure in the same way. */
export function describeRelease(seen: ReleaseObservation, now: Instant): ReleaseDescription {
  const { resource } = seen;
  const summary = summarizeRelease(seen, now);
  return {
    ...summary,
    uid: seen.uid,
    generation: resource.generation,
    profile: resource.profile,
    upgrade: upgradeOf(seen),
    outdatedPlan: movedOf(seen) ?? null,
    origin: originOf(resource),
    actsAs: { account: seen.account, named: resource.onBehalfOf.account !== undefined },
    stored: storedOf(seen) ?? null,
    onlyAttempted: isOnlyAttempted(seen),
    storedRevision: seen.newest?.revision ?? summary.lastAct?.storedRevision ?? null,
    hold: seen.hold ?? null,
    heir: seen.heir ?? null,
    webhook: seen.webhook === undefined ? null : { id: seen.webhook.id, secret: seen.webhook.secret },
    work: seen.loops.kind === 'elsewhere' ? 'elsewhere' : (seen.work ?? null),
    acts: actsOf(seen, summary.waits),
    conditions: describeConditions(resource),
    reconciles: seen.reconciles,
  };
}

type Evaluated = readonly [ReleaseState, ReleaseMessage];

function stateOf(seen: ReleaseObservation): Evaluated {
  const { resource, holder, hold } = seen;
  const { release } = resource;
  const failed = failureOf(seen);
  const ending = passOutcomeOf(seen, failed?.loop === 'deletion' ? failed.why : undefined, waitOf(seen));
  if (ending !== undefined) return ending;
  if (holder !== undefined) {
    return ['refused', { id: 'state.refused', by: describeResource(holder), release: release.name, namespace: release.namespace }];
  }
  if (resource.profile === 'extended' && resource.spec.suspend) return ['suspended', { id: 'state.suspended' }];
  if (hold !== undefined) return ['held', { id: 'state.held', ...hold, lost: goneHeldCommitOf(seen) }];
  const gated = waitForApproval(seen);
  if (gated !== undefined)
    return ['waiting', { id: 'state.gated', ...gated, isInstalled: storedOf(seen) !== undefined, behind: outdatedReason(seen) }];
  const moved = movedOf(seen);
  if (moved !== undefined) return ['moved', { id: 'state.plan-moved', why: moved }];
  const depends = waitingFor(seen);
  if (depends !== undefined) return ['waiting', { id: 'state.depends', why: depends }];
  const turn = queuedMessage(seen);
  if (turn !== undefined) return ['changing', turn];
  const stored = storedOf(seen);
  const retried = failed === undefined ? undefined : retriedBy(seen, stored);
  if (failed !== undefined && retried !== undefined) return ['changing', { id: 'state.retrying', command: retried, why: failed.why }];
  if (stored?.startsWith('pending') && failed !== undefined && !isAtWork(seen))
    return ['pending', { id: 'state.pending', stored, why: failed.why }];
  const evaluated = resource.profile === 'extended' ? evaluatePhase(seen, failed) : undefined;
  return evaluated ?? evaluateStored(seen, stored, failed);
}

/** The command by which Helm attempts again what failed; undefined where none runs, and for an install that its storage refuses at each pass (R-1A-3). */
function retriedBy({ work }: ReleaseObservation, stored: string | undefined): string | undefined {
  if (work?.purpose !== 'change' || work.until !== null) return undefined;
  return work.command === 'install' && stored !== undefined && !stored.startsWith('pending') ? undefined : work.command;
}

/** Helm stores pending while it works; what failed before says nothing of that. */
function isAtWork({ work, resource: { status } }: ReleaseObservation): boolean {
  return work?.until === null || AT_WORK.has(readString(status, 'phase') ?? '');
}

/** Why the change that somebody previewed is not released: the newest look says it, or where none is known the status, as long as it is of the plan that waits. */
function movedOf({ resource: { plan, status }, reconciles: [newest] }: ReleaseObservation): string | undefined {
  if (plan === undefined) return undefined;
  if (newest !== undefined) return newest.outcome === 'plan-moved' && newest.seen === plan.digest ? newest.error : undefined;
  return readString(status, 'planMoved', 'seen') === plan.digest ? readString(status, 'planMoved', 'message') : undefined;
}

/** Why it waits, for those that it depends on or for a change of its resource: the newest look says it, or where none is known the status. */
function waitingFor({ resource, reconciles: [newest] }: ReleaseObservation): string | undefined {
  if (newest !== undefined) return newest.outcome === 'waits' ? newest.error : undefined;
  const told = { DependencyNotReady: 'Released', ApprovalRequired: 'ChartFetched' }[readString(resource.status, 'phase') ?? ''];
  return told && readConditions(resource).find(({ type }) => type === told)?.message;
}

function gateOf({ gate, approvers }: ReleaseObservation): ReleaseDescription['gate'] {
  if (gate === undefined) return null;
  return {
    ...gate,
    approvers,
    given: approvalProgressOf(gate, approvers),
    loosening: gate.wanted == null ? null : looseningOf(gate, gate.wanted),
  };
}

/** What the phase of a later kind says; undefined where there is none yet. */
function evaluatePhase(seen: ReleaseObservation, failure: Failure | undefined): Evaluated | undefined {
  const { resource } = seen;
  const { status, generation } = resource;
  const phase = readString(status, 'phase');
  const conditions = readConditions(resource);
  const messageOf = (type: string) => conditions.find((one) => one.type === type)?.message ?? '';
  if (phase === 'RolledBack') {
    return [
      'rolled-back',
      { id: 'state.rolled-back', revision: readString(status, 'lastAttemptedRevision') ?? null, why: messageOf('Released') },
    ];
  }
  if (failure !== undefined) return ['failed', { id: 'state.failed', ...failure }];
  if (phase === undefined) return undefined;
  if (phase.endsWith('Failed'))
    return [
      'failed',
      { id: 'state.failed', why: messageOf('Released') || messageOf('ChartFetched') || phase, loop: null, nextFetch: null, stays: false },
    ];
  if (AT_WORK.has(phase)) return changingOf(seen, { by: 'status', text: phase });
  const observed = readNumber(status, 'observedGeneration') ?? 0;
  if (observed < generation) return ['changing', { id: 'state.spec-ahead', generation, seen: observed }];
  return evaluateDrift(seen);
}

/** What Helm's storage and the looks at it say. */
function evaluateStored(seen: ReleaseObservation, stored: string | undefined, failure: Failure | undefined): Evaluated {
  if (failure !== undefined) return ['failed', { id: 'state.failed', ...failure }];
  if (stored?.startsWith('pending')) return changingOf(seen, { by: 'storage', text: stored });
  const drifted = stored === undefined ? undefined : evaluateDrift(seen);
  return drifted ?? evaluateComparison(seen, stored);
}

/** What comparing it with its chart came to, or came to before, where nobody compares it any more. */
function evaluateComparison(seen: ReleaseObservation, stored: string | undefined): Evaluated {
  const {
    resource: { status },
    reconciles: [newest],
    loops,
  } = seen;
  const told = readString(status, 'lastAct', 'revision') ?? readString(status, 'revision');
  const uncompared = notComparedReason(seen);
  if (uncompared !== undefined && stored === 'deployed' && (told !== undefined || lastComparison(seen) !== undefined))
    return ['unknown', wasInSync(seen, told ?? null, uncompared)];
  if (newest !== undefined && isInSync(newest.outcome)) {
    const { by: loop, outcome, revision = null } = newest;
    return ['in-sync', outdatedReason(seen) ?? { id: 'state.in-sync', loop, outcome, revision }];
  }
  if (newest?.outcome === 'held') return ['changing', { id: 'decided.lift' }]; // what held it is gone
  if (newest?.outcome === 'dropped') return ['changing', { id: 'upgrade.dropped' }];
  if (stored === 'deployed' && told !== undefined)
    return ['in-sync', outdatedReason(seen) ?? { id: 'state.in-sync-told', revision: told, elsewhere: loops.kind === 'elsewhere' }];
  if (stored === undefined) return ['waiting', outdatedReason(seen) ?? { id: 'state.not-looked-at' }];
  return [stored === 'failed' ? 'failed' : 'unknown', { id: 'state.not-compared', stored, why: waitOf(seen) }];
}

/** Whoever carries it out must be there; a hold and its end need nobody but the engine. */
function actsOf(seen: ReleaseObservation, waits: ReleaseMessage | null): ReleaseDescription['acts'] {
  const { resource, hold, gate, work, loops, holder, standing, revisions } = seen;
  const isAtWork = loops.kind === 'elsewhere' ? 'unknown' : work?.until === null;
  const circumstances = {
    resource,
    hold,
    gate,
    stored: storedOf(seen),
    revisions,
    isAtWork,
    holder: holder && describeResource(holder),
  } as const;
  return RELEASE_VERBS.map((verb) => {
    const kept = standing !== null || CARRIED_OUT.includes(verb) ? waits : null;
    const lost = verb === 'approve' && gate !== undefined ? goneBranchMessage(seen) : null; // whatever is known of it is on no branch
    return {
      verb,
      why: kept ?? lost ?? refusalReason(verb, circumstances),
      consequences: consequencesOf(verb, { ...seen, stored: circumstances.stored }),
    };
  });
}

/** Why the last look did not upgrade it, by rule and evidence, or that it did. */
function upgradeOf(seen: ReleaseObservation): ReleaseMessage {
  const { resource, holder, hold, reconciles, loops } = seen;
  const [newest] = reconciles;
  if (awaitsUninstall(resource)) return { id: 'upgrade.deleted' };
  if (holder !== undefined) return { id: 'upgrade.refused', by: describeResource(holder) };
  if (resource.profile === 'extended' && resource.spec.suspend) return { id: 'upgrade.suspended' };
  if (hold !== undefined) return { id: 'upgrade.held', by: hold.by };
  const gated = waitForApproval(seen);
  if (gated !== undefined) return { id: 'upgrade.gated', ...gated };
  const moved = movedOf(seen);
  if (moved !== undefined) return { id: 'upgrade.plan-moved', why: moved };
  const depends = waitingFor(seen);
  if (depends !== undefined) return { id: 'upgrade.depends', why: depends };
  // The newest look came before what Helm is doing.
  const [, says] = stateOf(seen);
  if (says.id === 'state.turn' || says.id === 'state.reported') return says;
  if (says.id === 'state.changing' && says.ended !== undefined) return says;
  if (says.id === 'state.changing' || says.id === 'state.retrying') return { id: 'upgrade.under-way' };
  if (newest === undefined)
    return outdatedReason(seen) ?? { id: loops.kind === 'elsewhere' ? 'upgrade.elsewhere' : 'upgrade.not-looked-at' };
  return says.id === 'state.was-in-sync' ? says : cameTo(newest, seen);
}

/** What the newest look came to about the release. */
function cameTo(newest: Reconcile, seen: ReleaseObservation): ReleaseMessage {
  const { gate } = seen;
  const { outcome, error = '' } = newest;
  const lost = outdatedReason(seen);
  if (lost !== null && ['equal', 'unmoved', 'gated'].includes(outcome)) return lost;
  const evidence = { rule: newest.rule ?? null, revision: newest.revision ?? null };
  // What a gated release is compared with is the commit that was approved for it, which says nothing of a newer one.
  if (['equal', 'unmoved', 'gated'].includes(outcome) && gate?.waiting != null)
    return { id: 'upgrade.commit-waits', commit: gate.waiting.commit };
  if (outcome === 'equal' || outcome === 'unmoved') return { id: 'upgrade.none-due', ...evidence, outcome };
  if (outcome === 'installed' || outcome === 'upgraded') return { id: 'upgrade.done', ...evidence, outcome };
  if (outcome === 'rolled-back') return { id: 'upgrade.rolled-back' };
  if (outcome === 'remediated') return { id: 'upgrade.remediated', ...evidence, why: error };
  if (outcome === 'put-back') return { id: 'upgrade.put-back' };
  if (outcome === 'held') return { id: 'decided.lift' }; // what held it is gone
  return outcome === 'failed' ? { id: 'upgrade.failed', ...evidence, why: error } : { id: 'upgrade.dropped' };
}

function nextCheckOf({ loops }: ReleaseObservation, now: Instant): Instant | null {
  if (loops.kind !== 'running' || loops.nextPassAt === null) return null;
  return loops.nextPassAt < now ? now : loops.nextPassAt;
}

/** Live objects that are otherwise than they were released are told before anything that the loops found, which compare what is stored. */
function evaluateDrift(seen: ReleaseObservation): Evaluated | undefined {
  const { state, says } = driftOf(seen);
  if (state !== 'drifted') return undefined;
  return ['drifted', says.id === 'drift.found' ? { id: 'state.drifted', why: says.why } : says];
}

function originOf(resource: DeclaredRelease): ChartOrigin {
  if (resource.profile === 'base') return { kind: 'git', url: null, ref: null, path: resource.chartGitPath };
  const { chart } = resource.spec;
  if (chart.kind === 'git') return { kind: 'git', url: shownAddress(chart.url), ref: chart.ref ?? null, path: chart.path };
  return { kind: 'repository', url: shownAddress(chart.repository), name: chart.name, version: chart.version };
}
