export type { Reachability } from './freshness';
export { asHeadline } from './headline';
export { createReadModel, type OpenReadModel } from './read-model';
export type { ReadEntries } from './system/journal';
export type { ProcessFacts } from './system/status-row';
export type { LiveWindow, ReadModel, RelatedVisibility } from './views/window';
export { nameView } from './views/windows';
