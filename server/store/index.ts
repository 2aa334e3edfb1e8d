export { addHeads, type HeadStorage, keptHeads } from './audit/kept-heads';
export type { EntriesQuery } from './audit/read-entries';
export { openStore, type Store, type StorePlace } from './open';
export { memoizedKey, OpeningStore, type StoreOpening } from './opening';
export type { PublicSession, SessionRow } from './sessions';
export { EntrySpool } from './spool/entry-spool';
export { openPendingEntries, type SpoolFile } from './spool/pending-entries';
export { rootReason } from './store-errors';
