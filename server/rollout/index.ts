export { rolloutDigest } from './control/digest';
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
  explainSelfApproval,
  explainUnmeetable,
  noApproverReason,
  requiredApprovers,
  withoutRequester,
} from './policy/approvers';
export { rolloutPolicy } from './policy/rollout-policy';
export { summarisePolicy } from './policy/summary';
export { type DroppedReason, FIELDS_WITH_ANNOTATIONS, lostPolicyReason, toStoredSettings } from './policy-storage';
export { toDecisionEntry } from './stage-decisions/decision-entry';
export { createDecisionsEngine } from './stage-decisions/decisions-engine';
export { countedAlreadyReason } from './stage-decisions/duplicate-vote';
export { personalRefusals } from './stage-decisions/personal-refusals';
export { ROLLOUT_STATUS_RULES } from './status-rules';
