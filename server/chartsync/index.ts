export { accountIdentities } from './cluster/account-identities';
export { createChartSyncEngine } from './engine';
export type { Identities } from './identities';
export type { ChartSyncOptions } from './options';
