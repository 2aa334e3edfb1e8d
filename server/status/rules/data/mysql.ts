import { phaseRows, summaryRows } from '../readings';
import { condition, failedIf, is, progressingIf, rulesFor } from '../rows';
import type { RuleRow, StatusRule } from '../rule';

const PERCONA = { by: 'Percona', at: '.status.state', current: ['ready'], failed: ['error'] };

/** Waits for its own StatefulSet, a restore or a switchover; what is left is an error that the operator met. */
const MARIADB_BROKEN = ['Failed', 'JobFailed', 'ConnectionFailed', 'CronJobFailed'];
const MARIADB_ROWS: readonly RuleRow[] = summaryRows({ by: 'the MariaDB operator', broken: MARIADB_BROKEN });

/** Backups and SQL jobs tell by one condition, Complete; its reason tells how it ended. */
const MARIADB_JOB_ROWS: readonly RuleRow[] = [
  failedIf(condition('Complete', ['True', 'False'], 'JobFailed'), 'The last run failed. {condition.message}'),
  failedIf(
    { cel: 'object.status.conditions.exists(one, one.type == "Complete" && one.status == "False" && one.message == "Failed")' },
    'The last run failed',
    'JobFailed',
  ),
  progressingIf(condition('Complete', 'False', 'JobSuspended'), 'The job is suspended. {condition.message}'),
  ...summaryRows({ by: 'the MariaDB operator', type: 'Complete', broken: MARIADB_BROKEN }),
];

export const MYSQL_RULES: readonly StatusRule[] = [
  ...['k8s.mariadb.com', 'mariadb.mmontes.io'].flatMap((group) => [
    ...rulesFor(group, ['MariaDB', 'MaxScale', 'Database', 'User', 'Grant', 'Connection'], MARIADB_ROWS),
    ...rulesFor(group, ['Backup', 'PhysicalBackup', 'Restore', 'SqlJob'], MARIADB_JOB_ROWS),
  ]),
  // A cluster that stops does so because somebody paused it.
  {
    kind: 'pxc.percona.com/PerconaXtraDBCluster',
    rows: [...phaseRows({ ...PERCONA, waiting: ['paused', 'stopping'], says: '.status.message[*]|.status.message' })],
  },
  {
    kind: 'psmdb.percona.com/PerconaServerMongoDB',
    rows: [...phaseRows({ ...PERCONA, waiting: ['paused', 'stopping'], says: '.status.message[*]|.status.message' })],
  },
  {
    kind: 'ps.percona.com/PerconaServerMySQL',
    rows: [...phaseRows({ ...PERCONA, waiting: ['paused', 'stopping'], says: '.status.message[*]|.status.message' })],
  },
  ...['pxc.percona.com/PerconaXtraDBClusterBackup', 'psmdb.percona.com/PerconaServerMongoDBBackup'].map((kind) => ({
    kind,
    rows: [
      ...phaseRows({
        by: 'Percona',
        at: '.status.state',
        current: ['Succeeded', 'ready'],
        failed: ['Failed', 'error'],
        says: '.status.error',
      }),
    ],
  })),
  {
    kind: 'mysql.oracle.com/InnoDBCluster',
    rows: [
      failedIf(
        is('.status.cluster.status', 'INVALID', 'OFFLINE_UNCERTAIN', 'NO_QUORUM', 'SPLIT_BRAIN'),
        'InnoDBCluster is {.status.cluster.status}',
        '{.status.cluster.status}',
      ),
      ...phaseRows({ by: 'the MySQL operator', at: '.status.cluster.status', current: ['ONLINE'], failed: ['ERROR'] }),
    ],
  },
];
