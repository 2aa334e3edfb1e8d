export { openStore, type Store } from './open';
export type { SessionRow } from './sessions';
