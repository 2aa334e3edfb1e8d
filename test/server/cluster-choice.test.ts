import { chmod, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chooseCluster } from '@/server/cluster-choice';
import { createMetrics, Lifetimes, readConfig, realClock, systemIds } from '@/server/platform';
import { silentLog } from '../support/silent-log';

const NAMESPACE = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };

describe('the folder of the embedded cluster', () => {
  let umask: number;
  let data: string;
  beforeEach(async () => {
    umask = process.umask(0);
    data = await mkdtemp(path.join(tmpdir(), 'slipway-choice-'));
  });
  afterEach(async () => {
    process.umask(umask);
    await rm(data, { recursive: true, force: true });
  });

  /** The modes of the folder and of all that a cluster keeps in it, as it is left at the end. */
  async function modes(): Promise<Readonly<Record<string, string>>> {
    const lifetimes = new Lifetimes(silentLog);
    const config = readConfig(['--data-dir', data], {});
    try {
      const chosen = await chooseCluster({ config, clock: realClock, ids: systemIds, log: silentLog, metrics: createMetrics(), lifetimes });
      await chosen.cluster.create(NAMESPACE);
      const folder = path.join(data, 'cluster');
      const modeOf = async (file: string) => ((await stat(file)).mode & 0o777).toString(8);
      const files = await readdir(folder);
      const entries = await Promise.all(
        files.map(async (name): Promise<[string, string]> => [name, await modeOf(path.join(folder, name))]),
      );
      return { '.': await modeOf(folder), ...Object.fromEntries(entries) };
    } finally {
      await lifetimes[Symbol.asyncDispose]();
    }
  }

  it('[issue 9, 6] is read by nobody else on the machine, nor is a file in it, whatever the umask: objects hold Secrets as they are', async () => {
    const { '.': folder, ...files } = await modes();
    expect(folder).toBe('700');
    expect(Object.keys(files)).toEqual(expect.arrayContaining(['kubeconfig', 'objects.journal']));
    expect([...new Set(Object.values(files))]).toEqual(['600']);
  });

  it('[issue 9, 6] is closed to others at the start where an earlier one left it open', async () => {
    await mkdir(path.join(data, 'cluster'));
    await chmod(path.join(data, 'cluster'), 0o755);
    expect((await modes())['.']).toBe('700');
  });
});
