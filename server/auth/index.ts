export type { Act, Grant, Visibility } from './act';
export { type Auth, createAuth } from './auth';
export { isLoopback } from './identity';
export { createOrigins, type Origins } from './origins';
export { type Session, toSessionView } from './session';
