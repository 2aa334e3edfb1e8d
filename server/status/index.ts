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
export { createClusterFacts } from './health/cluster-facts';
export { type ToldCondition, tellConditions } from './health/tell-conditions';
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
export { type Checked, checkRules } from './team/check-rules';
export { logFaults } from './team/log-faults';
export type { SourceFacts } from './team/source';
export { StatusRules } from './team/status-rules';
export { evaluateApplication, evaluateSet, evaluateWait, namedSentenceOf } from './waiting/outcome';
export type { Followed, StatusSet, Verdict } from './waiting/status-set';
export { createStatuses, type Statuses } from './waiting/statuses';
