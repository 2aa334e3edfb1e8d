import { groupsOfAccount } from '@/lib/kube/user-annotations';
import { formatCount, formatList } from '@/lib/words/figures';
import { formatUser } from '@/lib/words/format-requester';
import type { ControlInput, ControlPolicy } from './control-policy';
import { resolvePolicy } from './control-policy';

/**
 * What a policy by which nobody approves their own change means where a service account asks for one, as GitOps does; undefined for people, who are
 * meant themselves.
 */
export function explainSelfApproval(control: ControlInput, by: string | undefined): string | undefined {
  if (by === undefined || formatUser(by) === by || resolvePolicy(control).approvals.allowSelf) return undefined;
  return `the policy does not let the requester approve a change: here that is ${formatUser(by)}; who changed what it applies is unknown, and may approve it`;
}

/** Somebody who can sign in. */
export interface Approver {
  readonly user: string;
  readonly groups: readonly string[];
}

/** Whom a policy asks for approvals. */
interface RequiredApprovers {
  /** One of these groups; empty where it names none. */
  readonly groups: readonly string[];
  /** A service account counts only by a group that is named. */
  readonly onlyPeople: boolean;
  /** Whoever requested the change does not count. */
  readonly excludesRequester: boolean;
}

/** Whom the approvals of a policy ask, for other rooms, which read no field of it. */
export function requiredApprovers({ required, groups, allowSelf }: ControlPolicy['approvals']): RequiredApprovers {
  return { groups, onlyPeople: required > 1 || !allowSelf, excludesRequester: !allowSelf };
}

/** Why a decision of somebody passes nothing, by whom a policy wants and by who asked for what waits; undefined where it does. */
export function noApproverReason(
  { required, groups, allowSelf }: ControlPolicy['approvals'],
  { user, groups: own = [] }: { readonly user: string; readonly groups?: readonly string[] | undefined },
  askers: readonly string[],
): string | undefined {
  const ofAccount = groupsOfAccount(user);
  if (groups.length > 0 && !groups.some((group) => own.includes(group) || ofAccount.includes(group)))
    return `the policy requires someone of ${groups.join(' or ')}, and ${formatUser(user)} is in none of them`;
  // Whoever may use an account would be two people.
  if (groups.length === 0 && ofAccount.length > 0 && (required > 1 || !allowSelf))
    return `the policy counts people, and ${formatUser(user)} is not a person; a policy whose approvals.groups names ${ofAccount.join(' or ')} counts it`;
  if (!allowSelf && askers.length === 0)
    return 'it is unknown who requested this change, and the policy requires someone else to approve it';
  if (!allowSelf && askers.includes(user)) return `${formatUser(user)} requested this change, and the policy requires someone else`;
  return undefined;
}

/**
 * The same approvals where nobody can be noted as having asked: where the policy wants someone else one more is wanted, since one of them may be from
 * whoever asked.
 */
export function withoutRequester(approvals: ControlPolicy['approvals']): ControlPolicy['approvals'] {
  return approvals.allowSelf ? approvals : { ...approvals, required: approvals.required + 1, allowSelf: true };
}

/** Where nobody can tell who may sign in, more than this many approvals are taken for a slip. */
const MAX_LIKELY = 10;

/**
 * Why the gates of a policy could never be opened, or probably not, in a sentence; undefined where they can. It is in force at once, and only as many
 * people can loosen it again. `known` is everybody who can sign in, where that is known.
 */
export function explainUnmeetable(
  control: ControlInput,
  { known, by }: { readonly known?: readonly Approver[] | undefined; readonly by?: string | undefined },
): string | undefined {
  const { required, groups, allowSelf } = resolvePolicy(control).approvals;
  const wanted = `the policy requires ${formatCount(required, 'approval')} at each gate${groups.length === 0 ? '' : ` from ${formatList(groups, 'or')}`}`;
  const atOnce = 'it is in force as soon as it is applied, and as many people have to decide to loosen it again';
  if (groups.length > 0 && groups.every((group) => group.trim() === ''))
    return `${wanted}, and a group without a name has no members; ${atOnce}`;
  if (known === undefined) return required > MAX_LIKELY ? `${wanted}; make sure that enough people may approve: ${atOnce}` : undefined;
  const may = known.filter(
    ({ user, groups: own }) => (groups.length === 0 || own.some((group) => groups.includes(group))) && (allowSelf || user !== by),
  );
  if (may.length >= required) return undefined;
  const who = may.length === 0 ? 'no one' : `only ${formatList(may.map(({ user }) => user))}`;
  return `${wanted}, and ${who} can approve here; ${atOnce}`;
}
