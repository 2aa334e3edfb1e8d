import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Outbound, readPolicy } from '@/server/outbound';
import { realClock } from '@/server/platform';
import { obtainHelm } from '../../scripts/helm-binary.mjs';
import type { ChartFiles, ChartRepository } from '../support/chart-repository';
import { makeCertificate } from '../support/loopback-certificate';
import { temporaryFolder } from '../support/temporary-folder';
import type { ChartHouse } from './chartsync-house';
import { openChartHouse } from './chartsync-house';

/** The password in Secret `repo`. */
export const PASSWORD = 'canary-pull-4e1f';
/** What servers of charts show who they are by. */
export const certificate = makeCertificate(['charts.test', '127.0.0.1']);

/** Helm as whoever publishes charts runs it. */
export async function aPublisher() {
  const folder = temporaryFolder();
  const { path: command } = await obtainHelm();
  const homes = {
    HOME: folder,
    HELM_CACHE_HOME: path.join(folder, 'cache'),
    HELM_CONFIG_HOME: path.join(folder, 'config'),
    HELM_DATA_HOME: path.join(folder, 'data'),
  };
  const env = { ...process.env, ...homes };
  const helm = (...args: readonly string[]) =>
    execFileSync(command, [...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
  writeFileSync(path.join(folder, 'ca.crt'), certificate.ca);
  const pack = (name: string, files: ChartFiles) => {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(folder, name, file)), { recursive: true });
      writeFileSync(path.join(folder, name, file), text);
    }
    helm('package', name, '--destination', 'published');
  };
  return { folder, helm, pack, published: path.join(folder, 'published') };
}

/** Opens a house that may fetch charts from these ports of loopback, with Secret `repo` for those that ask for a password. */
export async function openPublishedHouse(
  repository: ChartRepository,
  ports: readonly number[],
  circumstances: Parameters<typeof openChartHouse>[2] = {},
): Promise<ChartHouse> {
  const policy = readPolicy(ports.map((port) => `127.0.0.1:${port}`).join(','));
  const outbound = new Outbound({ policy, clock: realClock, lookup: async () => ['127.0.0.1'] });
  const house = await openChartHouse(repository, { outbound }, circumstances);
  const texts = { username: 'ann', password: PASSWORD, 'ca.crt': certificate.ca };
  const data = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));
  await house.cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'pay', name: 'repo' }, data });
  return house;
}
