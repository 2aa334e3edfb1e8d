import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readGitAddress } from '@/server/chartsync/git/address';
import { BinaryRepository } from '@/server/chartsync/git/binary-repository';
import { GitBinary } from '@/server/chartsync/git/git-binary';
import { Mirrors } from '@/server/chartsync/git/mirrors';
import { Outbound, readPolicy } from '@/server/outbound';
import { realClock } from '@/server/platform';
import { ChartRepository } from '../../support/chart-repository';
import { silentLog } from '../../support/silent-log';
import { until } from '../../support/until';

const NEVER = new AbortController().signal;
const MIB = 1024 * 1024;
const LIMIT = 3 * MIB;
const OVER = 'mirrors of repositories take more than 3 MiB together, the limit of --git-mirrors-limit, and releases use all of them';

interface Rig {
  readonly mirrors: Mirrors;
  /** A repository of one MiB that nothing makes smaller. */
  repository(): ChartRepository;
  copies(): number;
}

function openRig(): Rig {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'slipway-mirrors-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const own = { folder: path.join(folder, 'copies'), filesBelow: folder, copiesBelow: path.join(folder, 'copies') };
  const mirrors = new Mirrors({
    ...own,
    outbound: new Outbound({ policy: readPolicy(''), clock: realClock }),
    readCredentials: async () => undefined,
    times: { pollMs: 3_600_000, cloneMs: 60_000, fetchMs: 60_000 },
    maxBytes: LIMIT,
    hear: () => undefined,
    clock: realClock,
    log: silentLog,
  });
  onTestFinished(() => mirrors[Symbol.asyncDispose]());
  return {
    mirrors,
    repository() {
      const made = new ChartRepository(folder);
      made.commit({ 'charts/large': randomBytes(MIB / 2).toString('hex') + randomBytes(MIB / 2).toString('base64') });
      return made;
    },
    copies: () => readdirSync(own.folder).length,
  };
}

const wantedOf = ({ url }: ChartRepository) => ({
  chart: { url, secret: undefined },
  onBehalfOf: { namespace: 'pay', account: undefined },
});

it('[issue 12.5] mirrors take so much together: those that no resource names go first, the least recently used before others, and those in use never', async () => {
  const { mirrors, repository, copies } = openRig();
  const all = [repository(), repository(), repository(), repository()].map(wantedOf);
  const [first, second, third, fourth] = all as [(typeof all)[0], (typeof all)[0], (typeof all)[0], (typeof all)[0]];
  const isReady = (wanted: typeof first) => mirrors.known(wanted)?.state.kind === 'ready';
  for (const wanted of [second, first]) {
    mirrors.of(wanted);
    await until('it is cloned', () => isReady(wanted));
  }
  await mirrors.keep([]); // nobody names them at this look, and at the next they would go
  mirrors.of(third);
  await until('it takes the place of the one that was used first', () => isReady(third));
  expect([first, second].map(isReady)).toEqual([true, false]);
  expect(copies()).toBe(2);
  mirrors.of(first); // a resource names it again
  mirrors.of(fourth);
  await until('it is refused', () => mirrors.known(fourth)?.look().failures === 1);
  expect(mirrors.known(fourth)?.look().why).toBe(OVER);
  expect([first, third].map(isReady)).toEqual([true, true]);
});

it('[issue 12.5] a mirror in use that grows over what all may take stays as it is, refused also at the next fetch, and one that nothing came to is let be', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'slipway-mirrors-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const repository = new ChartRepository(folder);
  repository.commit({ 'charts/small': 'a' });
  let isFull = false;
  const open = () =>
    new BinaryRepository({
      address: readGitAddress(repository.url, repository.folder),
      git: new GitBinary({ scheme: 'file', home: repository.folder, clock: realClock }),
      contacts: { run: (_, task) => task({ env: {}, secrets: [] }) },
      folder: path.join(folder, 'copy'),
      crowded: async () => (isFull ? OVER : undefined),
      clock: realClock,
    });
  await open().clone(NEVER);
  isFull = true;
  const git = open(); // as the next process finds it
  await git.fetch(NEVER);
  repository.commit({ 'charts/large': 'b' });
  for (const _ of [1, 2]) await expect(git.fetch(NEVER)).rejects.toThrow(OVER);
  const next = open();
  repository.commit({ 'charts/large': 'c' });
  for (const _ of [1, 2]) await expect(next.fetch(NEVER)).rejects.toThrow(OVER);
  expect(existsSync(path.join(folder, 'copy/mirror.git'))).toBe(true);
  isFull = false;
  await next.fetch(NEVER);
});
