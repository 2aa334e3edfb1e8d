import { isAppError } from '@/lib/contract/app-error';
import { REQUESTED_BY } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { readAnnotatedUser } from '@/lib/kube/user-annotations';
import type { Instant } from '@/lib/std/instant';
import { parseInstant } from '@/lib/std/instant';
import { formatCount } from '@/lib/words/figures';
import type { GarbageContext, GarbagePlan, LiveState, ResourceTracker, TrackerEntry } from '@/server/dispatch';
import { digestOfDeletions, emptyTrackers, planGarbage } from '@/server/dispatch';
import type { RolloutFacts } from '@/server/rollout';
import { approvalsInForce, requiredApprovers } from '@/server/rollout';
import type { Observation, ObservedDecision } from '../observe/observe';
import { readDecision } from '../observe/observe';
import type { Actor, Approval, PredictedApproval, Terms } from '../permission/approvals';
import { approvalsOf, approversOf, duplicateVoteReason, formatCounted, namesOf, refusalOf } from '../permission/approvals';
import type { OuterApplications } from '../permission/requester';
import { notedOn } from '../permission/requester';
import { keepsObjects } from '../plan/previewed-deletion';
import type { ParsedApplication } from '../spec/model';
import { parseApplication } from '../spec/parse';
import type { Policies } from '../spec/policies';
import type { RunPlan } from './model';

/** What a collection is judged by. */
export interface CollectionInput {
  readonly application: Pick<ParsedApplication, 'name' | 'namespace' | 'uid' | 'rollout'> & { readonly policies?: Policies | undefined };
  readonly components: readonly string[];
  readonly olds: readonly ResourceTracker[];
  /** Absent while the application is being deleted. */
  readonly next: ResourceTracker | undefined;
  readonly live: (entry: TrackerEntry) => LiveState;
  /** Leave the objects and only forget them. */
  readonly release?: boolean;
  readonly decisions: readonly ObservedDecision[];
  /** What the last person who let the rollout go on had seen of the garbage. */
  readonly seenGarbage: string | undefined;
  /** What whoever deleted the application had seen of its end. */
  readonly seenEnd?: string | undefined;
  /** Digest of the deletions in the plan that the change was accepted with; undefined for a change that nobody saw a plan of. */
  readonly accepted: string | undefined;
  /** The application's rollout, whose terms in force may be stricter than the policy that is asked for. */
  readonly rollout?: RolloutFacts | undefined;
  /** The rollout's target, for decisions made on the rollout. */
  readonly target: string | undefined;
  /** Who asked for the change that leaves it behind; undefined where that is not known, and of an application that is being deleted. */
  readonly requester?: string | undefined;
  /** Why nobody may decide now, as where nothing ties a decision to a person; undefined where they may. */
  readonly decisionsBlockedReason?: string | undefined;
  readonly now: Instant;
}

/** A decision about this collection, judged. */
export interface Evaluated {
  readonly decision: ObservedDecision;
  readonly phase: 'Accepted' | 'Rejected' | 'Expired';
  readonly message: string;
}

export interface Collection {
  readonly plan: GarbagePlan;
  /** Why nothing is deleted; undefined when the plan may be carried out. */
  readonly held: string | undefined;
  /** Decisions that waited for a judgement. */
  readonly evaluated: readonly Evaluated[];
}

/**
 * Evaluates a collection, once: the same plan is shown, checked and carried out.
 *
 * 1. A plan that differs from what was seen at the last gate, or when the application was deleted, waits for a decision that names its digest.
 * 2. So do deletions that are not those of the plan which the change was accepted with, unless they were seen at that gate.
 * 3. What a safety rule holds goes only when approvals of this very digest name it, of as many persons as the policy wants.
 * 4. Who those persons may be is asked of the policy as it is now, also where it is stricter than when they decided.
 */
export function evaluateCollection(input: CollectionInput): Collection {
  const bare = planGarbage(input.olds, input.next, contextOf(input));
  const evaluated: Evaluated[] = [];
  let counted = input.decisions.filter((decision) => decision.phase === 'Accepted' && counts(decision, bare.digest, input));
  for (const decision of input.decisions.filter(isPending)) {
    const evaluation = evaluate(decision, { bare, counted, input });
    evaluated.push(evaluation);
    if (evaluation.phase === 'Accepted') counted = [...counted, decision];
  }
  return { ...planBy(counted, input), evaluated };
}

