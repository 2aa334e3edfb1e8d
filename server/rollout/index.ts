export { rolloutDigest } from './control/digest';
export { toDecisionEntry } from './decided/decision-entry';
export { createDecisionsEngine } from './decided/decisions-engine';
export { countedAlreadyReason } from './decided/duplicate-vote';
export { personalRefusals } from './decided/personal-refusals';
export { describeRollout } from './describe/describe-rollout';
export type { AttemptDescription, Consequences, GatePassed, RolloutDescription, StageDescription } from './describe/description';
export { evaluateRollback } from './describe/evaluate-rollback';
export { observeObjects } from './describe/observe-objects';
export { whileOwnerTerminates } from './describe/owner-terminating';
export { describeRevisions } from './describe/revisions';
export {
  approvalsInForce,
  collectableAt,
  concernsOwner,
  explainLoosening,
  type RolloutFacts,
  readRolloutFacts,
} from './describe/rollout-facts';
export { createRolloutEngine } from './engine';
export type { Revisions, TargetRevision } from './model';
export { indexStores, observe, revisionsOfRollout } from './observe';
export { sameTargets } from './planning/retarget';
export { retargetFrom } from './planning/retarget-from';
export {
  type Approver,
  askedApprovers,
  explainSelfApproval,
  explainUnmeetable,
  noApproverReason,
  withoutRequester,
} from './policy/approvers';
export { rolloutPolicy } from './policy/rollout-policy';
export { summarisePolicy } from './policy/summary';
export { type Dropped, FIELDS_WITH_ANNOTATIONS, lostPolicyReason, toStoredSettings } from './policy-storage';
export { ROLLOUT_STATUS_RULES } from './status-rules';
