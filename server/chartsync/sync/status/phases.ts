import type { ConditionStatus } from '@/lib/kube/condition';

/** Where a sync of a later kind is, as its status says (spec/chartsync 12.3). */
export const PHASES = {
  NotGranted: [['Released', 'False']],
  DependencyNotReady: [['Released', 'Unknown']],
  ApprovalRequired: [['ChartFetched', 'True']],
  ChartFetched: [['ChartFetched', 'True']],
  ChartFetchFailed: [
    ['ChartFetched', 'False'],
    ['Released', 'False'],
  ],
  Installing: [['Deployed', 'Unknown']],
  Upgrading: [['Deployed', 'Unknown']],
  Deployed: [['Deployed', 'True']],
  DeployFailed: [
    ['Deployed', 'False'],
    ['Released', 'False'],
  ],
  Testing: [['Tested', 'Unknown']],
  Tested: [['Tested', 'True']],
  TestFailed: [
    ['Tested', 'False'],
    ['Released', 'False'],
  ],
  Succeeded: [['Released', 'True']],
  Failed: [['Released', 'False']],
  RollingBack: [['RolledBack', 'Unknown']],
  RolledBack: [['RolledBack', 'True']],
  RollbackFailed: [['RolledBack', 'False']],
  Uninstalling: [['Released', 'Unknown']],
  UninstallFailed: [['Released', 'False']],
} as const satisfies Readonly<Record<string, readonly (readonly [string, ConditionStatus])[]>>;

export type Phase = keyof typeof PHASES;
