import type { DecisionVerb, StageDecisionSpec } from '@/lib/contract/stage-decision';
import { verbIs } from '@/lib/contract/stage-decision';
import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { parseInstant, toIso } from '@/lib/std/instant';
import { formatRollout } from '@/lib/words/format-rollout';
import type { DecidedMessage, RefusalMessage } from '@/lib/words/rollout-message';
import { noApproverReason, requiredApprovers } from '../policy/approvers';
import { applyEvent } from './apply-event';
import { abortOf, completedOf, isPausedByPerson, isPromoted } from './control-facts';
import { digestOf } from './digest';
import type { Evaluation } from './evaluation';
import { evaluateRollout } from './evaluation';
import type { Hold } from './gates';
import { duplicateVoteReason, isShortOfQuorum, quorumOf } from './quorum';
import type { ControlEvent } from './reduce';
import type { Vote } from './state';
import { withHandled, withHistory } from './state';
import { loosen } from './terms';
import { startAbort, startRetry } from './transitions';
import type { RolloutView } from './view';
import { isOfApplication, targetNameOf } from './view';

/** A decision that waits to be judged. */
export interface PendingDecision {
  readonly object: KubeObject;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly createdAt: string;
  readonly spec: StageDecisionSpec;
}

/** What became of a decision, with the view that its effect leaves. */
export interface Verdict {
  readonly phase: 'Accepted' | 'Rejected' | 'Expired';
  readonly message: string;
  readonly view: RolloutView;
}

/** Judges one decision against the rollout as it is stored. Each is judged once; one whose effect is in the state is accepted as it was. */
export function evaluateDecision(decision: PendingDecision, view: RolloutView, now: Instant): Verdict {
  const { uid, spec } = decision;
  if (view.control.handled.includes(uid)) {
    return { phase: 'Accepted', message: view.control.history.find(({ id }) => id === uid)?.message ?? 'accepted', view };
  }
  const refused = refuseDecision(spec, view, now);
  if (refused !== undefined) return { ...refused, view };
  const message = acceptedMessage(spec, view);
  const bound = quorumOf(spec.verb, view) !== undefined;
  const acted = effectOf(view, spec, now);
  const effect = bound ? applyEvent(acted, { type: 'decidedUnderTerms' }) : acted;
  const noted = withHistory(effect.control, { id: uid, at: toIso(now), actor: spec.actor.user, action: `decision.${spec.verb}`, message });
  return { phase: 'Accepted', message, view: { ...effect, control: withHandled(noted, uid) } };
}

/** Why a decision comes to nothing: it is over, about another rollout or state, not possible now, or not for this actor to make. */
export function refuseDecision(spec: StageDecisionSpec, view: RolloutView, now: Instant): Pick<Verdict, 'phase' | 'message'> | undefined {
  const expiresAt = parseInstant(spec.expiresAt);
  if (expiresAt !== undefined && expiresAt <= now) {
    return { phase: 'Expired', message: formatRollout({ id: 'decided.expired', ms: now - expiresAt }) };
  }
  const situation = { view, evaluation: evaluateRollout(view, now) };
  const refused = mismatchReason(spec, view) ?? refusalOf(spec.verb, situation);
  const refusal = refused === undefined ? actorRefusal(spec.verb, spec.actor, situation) : formatRollout(refused);
  return refusal === undefined ? undefined : { phase: 'Rejected', message: refusal };
}

/** Why a decision is not about this rollout as it is now. */
export function mismatchReason(spec: StageDecisionSpec, view: Pick<RolloutView, 'control' | 'ro'>): DecidedMessage | undefined {
  const { verb, rolloutRef, stage, revision, reason, seen } = spec;
  const { name, uid } = view.ro.rollout;
  const [target, completed] = [targetNameOf(view), completedOf(view.control)];
  if (rolloutRef?.uid !== uid) return { id: 'decided.another-rollout', rollout: name, decided: rolloutRef?.uid ?? null, uid };
  if (verbIs(verb, 'wantsReason') && (reason ?? '').trim() === '') return { id: 'decided.no-reason', verb };
  if (verbIs(verb, 'namesStage') && stage !== completed) return { id: 'decided.another-stage', decided: stage ?? null, stage: completed };
  if (revision === undefined) return { id: 'decided.no-revision', verb };
  if (verb === 'loosen' && seen?.policy !== view.ro.loosening?.digest) return { id: 'decided.moved', what: 'policy' };
  if (verb !== 'rollback' && revision !== target) return { id: 'decided.another-revision', decided: revision, target };
  if (verb !== 'loosen' && verbIs(verb, 'restsOnSeen') && seen?.rollout !== digestOf(view.ro))
    return { id: 'decided.moved', what: 'rollout' };
  return undefined;
}

