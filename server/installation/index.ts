export { untilHeeded } from './heeded';
export { type Installed, installMissing } from './install';
export { parseManifests, readManifests } from './manifests';
export { ENGINES, type EngineName, type EngineStanding } from './modes';
export { type Installation, type InstallationDeps, watchInstallation } from './watch';
