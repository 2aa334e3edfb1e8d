import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SERVER_NAMESPACE } from '@/lib/contract/grant';
import type { EngineRow } from '@/lib/contract/system-rows';
import { KINDS } from '@/lib/kube/kinds';
import { installMissing, readManifests } from '@/server/installation';
import type { RemoteCluster } from '@/server/kube/remote/create';
import { realClock } from '@/server/platform';
import type { ApiPerson } from '../support/api-person';
import { signIn } from '../support/api-person';
import { openCluster } from '../support/census';
import { printFigure } from '../support/figure';
import type { ServerProcess } from '../support/server-process';
import { startServerProcess } from '../support/server-process';
import { silentLog } from '../support/silent-log';
import { until } from '../support/until';

// Its own, for a namespace that still goes away from an earlier run takes nothing new.
const NAMESPACE = `slipway-two-servers-${randomUUID().slice(0, 8)}`;
const LIMIT_MS = 120_000;
const TAKE_OVER_MS = 15_000;
const LEASES = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: SERVER_NAMESPACE } as const;

/** A whole Slipway on the cluster, and somebody who looks at its engine page. */
interface Server extends AsyncDisposable {
  readonly process: ServerProcess;
  engine(): Promise<EngineRow>;
}

async function startServer(shards: number): Promise<Server> {
  const kubeconfig = path.join(process.env.SLIPWAY_CLUSTER_DIR ?? '', 'slipway.kubeconfig');
  const server = await startServerProcess(['--kubeconfig', kubeconfig, '--shards', String(shards)], { NODE_OPTIONS: '--trace-warnings' });
  const person: ApiPerson = await signIn(server, server.address);
  return {
    process: server,
    async engine() {
      // An idle connection may be closed at the very moment it is used again.
      const row = await person.row<EngineRow>('engine').catch(() => person.row<EngineRow>('engine').catch(server.explain));
      if (row === undefined) throw new Error('the engine page shows nothing');
      return row;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const mine = ({ leadership }: EngineRow) => leadership?.shards.flatMap((shard) => (shard.mine ? [shard.index] : [])) ?? [];
const nameOf = ({ leadership }: EngineRow) => leadership?.identity ?? '';

describe('two servers on one real control plane', () => {
  let cluster: RemoteCluster;
  const running: Server[] = [];

  const start = async (shards: number) => {
    const server = await startServer(shards);
    running.push(server);
    return server;
  };
  const apply = (name: string) =>
    cluster.create({
      ...KINDS.application,
      metadata: { name, namespace: NAMESPACE },
      spec: {
        components: [
          {
            name,
            type: 'k8s-objects',
            properties: { objects: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { of: name } }] },
          },
        ],
      },
    });
  /** Only a running engine lets go of an application; what stayed would be taken up by the engines of another test. */
  const removeApplications = async () => {
    const found = async () => {
      for await (const { items } of cluster.list({ ...KINDS.application, namespace: NAMESPACE })) return items.length;
      return 0;
    };
    await cluster.deleteCollection({ ...KINDS.application, namespace: NAMESPACE });
    await until('the applications are gone', async () => (await found()) === 0, LIMIT_MS);
  };
  const isDispatched = async (name: string) => {
    const found = await cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: NAMESPACE, name }).catch(() => undefined);
    return found !== undefined;
  };

  beforeAll(async () => {
    cluster = openCluster(process.env.KUBECONFIG ?? '');
    await installMissing(await readManifests('deploy/rbac'), { cluster, clock: realClock, log: silentLog });
    await cluster.create({ ...KINDS.namespace, metadata: { name: NAMESPACE } });
    // Group slipway:operators is whom the printed token signs in as.
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'slipway:operators' }];
    await cluster.create({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: NAMESPACE },
      roleRef,
      subjects,
    });
  });
  afterEach(async () => {
    for (const server of running.splice(0)) await server[Symbol.asyncDispose]();
    for await (const { items } of cluster.list(LEASES)) {
      for (const { metadata } of items) if (metadata.name?.startsWith('slipway-')) await cluster.delete({ ...LEASES, name: metadata.name });
    }
  });
  afterAll(async () => {
    await cluster.delete({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', name: NAMESPACE });
    await cluster.delete({ ...KINDS.namespace, name: NAMESPACE });
    await cluster[Symbol.asyncDispose]();
  });

  it('[issue 4] one leads and the other serves; when the leader is killed the other takes over, and both pages say so', async () => {
    const first = await start(1);
    await until('the first leads', async () => (await first.engine()).leader, LIMIT_MS);
    const second = await start(1);
    const leader = nameOf(await first.engine());
    await until('the second has seen who leads', async () => (await second.engine()).leadership?.holder === leader, LIMIT_MS);
    expect(await second.engine()).toMatchObject({
      leader: false,
      leadership: { since: null, inForce: 1, shards: [{ index: 0, holder: leader, mine: false }] },
    });

    await apply('before');
    await until('the leader dispatches', () => isDispatched('before'), LIMIT_MS);
    // The one that only serves has the key too, but does not count it as waiting.
    await until('the second sets the key aside', async () =>
      (await second.engine()).controllers.some(({ name, deferred }) => name === 'application' && deferred > 0),
    );
    expect((await second.engine()).controllers.find(({ name }) => name === 'application')).toMatchObject({
      depth: 0,
      oldest: null,
      passes: 0,
    });
    expect((await first.engine()).calls?.verbs.find(({ verb }) => verb === 'create')?.ok).toBeGreaterThan(0);

    const killedAt = performance.now();
    await first.process.kill();
    await until('the second leads', async () => (await second.engine()).leader, LIMIT_MS);
    printFigure('another server leads after', performance.now() - killedAt, TAKE_OVER_MS, 'ms');
    const after = await second.engine();
    expect(after.leadership).toMatchObject({ holder: nameOf(after), shards: [{ index: 0, holder: nameOf(after), mine: true }] });
    await apply('after');
    await until('the new leader dispatches', () => isDispatched('after'), LIMIT_MS);
    await removeApplications();
    for (const { process } of running) expect(process.stderr()).not.toContain('MaxListenersExceededWarning');
  });

  it('[design 4] with shards each drives its own, and who leaves hands over', async () => {
    const first = await start(2);
    await until('the first holds both', async () => mine(await first.engine()).length === 2, LIMIT_MS);
    const second = await start(2);
    await until(
      'each holds one',
      async () => mine(await first.engine()).length === 1 && mine(await second.engine()).length === 1,
      LIMIT_MS,
    );
    await until(
      'both pages tell the same',
      async () => {
        const tell = async (server: Server) => (await server.engine()).leadership?.shards.map(({ holder }) => holder).join();
        return (await tell(first)) === (await tell(second));
      },
      LIMIT_MS,
    );
    await first[Symbol.asyncDispose]();
    running.splice(running.indexOf(first), 1);
    await until('the second holds both', async () => mine(await second.engine()).length === 2, LIMIT_MS);
  });
});
