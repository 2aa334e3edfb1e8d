export type { Interference } from './interference';
export { type EmbeddedCluster, startEmbedded } from './start';
