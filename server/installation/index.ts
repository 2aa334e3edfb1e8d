export { watchAdmission } from './admission';
export { untilHeeded } from './heeded';
export { type Installed, installMissing } from './install';
export { parseManifests, readManifests } from './manifests';
export { detectModes, type EngineMode, type EngineModes } from './modes';