/** What is deleted, and what is held, by the decisions that count. */
function planBy(counted: readonly ObservedDecision[], input: CollectionInput): Pick<Collection, 'plan' | 'held'> {
  const named = namesOf(counted, approvalsOf(termsOf(input)).required);
  const plan = planGarbage(input.olds, input.next, { ...contextOf(input), named });
  return { plan, held: heldBy(plan, counted, input) };
}

const counts = (decision: ObservedDecision, digest: string, input: CollectionInput) =>
  isAbout(decision, digest, input) && refusalBy(decision, input) === undefined;

export type CollectionRequest = Omit<CollectionInput, 'live' | 'decisions' | 'now' | 'rollout' | 'decisionsBlockedReason'>;

/** What became of a collection. */
export type CollectionOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'waiting'; readonly plan: GarbagePlan }
  | { readonly kind: 'held'; readonly plan: GarbagePlan; readonly why: string };

/** What the collection of a plan is about: what older trackers have, once the tracker of its revision is there. */
export function collectionOf(
  { application, olds, rollout }: RunPlan,
  seen: Observation,
  { next, accepted, requester }: Pick<CollectionInput, 'next' | 'accepted' | 'requester'>,
): CollectionRequest {
  const target = rollout.kind === 'ensure' ? rollout.target.revisionName : undefined;
  const seenGarbage = target !== undefined && seen.rollout?.target === target ? seen.rollout.seenGarbage : undefined;
  const components = application.spec.components.map(({ name }) => name);
  return { application, olds, next, components, seenGarbage, accepted, target, requester };
}

/** What a collection comes to by the watched copies; `collect` where it may be carried out once the server says the same. */
export function decideCollection(
  { plan, held }: Collection,
  olds: readonly ResourceTracker[],
  mayGo: boolean,
): CollectionOutcome | { readonly kind: 'collect'; readonly plan: GarbagePlan } {
  if (!mayGo) return { kind: 'waiting', plan };
  if (held !== undefined) return { kind: 'held', plan, why: held };
  // Trackers that only hold what waits for the application to go are no business of every pass.
  const isIdle = emptyTrackers(plan, olds).length === 0 && !plan.items.some(({ verdict, released }) => verdict === 'deleted' || released);
  return isIdle ? { kind: 'done' } : { kind: 'collect', plan };
}

/** Why what the copies said may not be carried out after all, by what the server says now; undefined when it is the very same. */
export function changedCollectionReason(shown: Collection, fresh: Collection): string | undefined {
  if (fresh.held !== undefined) return fresh.held;
  return fresh.plan.digest === shown.plan.digest ? undefined : 'the set of objects to delete is changing; checking again';
}

/** Decisions as they are once those that were judged are answered. */
export function withAnswers(evaluated: readonly Evaluated[], decisions: readonly ObservedDecision[]): readonly ObservedDecision[] {
  const phases = new Map(evaluated.map(({ decision, phase }) => [decision, phase]));
  return decisions.map((decision) => ({ ...decision, phase: phases.get(decision) ?? decision.phase }));
}

/** Whether approvals of a plan would let it go on, and whose. */
export function predictApproval(input: CollectionInput, { plan }: Pick<Collection, 'plan'>): PredictedApproval {
  const { refused } = planGarbage(input.olds, input.next, { ...contextOf(input), named: { count: countGoing(plan) } });
  const { required } = approvalsOf(termsOf(input));
  return { isApprovable: refused === undefined, required, refusalReason: (person) => refusalOf(person, termsOf(input)) };
}

/** Whom the policy asks about what waits to be deleted. */
export interface Deciders {
  /** One of these groups; empty where the policy names none. */
  readonly groups: readonly string[];
  /** Who has decided about exactly this already, or requested it where the policy wants someone else. */
  readonly not: readonly string[];
  /** True where a service account counts only by a group that is named. */
  readonly people: boolean;
  /** Why an approval of somebody would not count beside those that are there; undefined where it would. */
  readonly refusalReason: (person: Actor) => string | undefined;
  /** Why this very approval would count for nothing beside one of the same person; undefined where none counts. */
  readonly repeatReason: (approval: Approval) => string | undefined;
}

