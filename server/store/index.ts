export { HeldActs } from './acts/held-acts';
export { openWaitingActs, type WaitingActs } from './acts/waiting-acts';
export { type HeadPlace, keptHeads, mergeHeads } from './audit/kept-heads';
export type { EntriesQuery } from './audit/read-entries';
export { holdPlace, openStore, type Store, type StorePlace } from './open';
export { keyKept, OpeningStore, type StoreOpening } from './opening';
export type { SessionRow, TellableSession } from './sessions';
export { rootReason } from './store-errors';
