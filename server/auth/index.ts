export type { Act, Grant, Visibility } from './act';
export { type Auth, createAuth } from './auth';
export { isLoopback } from './identity';
export { createOrigins, type Origins } from './origins';
export { createPeers, hostNameOf, type PeerRequest, type Peers } from './peers';
export { type Session, toSessionView } from './session';
