export { ActiveNamespaces } from './active-namespaces';
export type { ControllerSpec, ControllerStats } from './controller';
export { createEngine } from './create-engine';
export { describeWaits } from './describe-waits';
export { clusterOfPass, type Engine, type EngineDeps, RECORD_RETRY_MS, type RecordState } from './engine';
export { fence } from './leadership/fence';
export type { LeadershipState } from './leadership/leadership';
export { createLeadership } from './leadership/lease-leadership';
export { exponentialBackOff } from './operatorkit/back-off';
export { CRDClient } from './operatorkit/crd-client';
export { FinalizerClient } from './operatorkit/surface/finalizer-client';
export {
  isTerminal,
  isTransient,
  type Outcome,
  type ReconcileContext,
  type Reconciler,
  requeueAfter,
  SlowRetryError,
  settled,
  TerminalError,
} from './reconciler';
export { PROGRESSING_PACE, SETTLED_PACE, StatusWriteThrottle } from './status-write-throttle';
