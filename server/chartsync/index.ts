export { accountIdentities } from './cluster/account-identities';
export { createChartSyncEngine } from './engine';
export { readGitAddress } from './git/address';
export type { Identities } from './identities';
export type { ChartSyncOptions } from './options';
