export { type EmbeddedCluster, startEmbedded } from './start';