/** What the verbs look at to say whether they are possible. */
export interface DecisionContext {
  readonly view: RolloutView;
  readonly evaluation: Evaluation;
}

type Refusal = (situation: DecisionContext) => RefusalMessage | undefined;

/** Verbs that only a rollout that is under way, and not on its way back, can be told. */
function forward(rule: Refusal): Refusal {
  return (situation) => {
    const { view } = situation;
    if (!isActive(situation)) return idle(situation);
    return abortOf(view.control) === undefined ? rule(situation) : { id: 'refused.aborting' };
  };
}

function isActive({ evaluation: { position } }: DecisionContext): boolean {
  return position === 'running' || position === 'between';
}

/** What holds it between two stages; a pause in the middle of one is no gate. */
function gateOf({ evaluation: { position, hold } }: DecisionContext): Hold | undefined {
  return position === 'between' ? hold : undefined;
}

function idle({ view }: DecisionContext): RefusalMessage {
  return { id: 'refused.idle', rollout: view.ro.rollout.name };
}

const REFUSALS: Readonly<Record<DecisionVerb, Refusal>> = {
  approve: forward((situation) => {
    const { view, evaluation } = situation;
    const hold = gateOf(situation);
    if (hold?.reason === 'StageGate' || hold?.reason === 'SoakTime') return undefined;
    if (evaluation.position === 'running') return { id: 'refused.under-way', stage: completedOf(view.control) + 1, verb: 'approve' };
    return { id: 'refused.no-gate', because: hold?.message ?? null };
  }),
  advance: forward((situation) => {
    const { view } = situation;
    if (view.ro.pausedBySpec) return { id: 'refused.paused-by-policy' };
    return gateOf(situation) ? undefined : { id: 'refused.under-way', stage: completedOf(view.control) + 1, verb: 'advance' };
  }),
  'promote-full': forward(({ view }) => {
    if (view.ro.pausedBySpec) return { id: 'refused.paused-by-policy' };
    return isPromoted(view.control) ? { id: 'refused.promoted-already' } : undefined;
  }),
  pause: forward(({ view }) => (isPausedByPerson(view.control) ? { id: 'refused.paused-already' } : undefined)),
  resume: ({ view }) => {
    if (isPausedByPerson(view.control)) return undefined;
    return view.ro.pausedBySpec ? { id: 'refused.paused-by-policy' } : { id: 'refused.not-paused' };
  },
  abort: (situation) => {
    const { control } = situation.view;
    if (abortOf(control) !== undefined) return { id: control.state === 'aborted' ? 'refused.aborted' : 'refused.aborting' };
    return isActive(situation) ? undefined : idle(situation);
  },
  // Another revision may be asked for at any time; it is a new target like any other, and only an application makes targets of its revisions.
  rollback: ({ view }) => (isOfApplication(view) ? undefined : { id: 'refused.no-application' }),
  retry: ({ view: { control } }) => (abortOf(control) === undefined ? { id: 'refused.nothing-aborted' } : undefined),
  loosen: ({ view: { ro } }) => (ro.loosening === undefined ? { id: 'refused.nothing-looser' } : undefined),
};

/** Why a verb is not possible now, whoever asks. Undefined when it is. */
export function refusalOf(verb: DecisionVerb, situation: DecisionContext): RefusalMessage | undefined {
  return REFUSALS[verb](situation);
}

type Actor = Parameters<typeof noApproverReason>[1];

/** Why a decision of this actor counts for nothing: by the approvals policy, or since one of theirs counts. Undefined where it counts. */
export function actorRefusal(verb: DecisionVerb, actor: Actor, situation: DecisionContext): string | undefined {
  const { view } = situation;
  const quorum = quorumOf(verb, view);
  if (quorum === undefined) return undefined;
  const why = noApproverReason({ ...view.ro.policy.approvals, required: quorum.required }, actor, askersOf(verb, situation));
  const twice = duplicateVoteReason(verb, actor.user, view);
  return why ?? (twice && formatRollout(twice));
}

/** Who asked for what a decision lets through. */
function askersOf(verb: DecisionVerb, situation: DecisionContext): readonly string[] {
  const { policyRequestedBy, requestedBy } = situation.view.ro;
  const ofRollout = requestedBy === undefined ? [] : [requestedBy];
  if (verb !== 'loosen') return ofRollout;
  // A looser policy lets through what waits: whoever requested that would pass its gate by somebody else's policy.
  return isActive(situation) && policyRequestedBy.length > 0 ? [...policyRequestedBy, ...ofRollout] : policyRequestedBy;
}

