import type { EngineRow } from '@/lib/contract/system-rows';
import { KINDS } from '@/lib/kube/kinds';
import { readManifests } from '@/server/installation';
import { isAlreadyExists } from '@/server/kube';
import type { RemoteCluster } from '@/server/kube/remote/create';
import { Lifetimes } from '@/server/platform';
import type { ControlPlane } from '@/test/real/control-plane';
import { startControlPlane } from '@/test/real/control-plane';
import type { ApiPerson } from '../api-person';
import { signIn } from '../api-person';
import type { ApiProxy } from '../api-proxy';
import { startApiProxy } from '../api-proxy';
import { openCluster } from '../census';
import { startPostgres } from '../postgres';
import type { ServerProcess } from '../server-process';
import { startServerProcess } from '../server-process';
import { silentLog } from '../silent-log';
import { until } from '../until';
import type { PlaneEnding } from './upgrade';
import { upgradeOn } from './upgrade';

const LIMIT_MS = 120_000;
const QUOTA_BYTES = 40 * 1024 * 1024;
/** What is told of single deletions depends on whether their answers came. */
const DELETIONS: readonly string[] = ['garbage.deleted', 'tracker.deleted'];
const RBAC = 'rbac.authorization.k8s.io';

/** A server on the plane, and somebody who is signed in there. */
export interface PlaneServer {
  readonly process: ServerProcess;
  readonly person: ApiPerson;
  engine(): Promise<EngineRow>;
  /** Waits until /readyz says such a line, and answers it. */
  told(line: RegExp): Promise<string>;
}

/** A whole control plane, a Postgres and Slipway as built processes on both, each a test's own. */
export interface PlaneScene extends AsyncDisposable {
  readonly plane: ControlPlane;
  /** The cluster itself, past the proxy. */
  readonly cluster: RemoteCluster;
  /** Between the first server and the API server. */
  readonly proxy: ApiProxy;
  /** The server that leads, until it is killed. */
  readonly first: PlaneServer;
  /** Starts another server, past the proxy, on the same Postgres; whoever looks at the record asks it from then on. */
  addServer(): Promise<PlaneServer>;
  /** Upgrades an application in a namespace of its own, with something happening in the middle. */
  upgrade(ns: string, inTheMiddle?: () => Promise<void>): Promise<PlaneEnding>;
  /** Sentence of the record's own verification where it is not whole; null where it is. */
  verify(): Promise<string | null>;
}

/** Starts all of it; some twenty seconds. */
export async function openPlaneScene(): Promise<PlaneScene> {
  const lifetimes = new Lifetimes(silentLog);
  try {
    return await open(lifetimes);
  } catch (error) {
    await lifetimes[Symbol.asyncDispose]();
    throw error;
  }
}

async function open(lifetimes: Lifetimes): Promise<PlaneScene> {
  const plane = lifetimes.use('plane', await startControlPlane({ nodes: 1, etcdQuotaBytes: QUOTA_BYTES, isAudited: true }));
  const postgres = lifetimes.use('postgres', await startPostgres());
  const database = await postgres.addDatabase();
  const cluster = lifetimes.use('cluster', openCluster(plane.kubeconfig));
  await letPeopleIn(cluster);
  const proxy = lifetimes.use('proxy', await startApiProxy(plane.kubeconfig));
  const start = async (kubeconfig: string): Promise<PlaneServer> => {
    const process = lifetimes.use('server', await startServerProcess(['--kubeconfig', kubeconfig], { DATABASE_URL: database }));
    await until('the server is ready', async () => (await readyLines(process)).includes('ok'), LIMIT_MS);
    const person = await signIn(process, process.address);
    return {
      process,
      person,
      async engine() {
        const row = await person.row<EngineRow>('engine');
        if (row === undefined) throw new Error('the engine page shows nothing');
        return row;
      },
      async told(line) {
        let found: string | undefined;
        const look = async () => {
          found = (await readyLines(process)).find((one) => line.test(one));
          return found !== undefined;
        };
        await until(`/readyz says ${line}`, look, LIMIT_MS);
        return found ?? '';
      },
    };
  };
  const first = await start(proxy.kubeconfig);
  await until('the first server leads', async () => (await first.engine()).leader, LIMIT_MS);
  let newest = first;
  const recorded = async (ns: string) => {
    const { body } = await newest.person.get(`/api/v1/activity?ns=${ns}&size=200`);
    const { rows = [] } = body as { rows?: readonly { readonly action: string; readonly kind: string; readonly name: string }[] };
    return rows.filter(({ action }) => !DELETIONS.includes(action)).map(({ action, kind, name }) => `${action} ${kind} ${name}`);
  };
  return {
    plane,
    cluster,
    proxy,
    first,
    async addServer() {
      newest = await start(plane.kubeconfig);
      return newest;
    },
    upgrade: (ns, inTheMiddle = async () => undefined) =>
      upgradeOn({ cluster, ns, written: plane.written, recorded: () => recorded(ns) }, inTheMiddle),
    async verify() {
      const { body, text } = await newest.person.get('/api/v1/activity/verify');
      const { intact, why } = body as { intact?: boolean; why?: string | null };
      return intact === true ? null : (why ?? text);
    },
    [Symbol.asyncDispose]: () => lifetimes[Symbol.asyncDispose](),
  };
}

async function readyLines({ origin }: ServerProcess): Promise<readonly string[]> {
  return (await (await fetch(`${origin}/readyz`)).text()).trim().split('\n');
}

/** Whoever signs in with the printed token is of group slipway:operators. */
async function letPeopleIn(cluster: RemoteCluster): Promise<void> {
  const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name: 'cluster-admin' };
  const subjects = [{ apiGroup: RBAC, kind: 'Group', name: 'slipway:operators' }];
  const binding = { apiVersion: `${RBAC}/v1`, kind: 'ClusterRoleBinding', metadata: { name: 'people' }, roleRef, subjects };
  const namespaces = (await readManifests('deploy/rbac')).filter(({ kind }) => kind === KINDS.namespace.kind);
  for (const object of [
    ...namespaces,
    ...(await readManifests('deploy/rbac')).filter(({ kind }) => kind !== KINDS.namespace.kind),
    binding,
  ]) {
    await cluster.create(object, { fieldManager: 'faults' }).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
  }
}
