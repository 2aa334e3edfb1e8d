import type { DecisionVerb } from '@/lib/contract/stage-decision';
import { verbIs } from '@/lib/contract/stage-decision';
import type { DecidedMessage } from '@/lib/words/rollout-message';
import { approvalsOf, completedOf, votesOf } from './control-facts';
import type { ControlState } from './state';
import type { RolloutView } from './view';

/** How many different people must make a decision before it has its effect, and who has. */
export interface Quorum {
  readonly required: number;
  readonly given: readonly string[];
}

/**
 * The quorum of a verb that leads on, at the stage where the rollout is: whoever may open a gate may also skip it, so the policy binds them all
 * alike. To loosen it wants as many. Undefined for the others: one person is enough.
 */
export function quorumOf(verb: DecisionVerb, { control, ro }: Pick<RolloutView, 'control' | 'ro'>): Quorum | undefined {
  if (!verbIs(verb, 'leadsOn') && verb !== 'loosen') return undefined;
  const given = verb === 'loosen' ? peopleForLoosening(control, ro.loosening?.digest) : votersOf(verb, control);
  return { required: ro.policy.approvals.required, given };
}

/** Who has made a decision about the stage where the rollout is, each person once. */
export function votersOf(verb: DecisionVerb, control: ControlState): readonly string[] {
  const made = verb === 'approve' ? approvalsOf(control) : votesOf(control).filter((vote) => vote.verb === verb);
  return [...new Set(made.map(({ actor }) => actor))];
}

/** True when one person more is not enough. */
export function isShortOfQuorum({ required, given }: Quorum): boolean {
  return given.length + 1 < required;
}

/** Why another decision of somebody would count for nothing: one of theirs counts. Undefined where none does. */
export function duplicateVoteReason(
  verb: DecisionVerb,
  user: string,
  view: Pick<RolloutView, 'control' | 'ro'>,
): DecidedMessage | undefined {
  const quorum = quorumOf(verb, view);
  if (quorum === undefined || !quorum.given.includes(user)) return undefined;
  return { id: 'decided.twice', verb, user, stage: completedOf(view.control), have: quorum.given.length, required: quorum.required };
}

/** Who has decided that exactly this looser policy may be in force. */
function peopleForLoosening({ loosenVotes }: ControlState, digest: string | undefined): readonly string[] {
  return [...new Set(loosenVotes.filter((vote) => vote.digest === digest).map(({ actor }) => actor))];
}
