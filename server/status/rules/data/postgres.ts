import { phaseRows } from '../readings';
import { currentIf, failedIf, has, is, progressingIf, rulesFor, unobserved } from '../rows';
import type { StatusRule } from '../rule';

/** Phases of CloudNativePG that no waiting mends. */
const BROKEN = [
  'Cluster is unrecoverable and needs manual intervention',
  'Cluster is in an unrecoverable state, needs manual intervention',
  'Cluster cannot execute instance online upgrade due to missing architecture binary',
  'Unable to create required cluster objects',
  'Cluster has incomplete or invalid image catalog',
  'Cluster cannot proceed to reconciliation due to an unknown plugin being required',
  'Cluster cannot proceed to reconciliation due to an error while interacting with plugins',
  'Cluster upgrade failed',
];

export const POSTGRES_RULES: readonly StatusRule[] = [
  {
    kind: 'postgresql.cnpg.io/Cluster',
    rows: [
      failedIf(is('.status.phase', ...BROKEN), '{.status.phase}. {.status.phaseReason}', 'Broken'),
      progressingIf(is('.status.phase', 'Waiting for user action'), '{.status.phase}. {.status.phaseReason}', 'WaitingForUser'),
      currentIf(
        is('.status.phase', 'Cluster in healthy state'),
        'Cluster is healthy. Instances: {.status.readyInstances|0}/{.spec.instances|1}',
      ),
      progressingIf(has('.status.phase'), '{.status.phase}. {.status.phaseReason}', 'Changing'),
      unobserved('CloudNativePG'),
    ],
  },
  {
    kind: 'postgresql.cnpg.io/Backup',
    rows: [...phaseRows({ by: 'CloudNativePG', current: ['completed'], failed: ['failed', 'walArchivingFailing'], says: '.status.error' })],
  },
  ...rulesFor(
    'postgresql.cnpg.io',
    ['Database', 'Publication', 'Subscription'],
    [
      currentIf(is('.status.applied', true), '{.kind} is applied'),
      failedIf(is('.status.applied', false), '{.status.message|Postgres did not take it}', 'NotApplied'),
      unobserved('CloudNativePG'),
    ],
  ),
  {
    kind: 'acid.zalan.do/postgresql',
    rows: [
      ...phaseRows({
        by: 'the Postgres operator',
        at: '.status.PostgresClusterStatus',
        current: ['Running'],
        failed: ['CreateFailed', 'UpdateFailed', 'SyncFailed', 'Invalid'],
      }),
    ],
  },
  {
    kind: 'pgv2.percona.com/PerconaPGCluster',
    rows: [...phaseRows({ by: 'Percona', at: '.status.state', current: ['ready'], failed: ['error'], waiting: ['paused'] })],
  },
];