/** What the deciders about an application are told from. */
interface Deciding extends Pick<Collection, 'plan'>, Pick<CollectionInput, 'rollout'> {
  readonly decisions: readonly KubeObject[];
  /** By which an application in another one is known. */
  readonly among: OuterApplications;
}

/** Who may let go on what waits to be deleted of an application as it stands, by the judgement that its engine makes. */
export function decidersOf(object: KubeObject, { plan, rollout, decisions, among }: Deciding): Deciders {
  const isEnd = object.metadata.deletionTimestamp !== undefined;
  const requester = isEnd ? undefined : notedOn(object, (one) => readAnnotatedUser(one, REQUESTED_BY), among)?.user;
  const terms: Terms = { control: parsedOf(object)?.rollout?.control, rollout, requester, isEnd };
  const { groups, onlyPeople, excludesRequester } = requiredApprovers(approvalsOf(terms));
  const counted = decisions
    .flatMap(readDecision)
    .filter(
      ({ spec, phase }) =>
        phase === 'Accepted' &&
        spec.applicationRef?.uid === object.metadata.uid &&
        spec.seen?.garbage === plan.digest &&
        refusalOf(spec.actor, terms) === undefined,
    );
  const isEnough = ({ spec }: ObservedDecision) => plan.refused === undefined || (spec.garbage?.count ?? 0) >= countGoing(plan);
  const decided = approversOf(counted.filter(isEnough));
  const refusalReason = (person: Actor) => (decided.includes(person.user) ? formatCounted(person.user) : refusalOf(person, terms));
  const repeatReason = (vote: Approval) => (vote.seen?.garbage === plan.digest ? duplicateVoteReason(vote, counted) : undefined);
  const not = [...decided, ...(excludesRequester && requester !== undefined ? [requester] : [])];
  return { groups, not, people: onlyPeople, refusalReason, repeatReason };
}

/** What the application as it stands says about a collection, for whoever plans one to show it; nothing of it while it cannot be read. */
export function garbageContextOf(object: KubeObject): Pick<GarbageContext, 'application' | 'components' | 'policy' | 'release'> {
  const application = parsedOf(object);
  if (application === undefined) return {};
  const own = { application, policy: application.policies.garbage };
  if (object.metadata.deletionTimestamp !== undefined)
    return { ...own, components: [], ...(keepsObjects(object) ? { release: true } : {}) };
  return { ...own, components: application.spec.components.map(({ name }) => name) };
}

/** The application as it stands; undefined while it cannot be read. */
function parsedOf(object: KubeObject): ParsedApplication | undefined {
  try {
    return parseApplication(object);
  } catch (error) {
    if (isAppError(error)) return undefined;
    throw error;
  }
}

function contextOf({ live, components, application, release, accepted }: CollectionInput): GarbageContext {
  const policy = application.policies?.garbage;
  return { live, components, application, policy, ...(release ? { release: true } : {}), countGone: accepted !== undefined };
}

const isPending = ({ phase, spec }: ObservedDecision) => phase === 'Pending' && spec.applicationRef !== undefined;

function isAbout({ spec }: ObservedDecision, digest: string, { application, target }: CollectionInput): boolean {
  if (spec.seen?.garbage !== digest) return false;
  return spec.applicationRef !== undefined ? spec.applicationRef.uid === application.uid : spec.revision === target && target !== undefined;
}

const termsOf = ({ application, rollout, requester, next }: CollectionInput): Terms => ({
  control: application.rollout?.control,
  rollout,
  requester,
  isEnd: next === undefined,
});

const countGoing = ({ items }: GarbagePlan) => items.filter(({ verdict }) => verdict === 'deleted').length;

