export { rolloutDigest } from './control/digest';
export { describeRollout } from './describe/describe-rollout';
export type {
  Act,
  AttemptDescription,
  Consequences,
  RevisionDescription,
  RolloutDescription,
  StageDescription,
  StageRevision,
  Wait,
} from './describe/description';
export { observeObjects, type RolloutObjects } from './describe/observe-objects';
export { collectableAt, type RolloutFacts, readRolloutFacts } from './describe/rollout-facts';
export { createRolloutEngine } from './engine';
export { type Revisions, type Rollout, type TargetRevision, targetRevision } from './model';
export { indexStores, observe } from './observe';
export { sameTargets } from './planning/retarget';
export { retargetFrom } from './planning/retarget-from';
export { rolloutPolicy } from './policy/rollout-policy';
export { summarisePolicy } from './policy/summary';
export { type Dropped, settingsForm, whyPolicyIsLost } from './policy-form';
export { ROLLOUT_STATUS_RULES } from './status-rules';
