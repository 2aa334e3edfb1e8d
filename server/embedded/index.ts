export type { RequestInterceptor } from './request-interceptor';
export { type EmbeddedCluster, startEmbedded } from './start';
