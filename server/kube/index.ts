export { type AccessReviewer, type AccessRight, createAccessReviewer, describeRight } from './access-review';
export { type CallFigures, CallStats } from './call-stats';
export type {
  ApiResource,
  Cluster,
  CollectionAddress,
  DeleteOptions,
  Discovery,
  GetOptions,
  ListOptions,
  ListPage,
  PatchBody,
  PatchOptions,
  PatchType,
  Person,
  RawAnswer,
  RawRequest,
  RequestOptions,
  Selectors,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './cluster';
export { countCalls } from './counted';
export {
  type ApiStatus,
  DiscoveryFailedError,
  getApiStatus,
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isExpired,
  isForbidden,
  isInvalid,
  isMethodNotAllowed,
  isNoMatch,
  isNotFound,
  isTooManyRequests,
  isTransportFailure,
  isUnauthorized,
  KubeApiError,
  KubeTransportError,
  NoMatchError,
  type StatusCause,
} from './errors';
export { createHealthProbe, type HealthProbe, type ProbeState } from './health-probe';
export {
  type IndexFunction,
  type InformerHealth,
  type InformerScope,
  type InformerState,
  type Informers,
  OWNER_INDEX,
  type PollAnswer,
  type PolledPart,
  type Store,
  type StoreChange,
  type StoreUse,
} from './informer';
export { createInformers, type InformersDeps } from './informers/informers';
export { createRemoteCluster, type RemoteCluster, type RemoteClusterDeps } from './remote/create';
export type { ServerSource } from './remote/credentials';
export type { Rate } from './remote/throttle';
export { readServerVersion } from './server-version';
