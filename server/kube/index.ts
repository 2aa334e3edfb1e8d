export { type AccessReviewer, type AccessRight, createAccessReviewer, describeRight, placeOfRight } from './access-review';
export { type CallFigures, CallStats } from './call-stats';
export type {
  ApiResource,
  Cluster,
  CollectionAddress,
  Connected,
  DeleteOptions,
  Discovery,
  KindRef,
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
export { NO_CONTAINERS } from './cluster';
export { followObject } from './collection/follow-object';
export { listAll } from './collection/list-all';
export { listAndWatch, type WatchRoundEnd } from './collection/list-and-watch';
export type { WatchPosition } from './collection/watch-from';
export { countCalls } from './count-calls';
export {
  type ApiStatus,
  getApiStatus,
  ignoreError,
  ignoreNotFound,
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isConflictOrGone,
  isExpired,
  isForbidden,
  isImpersonationRefused,
  isInvalid,
  isNoMatch,
  isNotFound,
  isReadRefused,
  isRefusedForContent,
  isServerError,
  isTransportFailure,
  isUnserved,
  KubeApiError,
  KubeTransportError,
  NoMatchError,
  retryAfterMs,
  type StatusCause,
  UnknownPathError,
} from './errors';
export { EventRecorder, type EventSink } from './events/event-recorder';
export { findResource, listKinds, type NamedKind } from './find-resource';
export { Grants, type NamespaceState, type ServerAction } from './grants';
export { createHealthProbe, describeSilence, type HealthProbe } from './health-probe';
export {
  type InformerScope,
  type Informers,
  type NamespaceSource,
  OWNER_INDEX,
  type PollAnswer,
  type PolledPart,
  type Store,
  type StoreChange,
  type StoreUse,
} from './informer';
export { createInformers } from './informers/informers';
export { DEFINITION_SERVED_MS, RedefinedKinds } from './informers/redefined-kinds';
export {
  createOwnRights,
  givesRight,
  type HeldRights,
  type OwnRights,
  type RightsRule,
  readHeldRights,
  toRightsRule,
} from './own-rights';
export { createOwnUser } from './own-user';
export { digestOfSpec, type PreviewedPlan, readPlanFor, toPlanText } from './previewed-plan';
export { createRemoteCluster } from './remote/create';
export type { ServerSource } from './remote/credentials';
export { collectionPath } from './remote/paths';
export { retryOnConflict } from './retry-on-conflict';
export { findServed, getServed, servedVersions, toApiVersion, toKindRef } from './served';
export type { ServerIdentity } from './server-identity';
export { readServerIdentity } from './server-identity';
export { findStaleness, findStalenessOfKind, freshUntil, hasCaughtUp, type Staleness } from './staleness';
export { whenReadRefused } from './when-read-refused';
export { withCaller } from './with-caller';
