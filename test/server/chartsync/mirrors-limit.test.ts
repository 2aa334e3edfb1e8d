import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
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
const nobody = () => false;
const MIB = 1024 * 1024;
const LIMIT = 3 * MIB;
const TAKEN = 'the git mirrors exceed 3 MiB in total (--git-mirrors-limit), and';
const OVER = `${TAKEN} releases use all of them`;

interface Rig {
  readonly mirrors: Mirrors;
  /** A repository of one MiB that nothing makes smaller. */
  repository(): ChartRepository;
  copies(): number;
  readonly folder: string;
}

function openRig(readCredentials: () => Promise<undefined> = async () => undefined): Rig {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'slipway-mirrors-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const own = { folder: path.join(folder, 'copies'), filesBelow: folder, copiesBelow: path.join(folder, 'copies') };
  const mirrors = new Mirrors({
    ...own,
    outbound: new Outbound({ policy: readPolicy(''), clock: realClock }),
    readCredentials,
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
    copies: () => readdirSync(own.folder).filter((name) => existsSync(path.join(own.folder, name, 'mirror.git'))).length,
    folder: own.folder,
  };
}

const wantedOf = ({ url }: Pick<ChartRepository, 'url'>) => ({
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
  await mirrors.keep([], nobody); // nobody names them at this look, and at the next they would go
  const exportOf = async (wanted: typeof first) =>
    mirrors.known(wanted)?.export((await mirrors.known(wanted)?.revision('main', NEVER)) ?? '', NEVER);
  const read = await exportOf(second);
  mirrors.of(third);
  await until('it takes the place of the one that was used first', () => isReady(third));
  expect([first, second].map(isReady)).toEqual([true, false]);
  expect(copies()).toBe(2);
  mirrors.of(second); // a resource names it again, which has nothing left but what Helm may read
  await until('it takes the place of the other one', () => isReady(second));
  expect(await read?.kindOf('charts/large')).toBe('file');
  expect((await exportOf(second))?.folder).not.toBe(read?.folder);
  await mirrors.keep([second], nobody);
  mirrors.of(third); // a resource names it again
  mirrors.of(fourth);
  await until('it is refused', () => mirrors.known(fourth)?.look().failures === 1);
  expect(mirrors.known(fourth)?.look().why).toBe(OVER);
  expect([second, third].map(isReady)).toEqual([true, true]);
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

it('[issue 12.5] of mirrors that no resource names and that grow at once none waits for the end of another, and none goes for another', async () => {
  const { mirrors, repository } = openRig();
  const both = [repository(), repository()];
  const looks = () => both.map((each) => mirrors.known(wantedOf(each))?.look());
  for (const each of both) mirrors.of(wantedOf(each));
  await until('both are cloned', () => looks().every((look) => look?.state === 'ready'));
  await mirrors.keep([], nobody);
  for (const each of both) each.commit({ more: randomBytes(LIMIT / 2).toString('base64') });
  for (const each of both) mirrors.known(wantedOf(each))?.notify();
  await until('both are refused', () => looks().every((look) => look?.why === `${TAKEN} no release uses this one`));
});

/** A mirror whose contact waits until it is let go, and that takes so much on disk. */
async function openStuck() {
  let asked = 0;
  const waiting: (() => void)[] = [];
  const rig = openRig(async () => {
    asked++;
    await new Promise<void>((resolve) => void waiting.push(resolve));
    throw new Error('no credentials');
  });
  const letGo = () => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  onTestFinished(letGo); // before the mirrors are ended, which waits for it
  const stuck = wantedOf({ url: 'https://git.example.com/stuck.git' });
  rig.mirrors.of(stuck);
  await until('it waits', () => asked === 1);
  const folder = path.join(rig.folder, readdirSync(rig.folder)[0] ?? '');
  const packs = path.join(folder, 'mirror.git', 'objects', 'pack');
  mkdirSync(packs, { recursive: true });
  writeFileSync(path.join(packs, 'large.pack'), randomBytes(2 * MIB));
  return { ...rig, stuck, folder, letGo, asked: () => asked };
}

it('[issue 12.5] none is refused for what a mirror takes that is being removed', async () => {
  const { mirrors, repository, stuck, letGo, folder } = await openStuck();
  await mirrors.keep([], nobody);
  const [first, second] = [wantedOf(repository()), wantedOf(repository())];
  mirrors.of(first);
  await until('it goes for the first', () => mirrors.known(stuck) === undefined);
  const before = readdirSync(path.dirname(folder));
  mirrors.of(second);
  const packs = () => readdirSync(path.dirname(folder)).filter((name) => !before.includes(name));
  const isWhole = (name: string) =>
    readdirSync(path.join(folder, '..', name), { recursive: true }).some((file) => /\.pack$/.test(String(file)));
  await until('the second has come whole', () => packs().some(isWhole));
  letGo();
  const looks = () => [first, second].map((each) => mirrors.known(each)?.look());
  await until('both were looked at', () => looks().every((look) => look?.state === 'ready' || look?.failures === 1));
  expect(looks()).toMatchObject([{ state: 'ready' }, { state: 'ready' }]);
});

it('[issue 12.5] a mirror that is named again while it is removed begins anew after that', async () => {
  const { mirrors, stuck, letGo, folder, asked } = await openStuck();
  await mirrors.keep([], nobody);
  const removing = mirrors.keep([], nobody);
  await until('it is being removed', () => mirrors.known(stuck) === undefined);
  mirrors.of(stuck);
  letGo();
  await until('it begins anew', () => asked() === 2);
  await removing;
  expect(existsSync(folder)).toBe(true);
});

it('[issue 12.5] one that no resource names goes in the end though syncs read at every pass, and one that they read when they do not any more', async () => {
  const { mirrors, repository, folder } = openRig();
  const [busy, idle] = [wantedOf(repository()), wantedOf(repository())];
  mirrors.of(busy);
  await until('it is cloned', () => mirrors.known(busy)?.state.kind === 'ready');
  const [read = ''] = readdirSync(folder);
  mirrors.of(idle);
  await until('both are cloned', () => mirrors.known(idle)?.state.kind === 'ready');
  const isRead = (one: string) => one === path.join(folder, read);
  for (const _ of [1, 2, 3]) await mirrors.keep([], isRead);
  expect([mirrors.known(busy) !== undefined, mirrors.known(idle)]).toEqual([true, undefined]);
  expect(readdirSync(folder)).toEqual([read]);
  await mirrors.keep([], nobody);
  expect(readdirSync(folder)).toEqual([]);
});
