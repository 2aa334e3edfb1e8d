export { type Answer, Outbound } from './client';
export type { Pinned } from './pin';
export { canonicalHost, readPolicy } from './policy';
