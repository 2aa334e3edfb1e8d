import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { listAll } from '@/server/kube';
import type { RemoteCluster } from '@/server/kube/remote/create';
import { obtainHelm } from '../../scripts/helm-binary.mjs';
import { openCluster } from '../support/census';
import { aChart, ChartRepository } from '../support/chart-repository';
import { startGitHttps } from '../support/git-https';
import { makeCertificate } from '../support/loopback-certificate';
import type { LoopbackWeb } from '../support/loopback-web';
import type { TestPostgres } from '../support/postgres';
import { startPostgres } from '../support/postgres';
import type { ServerProcess } from '../support/server-process';
import { startServerProcess } from '../support/server-process';
import { until } from '../support/until';
import type { ControlPlane } from './control-plane';
import { startControlPlane } from './control-plane';
import { deployInto } from './deploy-into';

const NS = 'pay';
const LIMIT_MS = 60_000;
/** No node has the label, so the upgrade waits for its hook until somebody ends it. */
const HOOK = `apiVersion: batch/v1
kind: Job
metadata: { name: hook, annotations: { helm.sh/hook: pre-upgrade } }
spec: { template: { spec: { restartPolicy: Never, nodeSelector: { nowhere: "1" }, containers: [{ name: a, image: a }] } } }
`;

let plane: ControlPlane;
let admin: RemoteCluster;
let charts: ChartRepository;
let git: LoopbackWeb;
let postgres: TestPostgres;
const servers: ServerProcess[] = [];

beforeAll(async () => {
  [plane, postgres] = await Promise.all([startControlPlane({ nodes: 1 }), startPostgres()]);
  admin = openCluster(plane.kubeconfig);
  await deployInto(admin, NS);
  charts = new ChartRepository();
  charts.commitChart('slow', aChart({}, 'slow'));
  const certificate = makeCertificate(['127.0.0.1']);
  git = await startGitHttps({ certificate, root: path.dirname(charts.bare), wanted: () => undefined });
  const data = { 'ca.crt': Buffer.from(certificate.ca).toString('base64') };
  await admin.create({ apiVersion: 'v1', kind: 'Secret', metadata: { namespace: NS, name: 'git' }, data });
});

afterAll(async () => {
  for (const server of servers) await server[Symbol.asyncDispose]();
  await git?.[Symbol.asyncDispose]();
  charts?.[Symbol.dispose]();
  await admin?.[Symbol.asyncDispose]();
  await postgres?.[Symbol.asyncDispose]();
  await plane?.[Symbol.asyncDispose]();
});

async function start(database: string): Promise<ServerProcess> {
  const kubeconfig = path.join(path.dirname(plane.kubeconfig), 'slipway.kubeconfig');
  const options = { '--kubeconfig': kubeconfig, '--helm': (await obtainHelm()).path };
  const ways = { '--outbound-allow': `127.0.0.1:${git.port}`, '--git-poll-interval': '1s', '--charts-sync-interval': '3s' };
  const server = await startServerProcess(Object.entries({ ...options, ...ways }).flat(), { DATABASE_URL: database });
  servers.push(server);
  return server;
}

/** The Helms that upgrade the release on this machine, by their group. */
async function helms(): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'pgid,args']);
  return stdout.split('\n').filter((line) => /helm\S* upgrade .*pay-slow/.test(line));
}

const revisions = async () =>
  (await listAll(admin, { apiVersion: 'v1', kind: 'Secret', namespace: NS })).items
    .filter(({ metadata: { name = '' } }) => name.startsWith('sh.helm.release.v1.pay-slow.'))
    .map(({ metadata: { name = '', labels } }) => `${name.split('.').at(-1)} ${labels?.status}`)
    .sort();

it('[issue 12.3] an upgrade whose server loses the Lease is ended, the next one names what is pending before it acts, and nothing is released twice', async () => {
  const database = await postgres.addDatabase();
  const first = await start(database);
  const chart = { git: `https://127.0.0.1:${git.port}/origin.git`, ref: 'main', path: 'charts/slow', secretRef: { name: 'git' } };
  await admin.create({ ...KINDS.helmRelease, metadata: { namespace: NS, name: 'slow' }, spec: { chart } });
  await until('it is installed', async () => (await revisions()).join() === 'v1 deployed', LIMIT_MS);
  const second = await start(database);
  charts.commitChart('slow', { 'templates/hook.yaml': HOOK });
  await until('the upgrade is under way', async () => (await revisions()).includes('v2 pending-upgrade'), LIMIT_MS);
  expect(await helms()).not.toEqual([]);

  process.kill(first.pid, 'SIGSTOP');
  await until('the second takes over and names it', () => /"release":"pay\/pay-slow".*release is pending/.test(second.stderr()), LIMIT_MS);
  const before = second.stderr().slice(0, second.stderr().search(/release is pending/));
  expect(before).not.toMatch(/could not be synced|release has diverged/);
  process.kill(first.pid, 'SIGCONT');
  await until('Helm is ended', async () => (await helms()).length === 0, LIMIT_MS);
  await until(
    'the second has looked at it',
    async () => {
      const { status } = await admin.get({ ...KINDS.helmRelease, namespace: NS, name: 'slow' });
      return readString(status, 'failure', 'message') !== undefined;
    },
    LIMIT_MS,
  );
  expect((await revisions()).map((line) => line.split(' ')[0])).toEqual(['v1', 'v2']);
  expect(await helms()).toEqual([]);
}, 150_000);
