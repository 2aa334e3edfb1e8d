import { phaseRows, summaryRows } from '../readings';
import { condition, currentIf, failedIf, has, is, progressingIf, unobserved } from '../rows';
import type { StatusRule } from '../rule';

const ALTINITY = {
  by: 'the ClickHouse operator',
  at: '.status.status',
  current: ['Completed'],
  failed: ['Failed', 'Aborted'],
  says: '.status.error',
};

export const ANALYTICS_RULES: readonly StatusRule[] = [
  { kind: 'clickhouse.altinity.com/ClickHouseInstallation', rows: [...phaseRows(ALTINITY)] },
  { kind: 'clickhouse-keeper.altinity.com/ClickHouseKeeperInstallation', rows: [...phaseRows(ALTINITY)] },
  {
    kind: 'mongodbcommunity.mongodb.com/MongoDBCommunity',
    rows: [...phaseRows({ by: 'the MongoDB operator', current: ['Running'], failed: ['Failed'], says: '.status.message' })],
  },
  {
    kind: 'mongodb.com/*',
    rows: [
      ...phaseRows({
        by: 'the MongoDB operator',
        current: ['Running', 'Updated', 'Disabled'],
        failed: ['Failed'],
        says: '.status.message',
      }),
    ],
  },
  { kind: 'atlas.mongodb.com/*', rows: [...summaryRows({ by: 'the Atlas operator' })] },
  {
    kind: 'db.atlasgo.io/*',
    rows: [
      ...summaryRows({
        by: 'the Atlas operator',
        waiting: ['Reconciling', 'WaitingForTarget', 'ApprovalPending'],
      }),
    ],
  },
  {
    kind: 'scylla.scylladb.com/ScyllaCluster',
    rows: [
      failedIf(condition('Degraded', 'True')),
      progressingIf(condition('Progressing', 'True')),
      ...summaryRows({ by: 'the Scylla operator', type: 'Available', waiting: ['AsExpected', 'MembersNotReady'] }),
    ],
  },
  {
    kind: 'cassandra.datastax.com/CassandraDatacenter',
    rows: [
      failedIf(condition('Valid', 'False')),
      progressingIf(is('.status.cassandraOperatorProgress', 'Updating'), 'CassandraDatacenter is Updating', 'Updating'),
      currentIf(condition('Stopped', 'True'), 'CassandraDatacenter is stopped'),
      ...summaryRows({ by: 'cass-operator', broken: ['Failed'] }),
    ],
  },
  {
    kind: 'pingcap.com/TidbCluster',
    rows: [...summaryRows({ by: 'TiDB Operator', broken: ['Failed'] })],
  },
  {
    kind: 'apps.kubeblocks.io/Cluster',
    rows: [...phaseRows({ by: 'KubeBlocks', current: ['Running', 'Stopped'], failed: ['Failed', 'Abnormal'], says: '.status.message' })],
  },
  {
    kind: 'database.arangodb.com/ArangoDeployment',
    rows: [
      failedIf(is('.status.phase', 'Failed'), 'ArangoDeployment failed. {.status.reason}', 'Failed'),
      currentIf(
        [is('.status.phase', 'Running'), condition('Ready', 'True'), condition('UpToDate', 'True')],
        'ArangoDeployment is up to date',
      ),
      progressingIf(has('.status.phase'), 'ArangoDeployment is {.status.phase}. {.status.reason}', '{.status.phase}'),
      unobserved('the ArangoDB operator'),
    ],
  },
];