/** Whom a decision is asked of, by the rule that judges who made it: everybody where no policy binds the verb. */
export function requiredPeople(verb: DecisionVerb, situation: DecisionContext): RequiredPeople {
  const { view } = situation;
  const quorum = quorumOf(verb, view);
  if (quorum === undefined) return { groups: [], not: [], people: false };
  const { groups, onlyPeople, excludesRequester } = requiredApprovers({ ...view.ro.policy.approvals, required: quorum.required });
  return { groups, not: [...quorum.given, ...(excludesRequester ? askersOf(verb, situation) : [])], people: onlyPeople };
}

/** Whose decision counts: of one of the groups, where there are any, and not of these people. */
export interface RequiredPeople {
  readonly groups: readonly string[];
  readonly not: readonly string[];
  /** True where a service account counts only by a group that is named. */
  readonly people: boolean;
}

/** What an accepted decision does, in a sentence. */
export function acceptedMessage(spec: StageDecisionSpec, view: RolloutView): string {
  return `${formatRollout(acceptance(spec, view))}${spec.reason ? `: ${spec.reason}` : ''}`;
}

function acceptance({ verb, revision: named }: StageDecisionSpec, view: RolloutView): DecidedMessage {
  const [stage, revision, quorum] = [completedOf(view.control), targetNameOf(view), quorumOf(verb, view)];
  const counted = { stage, nth: (quorum?.given.length ?? 0) + 1, required: quorum?.required ?? 1 };
  if (verb === 'approve') return { id: 'decided.approve', ...counted };
  if (quorum !== undefined && isShortOfQuorum(quorum)) return { id: 'decided.counted', verb, ...counted };
  if (verb === 'advance') return { id: 'decided.advance', stage };
  if (verb === 'pause' || verb === 'resume') return { id: `decided.${verb}` };
  if (verb === 'loosen') return { id: 'decided.loosen', fields: view.ro.loosening?.fields ?? [] };
  return { id: `decided.${verb}`, revision: verb === 'rollback' ? (named ?? '') : revision };
}

type Effect = (view: RolloutView, spec: StageDecisionSpec, now: Instant) => RolloutView;

/** What an accepted decision does to the rollout; everything after that is the pass's. */
export function effectOf(view: RolloutView, spec: StageDecisionSpec, now: Instant): RolloutView {
  return EFFECTS[spec.verb](view, spec, now);
}

const EFFECTS: Readonly<Record<DecisionVerb, Effect>> = {
  approve: (view, { actor, seen }, now) => applyEvent(view, { type: 'approved', at: now, actor: actor.user, garbage: seen?.garbage }),
  advance: (view, spec, now) =>
    withVote(view, { verb: 'advance', actor: spec.actor.user, now }, { type: 'advanced', garbage: spec.seen?.garbage }),
  'promote-full': (view, spec, now) =>
    withVote(view, { verb: 'promote-full', actor: spec.actor.user, now }, { type: 'promoted', garbage: spec.seen?.garbage }),
  pause: (view) => applyEvent(view, { type: 'pauseAsked' }),
  resume: (view) => applyEvent(view, { type: 'resumeAsked' }),
  abort: (view, { actor, reason = '' }, now) => startAbort(view, { actor: actor.user, reason, now }),
  // The application is changed; the rollout hears of it as another target.
  rollback: (view) => view,
  retry: (view, _spec, now) => startRetry(view, now),
  loosen: (view, { actor }, now) => {
    const quorum = quorumOf('loosen', view);
    const { loosening } = view.ro;
    if (quorum === undefined || loosening === undefined) return view;
    if (!isShortOfQuorum(quorum)) return loosen(view);
    return applyEvent(view, { type: 'loosenVoted', at: now, actor: actor.user, digest: loosening.digest });
  },
};

interface Voter {
  readonly verb: Vote['verb'];
  readonly actor: string;
  readonly now: Instant;
}

/** Counts a vote, and does what it is about when it is the last that the policy wants. */
function withVote(view: RolloutView, { verb, actor, now }: Voter, event: ControlEvent): RolloutView {
  const quorum = quorumOf(verb, view);
  const voted = applyEvent(view, { type: 'voted', at: now, verb, actor });
  return quorum !== undefined && isShortOfQuorum(quorum) ? voted : applyEvent(voted, event);
}
