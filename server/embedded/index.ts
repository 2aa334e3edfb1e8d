export { CrashError, type FaultDoor, type FaultMatch } from './faults';
export { type EmbeddedCluster, type EmbeddedOptions, startEmbedded } from './start';
