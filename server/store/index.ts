export { EntrySpool } from './acts/entry-spool';
export { openWaitingActs, type SpoolFile } from './acts/waiting-acts';
export { addHeads, type HeadStorage, keptHeads } from './audit/kept-heads';
export type { EntriesQuery } from './audit/read-entries';
export { openStore, type Store, type StorePlace } from './open';
export { keyKept, OpeningStore, type StoreOpening } from './opening';
export type { PublicSession, SessionRow } from './sessions';
export { rootReason } from './store-errors';
