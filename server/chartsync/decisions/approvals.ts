import type { ReleaseDecisionSpec } from '@/lib/contract/release-decision';
import type { GatePolicy, KeptGate } from '@/lib/contract/release-gate';
import { readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { groupsOfAccount } from '@/lib/kube/user-annotations';
import type { Given, ReleaseMessage } from '@/lib/words/release-message';
import { treeOf } from '../gate/chart-identity';
import { isServiceAccountVote, looseningOf, mayApprove } from '../gate/gate-policy';
import type { ApprovableCommit } from '../ports';
import type { Evaluation } from './evaluate';
import { readReleaseDecision } from './hold';

/** What a decision is about. */
type Matter = Pick<ReleaseDecisionSpec, 'verb' | 'commit' | 'digest' | 'seen'>;

/** Why what somebody decides about a gate does not count beside what others decided; null where it does. */
export function notCountedReason(
  { approvers, ...gate }: GatePolicy & { readonly approvers: readonly string[] },
  actor: { readonly user: string; readonly groups?: readonly string[] | undefined },
): ReleaseMessage | null {
  const { user } = actor;
  if (isServiceAccountVote(gate, actor)) return { id: 'decided.no-person', user, groups: groupsOfAccount(user) };
  if (!mayApprove(gate, actor)) return { id: 'decided.no-member', user, groups: gate.groups };
  return approvedTwice(user, { approvers, required: gate.required });
}

/** Why another decision of the same person about a gate would count for nothing: one of theirs counts. Null where none does. */
export function countedAlreadyReason(
  { actor, ...matter }: Matter & Pick<ReleaseDecisionSpec, 'actor'>,
  gate: KeptGate | undefined,
  decisions: readonly KubeObject[],
): ReleaseMessage | null {
  return approvedTwice(actor.user, { approvers: approversOf(matter, gate, decisions), required: gate?.required ?? 0 });
}

function approvedTwice(
  user: string,
  { approvers, required }: { readonly approvers: readonly string[]; readonly required: number },
): ReleaseMessage | null {
  return approvers.includes(user) ? { id: 'decided.approved-twice', user, have: approvers.length, required } : null;
}

/** Why an approval of a commit does not count; an accepted judgement where it does. What it names must be what there is. */
export function evaluateApproval(
  { commit, seen, actor }: Matter & Pick<ReleaseDecisionSpec, 'actor'>,
  {
    gate,
    facts,
    approvers,
  }: {
    readonly gate: KeptGate | undefined;
    readonly facts: Omit<ApprovableCommit, 'last'> | undefined;
    readonly approvers: readonly string[];
  },
): Evaluation {
  const reject = (says: ReleaseMessage): Evaluation => ({ phase: 'Rejected', says });
  if (gate === undefined) return reject({ id: 'act.not-gated' });
  if (commit === undefined) return reject({ id: 'decided.unreadable' });
  if (isApproved(commit, gate)) return reject({ id: 'decided.already-approved', commit });
  if (facts === undefined || !facts.isOnBranch) return reject({ id: 'decided.not-on-branch', commit });
  if (facts.chart === undefined) return reject({ id: 'decided.no-chart', commit });
  if (facts.chart !== seen?.chart) return reject({ id: 'decided.chart-moved', commit });
  // The newest of the branch lacks what was approved only where a merge dropped it: then nothing else could be approved.
  if (facts.lacks !== undefined && gate.waiting?.commit !== commit)
    return reject({ id: 'decided.goes-back', commit, approved: facts.lacks });
  const uncounted = notCountedReason({ ...gate, approvers }, actor);
  return uncounted === null ? { phase: 'Accepted', says: { id: 'decided.approve', commit } } : reject(uncounted);
}

/** The same of an archive of a chart that is pulled: the one that waits, by its digest, under the version that was seen. */
export function evaluateArchive(
  { digest = '', seen, actor }: ReleaseDecisionSpec,
  { gate, approvers }: { readonly gate: KeptGate | undefined; readonly approvers: readonly string[] },
): Evaluation {
  const reject = (says: ReleaseMessage): Evaluation => ({ phase: 'Rejected', says });
  if (gate === undefined) return reject({ id: 'act.not-gated' });
  const { current, waiting } = gate.archive ?? {};
  if (current?.digest === digest) return reject({ id: 'decided.archive-already-approved', digest });
  if (waiting?.digest !== digest || waiting.revision !== seen?.chart) return reject({ id: 'decided.archive-moved', digest });
  const uncounted = notCountedReason({ ...gate, approvers }, actor);
  return uncounted === null ? { phase: 'Accepted', says: { id: 'decided.approve-archive', digest } } : reject(uncounted);
}

/** The same of a looser demand, which wants what is in force. */
export function evaluateLoosening(
  { seen, actor }: ReleaseDecisionSpec,
  { gate, approvers }: { readonly gate: KeptGate | undefined; readonly approvers: readonly string[] },
): Evaluation {
  const reject = (says: ReleaseMessage): Evaluation => ({ phase: 'Rejected', says });
  if (gate?.wanted == null) return reject({ id: 'act.nothing-looser' });
  if (seen?.gate !== looseningOf(gate, gate.wanted)) return reject({ id: 'decided.demand-moved' });
  const uncounted = notCountedReason({ ...gate, approvers }, actor);
  return uncounted === null ? { phase: 'Accepted', says: { id: 'decided.loosen' } } : reject(uncounted);
}

/** Who decided the same as a decision, in force: accepted since the gate last moved, each person once, of those who may. */
export function approversOf(spec: Matter, gate: KeptGate | undefined, decisions: readonly KubeObject[]): readonly string[] {
  if (gate === undefined) return [];
  const since = gateChangedAt(spec, gate) ?? '';
  const users = decisions.flatMap((object) => {
    const other = readReleaseDecision(object);
    return other !== undefined && isInForce(object, since) && isSameMatter(spec, other) && mayApprove(gate, other.actor)
      ? [other.actor.user]
      : [];
  });
  return [...new Set(users)].sort();
}

/** What somebody who may approve a commit is told of it first. */
interface DescribedApproval {
  readonly given: ReleaseMessage;
  /** Why another approval, theirs, would not count; null where it would. */
  readonly why: ReleaseMessage | null;
}

/** How far the approval of a commit has come, and whether one of somebody would count, as the engine judges it. */
export function describeApproval(
  { commit, actor }: Pick<ReleaseDecisionSpec, 'actor'> & { readonly commit: string },
  {
    gate,
    facts,
    decisions,
  }: { readonly gate: KeptGate; readonly facts: Omit<ApprovableCommit, 'last'>; readonly decisions: readonly KubeObject[] },
): DescribedApproval {
  const matter = { verb: 'approve', commit, ...(facts.chart === undefined ? {} : { seen: { chart: facts.chart } }) } as const;
  const approvers = approversOf(matter, gate, decisions);
  const { phase, says } = evaluateApproval({ ...matter, actor }, { gate, facts, approvers });
  const given: ReleaseMessage = isApproved(commit, gate) ? approvedBy(commit, gate) : approvalProgressOf(gate, approvers);
  return { given, why: phase === 'Accepted' ? null : says };
}

/** How far the approval of what people decided the same about has come. */
export function approvalProgressOf({ required, groups }: GatePolicy, approvers: readonly string[]): Given {
  return { id: 'gate.given', approvers, required, groups };
}

/** Whose approvals a commit has that is approved: with the last of them the gate moved, so none of them counts for another any more. */
function approvedBy(commit: string, { approved, groups }: KeptGate): ReleaseMessage {
  const by = approved?.by ?? [];
  return by.length === 0 ? { id: 'decided.already-approved', commit } : approvalProgressOf({ required: by.length, groups }, by);
}

/** Whether a commit is approved, released or not. One that waits all the same has other dependencies than it was approved with. */
function isApproved(commit: string, { approved, lost, waiting }: KeptGate): boolean {
  return approved?.commit === commit && lost == null && waiting?.commit !== commit;
}

/** The chart of a commit as people name it who approve it: with what was fetched for it, which they saw and git alone does not tell. */
export function chartAsSeen(
  { commit, tree }: { readonly commit: string; readonly tree: string },
  gate: KeptGate,
  decisions: readonly KubeObject[],
): string {
  if (gate.waiting?.commit === commit) return gate.waiting.chart;
  const since = gate.approved?.at ?? '';
  const approvals = decisions.filter((object) => readReleaseDecision(object)?.commit === commit && isInForce(object, since));
  const at = (object: KubeObject) => readString(object, 'status', 'at') ?? '';
  const [newest] = approvals.sort((a, b) => (at(a) < at(b) ? 1 : -1));
  const seen = newest && readReleaseDecision(newest)?.seen?.chart;
  return seen !== undefined && treeOf(seen) === tree ? seen : tree;
}

/** When what a decision is about moved a gate last. */
export function gateChangedAt({ verb, digest }: Matter, gate: KeptGate | undefined): string | null | undefined {
  if (verb !== 'approve') return gate?.loosenedAt;
  return digest === undefined ? gate?.approved?.at : gate?.archive?.current?.at;
}

/** The same of the commit or archive that waits. */
export function approversOfWaiting(gate: KeptGate | undefined, decisions: readonly KubeObject[]): readonly string[] {
  const archive = gate?.archive?.waiting;
  if (archive != null) return approversOf({ verb: 'approve', digest: archive.digest, seen: { chart: archive.revision } }, gate, decisions);
  if (gate?.waiting == null) return [];
  const { commit, chart } = gate.waiting;
  return approversOf({ verb: 'approve', commit, seen: { chart } }, gate, decisions);
}

/** Approvals that are not complete, of commits that do not wait: the branch may have lost those. */
export function approvalsBeside(
  gate: KeptGate,
  decisions: readonly KubeObject[],
): readonly { readonly object: KubeObject; readonly commit: string }[] {
  const since = gate.approved?.at ?? '';
  return decisions.flatMap((object) => {
    const { verb, commit } = readReleaseDecision(object) ?? {};
    const isBeside = verb === 'approve' && commit !== undefined && commit !== gate.waiting?.commit;
    return isBeside && isInForce(object, since) ? [{ object, commit }] : [];
  });
}

/** Whether a decision was accepted after the gate last moved. */
function isInForce(object: KubeObject, since: string): boolean {
  return readString(object, 'status', 'phase') === 'Accepted' && (readString(object, 'status', 'at') ?? '') > since;
}

function isSameMatter(one: Matter, other: ReleaseDecisionSpec): boolean {
  if (one.verb !== other.verb) return false;
  return one.verb === 'approve'
    ? one.commit === other.commit && one.digest === other.digest && one.seen?.chart === other.seen?.chart
    : one.seen?.gate === other.seen?.gate;
}
