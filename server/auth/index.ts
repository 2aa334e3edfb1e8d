export type { Act, Grant, Visibility } from './act';
export { type Auth, createAuth } from './auth';
export { type ClientAddresses, createClientAddresses, type PeerRequest } from './client-addresses';
export { createOrigins, type Origins } from './origins';
export { type Bearer, bearerTokenOf } from './rights/monitor';
export { nothingListed } from './rights/refusal';
export { type Session, toSessionView } from './session';
export { localPeople } from './sign-in-tokens';
