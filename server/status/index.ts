export { withKindsBelow } from './cluster/generated-kinds';
export { discoveryMapper } from './cluster/kind-mapper';
export type { ComputeOptions } from './compute';
export {
  type ContainerState,
  containersOf,
  isPodReady,
  type NamedContainer,
  readContainer,
  readContainerState,
} from './containers/container-state';
export { type Checked, checkRules } from './custom/check-rules';
export { logFaults } from './custom/log-faults';
export type { RuleSourceState } from './custom/rule-source';
export { StatusRules } from './custom/status-rules';
export { createClusterFacts } from './health/cluster-facts';
export { type DescribedCondition, describeConditions } from './health/describe-conditions';
export { parseIdentifierKey, toIdentifierKey } from './identifier';
export { stuckReasonOf } from './kinds/stuck-start';
export { LiveStatus } from './live/live-status';
export type { StatusSource } from './live/roots';
export { differsInItself, sentenceOf, WatchedSets } from './live/watched-sets';
export { describePolled, type PolledKind, PolledKinds } from './polling/polled-kinds';
export { unservedStatus } from './readers/status-error';
export type { ResourceStatus } from './resource-status';
export { isSameStatus } from './resource-status';
export type { StatusRule } from './rules/rule';
export { evaluateApplication, evaluateSet, evaluateWait, namedSentenceOf } from './waiting/outcome';
export type { Followed, StatusSet, Verdict } from './waiting/status-set';
export { createStatuses, type Statuses } from './waiting/statuses';
