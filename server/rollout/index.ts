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
export { createRolloutEngine } from './engine';
export { scalerAmong } from './horizontal-autoscaler';
export { type Revisions, type Rollout, type TargetRevision, targetRevision } from './model';
export { DEFAULT_STAGE_CONFIG } from './planning/config';
export type { Scales } from './planning/gauge';
export { planRollout } from './planning/plan-rollout';
export { retarget, sameTargets } from './planning/retarget';
export { rolloutPolicy } from './policy/rollout-policy';
export { summarisePolicy } from './policy/summary';
export { type Dropped, settingsForm, whyPolicyIsLost } from './policy-form';
