export { capitalise } from './capitalise';
export type { Reachability } from './freshness';
export { createReadModel, type OpenReadModel } from './read-model';
export type { ReadEntries } from './system/journal';
export type { ProcessFacts } from './system/status-row';
export type { LiveWindow, ReadModel, RelatedVisibility } from './views/window';
export { nameView } from './views/windows';
