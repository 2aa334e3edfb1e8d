export type { Reachability } from './freshness';
export { createReadModel, type OpenReadModel } from './read-model';
export type { Beside, LiveWindow, ReadModel } from './window';
export { nameView } from './windows';
