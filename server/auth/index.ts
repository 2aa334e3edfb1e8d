export type { Act, Grant, Visibility } from './act';
export { type Auth, createAuth } from './auth';
export { createOrigins, type Origins } from './origins';
export { createPeers, type PeerRequest, type Peers } from './peers';
export { type Bearer, bearerTokenOf } from './rights/monitor';
export { nothingListed } from './rights/refusal';
export { type Session, toSessionView } from './session';
export { localPeople } from './sign-in-tokens';
