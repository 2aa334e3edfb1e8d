import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { createOrigins } from '@/server/auth';
import type { Cluster } from '@/server/kube';
import { createMetrics, realClock } from '@/server/platform';
import { createHub } from '@/server/realtime';
import { cookieOf, createAuthRig } from '../server/auth/rig';
import { silentLog } from '../support/silent-log';
import type { Figure } from './figure';
import { prepare, startInformers, startSimulator } from './ground';
import type { Orders, Told } from './live-clients';
import { median, percentile } from './measure';
import { openReadModel } from './open-read-model';
import { populate } from './workloads';

const BROWSERS = 500;
const BROWSERS_PER_SESSION = 25;
const APPLICATIONS = 1000;
/** What a page shows: every change is of these, so every browser hears of each. */
const SHOWN = 50;
const CHANGES_PER_SECOND = 200;
const SECONDS = 20;
const NAMESPACE = 'shop';

/** Five hundred browsers that watch one table while it changes: from the API server's event to the browser's hands. */
export async function benchLive(): Promise<readonly Figure[]> {
  await using simulator = await startSimulator({ controllers: false });
  await prepare(simulator.cluster, [NAMESPACE]);
  await populate(
    simulator.cluster,
    Array.from({ length: APPLICATIONS }, (_, at) => anApplication(at)),
  );
  await using informers = startInformers(simulator.cluster);
  await using readModel = openReadModel(informers);
  await readModel.start();
  const httpServer = createServer();
  await new Promise<void>((resolve) => httpServer.listen(0, '127.0.0.1', resolve));
  const { port } = httpServer.address() as AddressInfo;
  const rig = createAuthRig({}, { clock: realClock });
  const origins = createOrigins({ publicUrl: undefined, host: '127.0.0.1', port: () => port });
  const hub = createHub({
    maxSockets: 100_000,
    maxSubscriptions: 200,
    httpServer,
    readModel,
    auth: rig.auth,
    openTerminal: () => Promise.reject(new Error('there are no terminals here')),
    openForward: () => Promise.reject(new Error('nothing is forwarded here')),
    origins,
    clock: realClock,
    log: silentLog,
    metrics: createMetrics(),
  });
  const { session, cookie } = await rig.signIn();
  const cookies = [cookie];
  while (cookies.length < BROWSERS / BROWSERS_PER_SESSION) {
    cookies.push(cookieOf((await rig.auth.signIn(await rig.auth.createLink(session, 'viewer'))).setCookie));
  }
  const child = fork(path.join(import.meta.dirname, 'live-clients.ts'), { execArgv: ['--import', 'tsx'] });
  try {
    const connected = next(child, 'connected');
    send(child, { do: 'connect', port, cookies, perCookie: BROWSERS_PER_SESSION, topic: 'applications?sort=name' });
    await connected;
    const before = process.cpuUsage();
    await change(simulator.cluster, () => child.connected && send(child, { do: 'drop half' }));
    const { user, system } = process.cpuUsage(before);
    await realClock.sleep(1000);
    const last = readModel.open({ kind: 'applications', query: { sort: 'name' } }, 'all')?.snapshot();
    const figures = next(child, 'figures');
    send(child, { do: 'report', last: JSON.stringify(last?.order.map((key) => last.rows.find((row) => row.key === key))) });
    const { latencies, behind, messages, busyMs } = await figures;
    return [
      {
        what: `event to ${BROWSERS} browsers at ${CHANGES_PER_SECOND} changes/s, p99`,
        value: percentile(latencies, 0.99),
        unit: 'ms',
        beside: { what: 'median', value: median(latencies) },
        limit: { of: 'value', atMost: 1000 },
      },
      {
        what: 'browsers whose table differs afterwards, half of them cut off meanwhile',
        value: behind,
        unit: '',
        limit: { of: 'value', atMost: 0 },
      },
      { what: 'messages sent', value: messages / SECONDS, unit: '/s' },
      {
        what: 'processor time of the server',
        value: (user + system) / 10_000 / SECONDS,
        unit: '%',
        beside: { what: `of the process of all ${BROWSERS} browsers`, value: busyMs / 10 / SECONDS },
      },
    ];
  } finally {
    child.kill();
    await hub[Symbol.asyncDispose]();
    httpServer.closeAllConnections();
    httpServer.close();
  }
}

// The tag of the image is the instant of the change, so whoever sees it knows how old it is.
async function change(cluster: Cluster, halfWay: () => void): Promise<void> {
  const startedAt = performance.now();
  for (let number = 0; number < CHANGES_PER_SECOND * SECONDS; number++) {
    const dueMs = (number / CHANGES_PER_SECOND) * 1000 - (performance.now() - startedAt);
    if (dueMs > 1) await realClock.sleep(dueMs);
    if (number === (CHANGES_PER_SECOND * SECONDS) / 2) halfWay();
    const name = nameOf(number % SHOWN);
    await cluster.patch({ ...KINDS.application, namespace: NAMESPACE, name }, { type: 'merge', body: { spec: specWith(`${Date.now()}`) } });
  }
}

const nameOf = (at: number) => `web-${`${at}`.padStart(4, '0')}`;

function specWith(tag: string) {
  return { components: [{ name: 'web', type: 'webservice', properties: { image: `registry.example.com/shop:${tag}` } }] };
}

function anApplication(at: number): KubeObject {
  return { ...KINDS.application, metadata: { name: nameOf(at), namespace: NAMESPACE }, spec: specWith('1.0') };
}

function send(child: ChildProcess, orders: Orders): void {
  child.send(orders);
}

async function next<K extends Told['told']>(child: ChildProcess, told: K): Promise<Extract<Told, { told: K }>> {
  for (;;) {
    const [message] = (await once(child, 'message')) as [Told];
    if (message.told === told) return message as Extract<Told, { told: K }>;
  }
}
