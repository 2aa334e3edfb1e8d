export { aggregateStatus } from './aggregate';
export { augment } from './augment';
export { type ApiReader, clusterApiReader } from './cluster/api-reader';
export { CachingClusterReader } from './cluster/caching-reader';
export type { ClusterReader, ClusterReaderFactory } from './cluster/cluster-reader';
export { DirectClusterReader } from './cluster/direct-reader';
export { withKindsBelow } from './cluster/generated-kinds';
export { discoveryMapper, type KindMapper, type KindMapping, NoKindMatchError } from './cluster/kind-mapper';
export { parseLabelSelector } from './cluster/label-selector';
export { StatusCollector } from './collector';
export { type ComputeOptions, compute } from './compute';
export { createClusterFacts } from './health/cluster-facts';
export type { ClusterFacts } from './health/kind-facts';
export { type ToldCondition, tellConditions } from './health/tell-conditions';
export {
  formatObjMetadata,
  type GroupKind,
  type ObjMetadata,
  parseIdentifierKey,
  parseObjMetadata,
  toIdentifierKey,
  toObjMetadata,
} from './identifier';
export { stuckReasonOf } from './kinds/stuck-start';
export { LiveStatus, type LiveStatusConfig } from './live/live-status';
export type { StatusListener, StatusSource, StatusSubscription, WatchedObject } from './live/roots';
export type { Sight } from './live/sight';
export { differsInItself, sentenceOf, WatchedSets } from './live/watched-sets';
export { statusHoldsUntil } from './policies';
export { describePolled, type PolledKind, PolledKinds } from './polling/polled-kinds';
export { PollerEngine } from './polling/poller-engine';
export { consoleReaders, defaultStatusReaders, delegatingReader, type ReaderOptions, selectReader } from './readers/default-readers';
export { unservedStatus } from './readers/status-error';
export type { StatusReader } from './readers/status-reader';
export { isSameStatus, type ResourceStatus, type StatusError, type StatusEvent } from './resource-status';
export { ComputeError, type ComputeResult, parseStatus, STATUSES, type Status } from './result';
export type { StatusRule } from './rules/rule';
export { type Checked, checkRules } from './team/check-rules';
export type { SourceFacts } from './team/source';
export { loadStatusRules, StatusRules } from './team/status-rules';
export { judgeApplication, judgeSet, judgeWait, namedSentenceOf } from './waiting/outcome';
export type { Followed, StatusSet, StatusStream, Verdict } from './waiting/status-set';
export { createStatuses, type Statuses } from './waiting/statuses';
export { clusterCollectionWatch } from './watching/collection-watch';
export { StatusWatcher, watchNothing } from './watching/status-watcher';
