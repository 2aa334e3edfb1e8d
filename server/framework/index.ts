export type { Controller, ControllerDeps, ControllerSpec, ControllerStats, Source } from './controller';
export { createEngine } from './create-engine';
export { clusterOfPass, type Engine, type EngineDeps } from './engine';
export { fence, isNotLeading, NotLeadingError } from './leadership/fence';
export type { Leadership, LeadershipOptions, LeadershipState } from './leadership/leadership';
export { createLeadership } from './leadership/lease-leadership';
export { createController } from './loop';
export { type AddOptions, PRIORITIES, type Priority, WorkQueue } from './queue/work-queue';
export { type Outcome, type ReconcileContext, type Reconciler, requeueAfter, settled, TerminalError } from './reconciler';
