export { guardsRollouts } from './admission';
export { untilHeeded } from './heeded';
export { installMissing } from './install';
export { readManifests } from './manifests';
export { ENGINES, type EngineName, type EngineStanding, findDriven } from './modes';
export { type Installation, watchInstallation } from './watch';
