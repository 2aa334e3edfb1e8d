import { AppError } from '@/lib/contract/app-error';
import type { GatePolicy } from '@/lib/contract/release-gate';
import type { KubeObject } from '@/lib/kube/object';
import { groupsOfAccount } from '@/lib/kube/user-annotations';

const APPROVALS = 'slipway.dev/approvals';
const GROUPS = 'slipway.dev/approval-groups';
const MOST = 20;

/** Nothing is demanded. */
export const NO_GATE_POLICY: GatePolicy = { required: 0, groups: [] };

/** Annotations that say how many people approve a commit, and of which groups. */
const GATE_ANNOTATIONS: readonly string[] = [APPROVALS, GROUPS];

/** Whether a change of an object is one of what it demands. */
export function isGatePolicyMoved(before: KubeObject, after: KubeObject): boolean {
  return GATE_ANNOTATIONS.some((name) => before.metadata.annotations?.[name] !== after.metadata.annotations?.[name]);
}

/** What the annotations of an object demand; throws one sentence for a number that is none. `whose` names the object. */
export function readGatePolicy(annotations: Readonly<Record<string, string>>, whose: string): GatePolicy {
  const text = annotations[APPROVALS]?.trim();
  if (text !== undefined && !(/^\d{1,2}$/.test(text) && Number(text) <= MOST)) {
    throw new AppError('invalid', `annotation ${APPROVALS} of ${whose} must be a number from 0 to ${MOST}, found ${JSON.stringify(text)}`);
  }
  const groups = (annotations[GROUPS] ?? '').split(',').flatMap((group) => (group.trim() === '' ? [] : [group.trim()]));
  return { required: Number(text ?? 0), groups: groups.length === 0 ? [] : [groups] };
}

/** What meets both: the higher number, by people of the groups of each. */
export function stricter(left: GatePolicy, right: GatePolicy): GatePolicy {
  const clauses = [...left.groups, ...right.groups].map((clause) => [...new Set(clause)].sort());
  // Who is in one of a few groups is in one of more: the longer list says nothing then.
  const kept = clauses.filter(
    (clause, at) => !clauses.some((other, from) => from !== at && isWithin(other, clause) && (!isWithin(clause, other) || from < at)),
  );
  return { required: Math.max(left.required, right.required), groups: kept.sort((a, b) => (a.join() < b.join() ? -1 : 1)) };
}

/** True where two demand the same. */
export function isSameGatePolicy(left: GatePolicy, right: GatePolicy): boolean {
  return textOf(left) === textOf(right);
}

/** What a person saw of a looser demand when they decided: what is in force, what would be, and since when that is asked for. */
export function looseningOf(inForce: GatePolicy, wanted: GatePolicy & { readonly since?: string | undefined }): string {
  return `${textOf(inForce)} ${textOf(wanted)}${wanted.since === undefined ? '' : ` ${wanted.since}`}`;
}

interface Approving {
  readonly user: string;
  readonly groups?: readonly string[] | undefined;
}

/** Whether somebody is of those who may approve. */
export function mayApprove(demand: GatePolicy, actor: Approving): boolean {
  const own = [...(actor.groups ?? []), ...groupsOfAccount(actor.user)];
  return !isServiceAccountVote(demand, actor) && demand.groups.every((clause) => clause.some((group) => own.includes(group)));
}

/** Whether it is a service account where people are counted: whoever may use it would be two. It counts where a group of it is named. */
export function isServiceAccountVote({ required, groups }: GatePolicy, { user }: Pick<Approving, 'user'>): boolean {
  return required > 1 && groups.length === 0 && groupsOfAccount(user).length > 0;
}

function isWithin(few: readonly string[], many: readonly string[]): boolean {
  return few.every((group) => many.includes(group));
}

function textOf(demand: GatePolicy): string {
  return JSON.stringify([demand.required, stricter(demand, NO_GATE_POLICY).groups]);
}
