export type { AuditEntry } from './audit';
export { openStore, type Store } from './open';
export type { SessionRow } from './sessions';
