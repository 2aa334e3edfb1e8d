export type { Reachability, Trouble } from './freshness';
export { createReadModel, type OpenReadModel, type ReadModelDeps } from './read-model';
export type { KeptSample, SampleStore } from './rollouts/scale-history';
export type { ProcessFacts } from './system/status-row';
export { isKnown, type LiveWindow, type ReadModel, type Visibility } from './window';