function heldBy(plan: GarbagePlan, decisions: readonly ObservedDecision[], input: CollectionInput): string | undefined {
  const { accepted, seenEnd } = input;
  const seenGarbage = seenEnd ?? input.seenGarbage;
  const approved = approversOf(decisions).length;
  const { required } = approvalsOf(termsOf(input));
  if (plan.refused !== undefined) return `${plan.refused}${formatWanted(plan, approved, input)}`;
  const changed = seenGarbage !== undefined && seenGarbage !== plan.digest;
  const isOther = accepted !== undefined && seenGarbage !== plan.digest && accepted !== digestOfDeletions(plan);
  if (approved >= required || (!changed && !isOther)) return undefined;
  const when = seenEnd !== undefined ? 'the deletion was requested' : changed ? 'the rollout was continued' : 'the change was requested';
  return `what would be deleted is not what was seen when ${when}; it requires an approval that names the application and the digest ${plan.digest} (${approved} of ${required})`;
}

/** How many approvals would let a refused plan go on, where one is not enough. */
function formatWanted(plan: GarbagePlan, approved: number, input: CollectionInput): string {
  const { isApprovable, required } = predictApproval(input, { plan });
  if (!isApprovable || required < 2) return '';
  const { excludesRequester } = requiredApprovers(approvalsInForce(input.rollout, input.application.rollout?.control));
  const why = input.next === undefined && excludesRequester ? ', since one of them may be from the person who deletes it' : '';
  return `; it requires ${required} approvals${why} (${approved} of ${required})`;
}

/** Decisions about the rollout were judged by its engine, by the same policy. */
const refusalBy = ({ spec }: ObservedDecision, input: CollectionInput) =>
  spec.applicationRef === undefined ? undefined : refusalOf(spec.actor, termsOf(input));

/** What a decision that waits is judged beside. */
interface Beside {
  /** What goes as long as nobody approves anything. */
  readonly bare: GarbagePlan;
  /** Decisions that count. */
  readonly counted: readonly ObservedDecision[];
  readonly input: CollectionInput;
}

function evaluate(decision: ObservedDecision, beside: Beside): Evaluated {
  const { bare, counted, input } = beside;
  const { spec } = decision;
  const as = (phase: Evaluated['phase'], message: string): Evaluated => ({ decision, phase, message });
  const expiry = parseInstant(spec.expiresAt);
  if (spec.applicationRef?.uid !== input.application.uid)
    return as('Rejected', 'it names an earlier application of this name, which no longer exists');
  if (spec.verb !== 'approve') return as('Rejected', `the verb about an application must be approve, found ${spec.verb}`);
  if (expiry !== undefined && input.now >= expiry) return as('Expired', `it expired at ${spec.expiresAt ?? ''}`);
  if (input.decisionsBlockedReason !== undefined) return as('Rejected', input.decisionsBlockedReason);
  if (input.olds.length === 0) return as('Rejected', 'nothing is waiting to be deleted');
  if (spec.seen?.garbage === undefined) return as('Rejected', 'it does not say which deletions were seen (seen.garbage)');
  if (spec.seen.garbage !== bare.digest) return as('Rejected', 'what would be deleted has changed since it was decided; review it again');
  const why = refusalBy(decision, input) ?? duplicateVoteReason(spec, counted);
  if (why !== undefined) return as('Rejected', why);
  return as('Accepted', formatAccepted([...counted, decision], input));
}

/** What a decision does beside those that count, in a sentence. */
function formatAccepted(counted: readonly ObservedDecision[], input: CollectionInput): string {
  const { plan, held } = planBy(counted, input);
  const goes = countGoing(plan);
  // What goes once as many people have approved the same.
  const named = countGoing(planGarbage(input.olds, input.next, { ...contextOf(input), named: namesOf(counted, 1) }));
  if (held === undefined && goes === named) return `${formatCount(goes, 'object')} may be deleted`;
  const given = approversOf(counted).length;
  const { required } = approvalsOf(termsOf(input));
  const more = required - given;
  if (more > 0)
    return `approval ${given} of ${required}: ${more} more ${more === 1 ? 'is' : 'are'} required before ${formatCount(named, 'object')} may be deleted`;
  return `it counts, and something is still held: ${held ?? `${formatCount(named - goes, 'object')} of those it names must be named by ${required} people`}`;
}
