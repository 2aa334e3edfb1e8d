import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import type * as Promises from 'node:fs/promises';
import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { toInstant } from '@/lib/std/instant';
import { Dependencies } from '@/server/chartsync/sources/dependencies';
import { PulledCharts } from '@/server/chartsync/sources/pulled-charts';
import { Outbound, readPolicy } from '@/server/outbound';
import { realClock } from '@/server/platform';
import { packChart } from '../../support/chart-archive';
import { aChart, ChartRepository } from '../../support/chart-repository';
import { startWeb } from '../../support/loopback-web';
import { temporaryFolder } from '../../support/temporary-folder';

const disk = vi.hoisted(() => ({ isFull: false }));

/** A disk that takes half of a file and no more. */
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof Promises>();
  const noRoom = () => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  const writeFile = async (file: string, body: Buffer, options: object) => {
    if (!disk.isFull) return real.writeFile(file, body, options);
    await real.writeFile(file, body.subarray(0, body.byteLength / 2), options);
    throw noRoom();
  };
  return { ...real, writeFile };
});

const ARCHIVE = packChart('parts', '1.0.0', { 'values.yaml': 'a: 1\n' });
const DIGEST = createHash('sha256').update(ARCHIVE).digest('hex');
const INDEX = `apiVersion: v1\nentries:\n  parts:\n  - apiVersion: v2\n    digest: ${DIGEST}\n    name: parts\n    urls:\n    - parts-1.0.0.tgz\n    version: 1.0.0\n`;

it('[issue 12.3] a disk that is full where charts are kept is told, with nothing half-written left, and the chart is taken once it has room', async () => {
  await using web = await startWeb((request, answer) => void answer.end(request.url === '/index.yaml' ? INDEX : ARCHIVE));
  const folder = path.join(temporaryFolder(), 'pulled');
  let now = 1_000_000;
  const pulled = new PulledCharts({
    folder,
    outbound: new Outbound({ policy: readPolicy(`127.0.0.1:${web.port}`), clock: realClock }),
    readCredentials: async () => undefined,
    lookMs: 60_000,
    clock: { ...realClock, now: () => toInstant(now) },
    signal: new AbortController().signal,
  });
  const repository = `http://127.0.0.1:${web.port}`;
  const pull = () =>
    pulled.pull(
      { kind: 'repository', repository, name: 'parts', version: '1.0.0', secret: undefined },
      { namespace: 'pay', account: undefined },
    );
  using charts = new ChartRepository();
  const declared = `apiVersion: v2\nname: ledger\nversion: 1.0.0\ndependencies: [ { name: parts, version: 1.0.0, repository: "${repository}" } ]\n`;
  const revision = charts.commitChart('ledger', aChart({ 'Chart.yaml': declared }));
  const root = charts.git('rev-parse', '--show-toplevel').trim();
  const build = () =>
    new Dependencies(pulled, new AbortController().signal).build(
      { folder: path.join(root, 'charts/ledger'), path: 'charts/ledger', revision },
      { onBehalfOf: { namespace: 'pay', account: undefined }, secrets: [] },
    );

  disk.isFull = true;
  await expect(pull()).rejects.toThrow('chart parts 1.0.0 could not be unpacked: the disk of the server is full');
  expect(readdirSync(folder)).toEqual([]);
  await expect(build()).rejects.toThrow('dependencies of chart charts/ledger could not be built: the disk of the server is full');
  expect(readdirSync(`${root}.builds`)).toEqual([]);
  disk.isFull = false;
  now += 30_000;
  expect(readdirSync((await pull()).folder).sort()).toEqual(['Chart.yaml', 'values.yaml']);
  expect(readdirSync(path.join((await build()).folder, 'charts'))).toEqual(['parts-1.0.0.tgz']);
});
