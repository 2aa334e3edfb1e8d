import type { RolloutFacts } from '@/server/rollout';
import { approvalsInForce, noApproverReason, withoutRequester } from '@/server/rollout';
import type { ObservedDecision } from '../observe/observe';

/** Somebody who approves. */
export type Actor = Parameters<typeof noApproverReason>[1];

/** What somebody approves of what waits to be deleted. */
export type Approval = Pick<ObservedDecision['spec'], 'actor' | 'seen' | 'garbage'>;

/** What would let a held collection go on. */
export interface PredictedApproval {
  /** False where the state of something is unknown. */
  readonly isApprovable: boolean;
  readonly required: number;
  /** Why an approval of somebody would not count; undefined where it would. */
  readonly refusalReason: (person: Actor) => string | undefined;
}

/** By what approvals are judged: the policy that is asked for, and the one in force; who requested it, and whether the application itself goes. */
export interface Terms {
  /** The application's rollout, whose terms in force may be stricter than the policy that is asked for. */
  readonly rollout?: RolloutFacts | undefined;
  /** Who asked for the change; undefined where that is not known, and of an application that is being deleted. */
  readonly requester?: string | undefined;
  readonly control: Parameters<typeof approvalsInForce>[1];
  readonly isEnd: boolean;
}

/** Who deletes an application is noted nowhere, so one approval more is wanted where nobody may approve their own: it may be theirs. */
export function approvalsOf({ control, rollout, isEnd }: Terms): ReturnType<typeof approvalsInForce> {
  const approvals = approvalsInForce(rollout, control);
  return isEnd ? withoutRequester(approvals) : approvals;
}

/** Why an approval of somebody does not count. */
export function refusalOf(actor: Actor, terms: Terms): string | undefined {
  return noApproverReason(approvalsOf(terms), actor, terms.requester === undefined ? [] : [terms.requester]);
}

/** Who approved what an application leaves behind, each person once. */
export function approversOf(decisions: readonly ObservedDecision[]): readonly string[] {
  return [...new Set(decisions.filter(({ spec }) => spec.applicationRef !== undefined).map(({ spec }) => spec.actor.user))];
}

/** What as many different persons as are wanted have named in an approval: objects, and how many may go at once. Other verbs name nothing. */
export function namesOf(decisions: readonly ObservedDecision[], required: number) {
  const approvals = decisions.flatMap(({ spec }) =>
    spec.verb === 'approve' && spec.garbage !== undefined ? [{ who: spec.actor.user, ...spec.garbage }] : [],
  );
  const isNamed = (object: string) =>
    new Set(approvals.filter(({ objects = [] }) => objects.includes(object)).map(({ who }) => who)).size >= required;
  const counts = new Map<string, number>();
  for (const { who, count = 0 } of approvals) counts.set(who, Math.max(count, counts.get(who) ?? 0));
  const count = [...counts.values()].sort((left, right) => right - left)[required - 1];
  return { objects: [...new Set(approvals.flatMap(({ objects = [] }) => objects))].filter(isNamed), count: count || undefined };
}

/** Why an approval counts for nothing beside others: the same person has approved as much of the same already. */
export function duplicateVoteReason({ actor: { user }, garbage }: Approval, counted: readonly ObservedDecision[]): string | undefined {
  const own = counted.filter(({ spec }) => spec.applicationRef !== undefined && spec.actor.user === user);
  const named = namesOf(own, 1);
  const adds = (garbage?.count ?? 0) > (named.count ?? 0) || garbage?.objects?.some((name) => !named.objects.includes(name)) === true;
  return own.length === 0 || adds ? undefined : formatCounted(user);
}

/** That an approval of somebody counts. */
export const formatCounted = (user: string) => `${user} has already approved exactly this; that approval counts`;
