export { guardsRollouts } from './admission';
export { installMissing } from './install';
export { readManifests } from './manifests';
export { ENGINES, type EngineName, type EngineState, findDriven } from './modes';
export { waitForAdmissionPolicy } from './wait-for-admission-policy';
export { type Installation, watchInstallation } from './watch';
