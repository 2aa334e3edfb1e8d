export { holdPlace, openStore, type Store, type StorePlace } from './open';
export type { SessionRow } from './sessions';
