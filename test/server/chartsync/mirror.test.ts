import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Semaphore } from '@/lib/std/semaphore';
import { readGitAddress } from '@/server/chartsync/git/address';
import { BinaryRepository } from '@/server/chartsync/git/binary-repository';
import type { GitCall } from '@/server/chartsync/git/git-binary';
import { GitBinary } from '@/server/chartsync/git/git-binary';
import type { GitRepository } from '@/server/chartsync/git/mirror';
import { Mirror } from '@/server/chartsync/git/mirror';
import { realClock } from '@/server/platform';
import { ChartRepository } from '../../support/chart-repository';
import { ManualClock } from '../../support/manual-clock';
import { silentLog } from '../../support/silent-log';

const NEVER = new AbortController().signal;

describe('a mirror', () => {
  it('[issue 12, 1] that cannot fetch tries again after 10 s, then twice as long each time up to 5 min, and as always once it can', async () => {
    const clock = new ManualClock();
    const began = clock.now();
    const tries: number[] = [];
    let isOut = false;
    const contact = async () => {
      tries.push(clock.now());
      if (isOut) throw new Error('out');
    };
    let isThere = false;
    const clone = async () => {
      await contact();
      isThere = true;
    };
    const port = { isThere: async () => isThere, clone, fetch: contact, check: async () => undefined };
    const repository = port as unknown as GitRepository; // it is asked for no more
    const told: string[] = [];
    const log = { ...silentLog, warn: (_: object, message: string) => void told.push(message) };
    const mirror = new Mirror({
      id: 'charts',
      repository,
      times: { pollMs: 300_000, cloneMs: 20_000, fetchMs: 20_000 },
      clock,
      log,
    });
    const stopping = new AbortController();
    const running = mirror.run(stopping.signal);
    await clock.settle();
    expect(mirror.state).toEqual({ kind: 'ready' });
    isOut = true;
    await clock.advance(300_000);
    expect(told.splice(0)).toEqual(['git repo: fetching failed']);
    const since = tries.at(-1) ?? 0;
    expect(mirror.state).toEqual({ kind: 'new', why: 'out', failures: 1 });
    expect(mirror.look()).toMatchObject({ why: 'out', failures: 1, since: began, fetchedAt: began });
    await clock.advance(1_300_000);
    expect(tries.filter((at) => at > since).map((at) => (at - since) / 1000)).toEqual([10, 30, 70, 150, 310, 610, 910, 1210]);
    expect(new Set(told)).toEqual(new Set(['git repo: fetching failed'])); // nothing is cloned again
    isOut = false;
    await clock.advance(300_000);
    expect(mirror.state).toEqual({ kind: 'ready' });
    stopping.abort(new Error('the test is over'));
    await running;
  });

  it('[issue 12.5] that is to end waits for no turn', async () => {
    const slots = new Semaphore(1);
    void slots.run(() => new Promise<never>(() => undefined));
    const repository = { isThere: async () => false } as unknown as GitRepository; // it is asked for no more
    const times = { pollMs: 300_000, cloneMs: 20_000, fetchMs: 20_000 };
    const mirror = new Mirror({ id: 'charts', repository, times, slots, clock: new ManualClock(), log: silentLog });
    const stopping = new AbortController();
    const running = mirror.run(stopping.signal);
    stopping.abort(new Error('nobody uses it'));
    await running;
  });
});

/** git that remembers what was asked of it. */
class HeardGit extends GitBinary {
  readonly heard: string[] = [];

  override run(call: GitCall): Promise<string> {
    this.heard.push(call.args.find((arg) => !arg.startsWith('-')) ?? '');
    return super.run(call);
  }

  count(command: string): number {
    return this.heard.filter((each) => each === command).length;
  }
}

interface Circumstances {
  readonly maxBytes?: number;
  readonly crowded?: () => Promise<string | undefined>;
  /** What a contact waits for before it ends. */
  readonly after?: (signal: AbortSignal) => Promise<void>;
  /** What comes before a contact. */
  readonly before?: () => Promise<void>;
}

function aMirror({ maxBytes, crowded, after = async () => undefined, before = async () => undefined }: Circumstances = {}) {
  const repository = new ChartRepository();
  onTestFinished(() => repository[Symbol.dispose]());
  const git = new HeardGit({ scheme: 'file', home: repository.folder, clock: realClock });
  let isOut = false;
  const address = readGitAddress(repository.url, repository.folder);
  const mirror = new BinaryRepository({
    address,
    git,
    contacts: {
      async run(signal, task) {
        if (isOut) throw new Error('out');
        await before();
        const result = await task({ env: {}, secrets: [] });
        await after(signal);
        return result;
      },
    },
    ...(maxBytes === undefined ? {} : { maxBytes }),
    crowded,
    folder: path.join(repository.folder, 'copy'),
    clock: realClock,
  });
  const cut = (out: boolean) => {
    isOut = out;
  };
  const folder = path.join(repository.folder, 'copy');
  return { repository, git, mirror, cut, folder, objects: path.join(folder, 'mirror.git', 'objects') };
}

describe('the copy of a repository on disk', () => {
  it.each(['while it comes', 'once it is there'])(
    '[issue 12, 5] is not filled by a repository that is larger than may be: %s',
    async (when) => {
      const waitsForAbort = async (signal: AbortSignal) =>
        new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      const { repository, mirror, folder } = aMirror({
        maxBytes: 100_000,
        after: when === 'while it comes' ? waitsForAbort : async () => undefined,
      });
      repository.commit({ large: randomBytes(300_000).toString('base64') });
      await expect(mirror.clone(NEVER)).rejects.toThrow('the repository has more than 0 MiB, which is the limit for mirrors');
      expect(readdirSync(folder).filter((name) => name.startsWith('mirror'))).toEqual([]);
    },
  );

  it('[issue 12, 1] is looked over once in an outage, and never cloned for it', async () => {
    const { repository, git, mirror, cut } = aMirror();
    const first = repository.commit({ a: '1' });
    await mirror.clone(NEVER);
    cut(true);
    await expect(mirror.fetch(NEVER)).rejects.toThrow('out');
    for (let time = 0; time < 3; time++) await expect(mirror.clone(NEVER)).rejects.toThrow('out');
    expect(await mirror.revision('main', NEVER)).toBe(first);
    const next = repository.commit({ a: '2' });
    cut(false);
    await mirror.clone(NEVER);
    expect(await mirror.revision('main', NEVER)).toBe(next);
    expect([git.count('fsck'), git.count('clone')]).toEqual([1, 1]);
  });

  it('[issue 12, 1] that lacks what a fetch does not notice is found broken by what cannot be read from it, and cloned again', async () => {
    const crowded = async () => (existsSync(objects) ? 'two copies of it are too much' : undefined);
    const { repository, git, mirror, objects } = aMirror({ crowded });
    const commit = repository.commit({ 'charts/ledger/Chart.yaml': 'name: ledger\n' });
    await mirror.clone(NEVER);
    const packs = readdirSync(path.join(objects, 'pack'));
    const folders = readdirSync(objects).filter((name) => /^[0-9a-f]{2}$/.test(name) && name !== commit.slice(0, 2));
    for (const name of [...packs.map((pack) => path.join('pack', pack)), ...folders]) rmSync(path.join(objects, name), { recursive: true });
    await expect(mirror.export(commit, NEVER)).rejects.toThrow();
    await expect(mirror.fetch(NEVER)).rejects.toThrow('the mirror on disk is corrupt');
    await mirror.clone(NEVER);
    expect(await (await mirror.export(commit, NEVER)).kindOf('charts/ledger')).toBe('folder');
    expect(git.count('clone')).toBe(2);
  });

  it('[issue 12, figures] is asked for a head once per fetch, and again when something came, also while it comes', async () => {
    const meanwhile: string[] = [];
    const { repository, git, mirror } = aMirror({
      before: async () =>
        void (await mirror.revision('main', NEVER).then(
          (head) => meanwhile.push(head),
          () => undefined,
        )), // of a clone there is none yet
    });
    const first = repository.commit({ a: '1' });
    await mirror.clone(NEVER);
    const asked = git.count('rev-list');
    for (let time = 0; time < 3; time++) expect(await mirror.revision('main', NEVER)).toBe(first);
    expect(git.count('rev-list') - asked).toBe(1);
    const next = repository.commit({ a: '2' });
    await mirror.fetch(NEVER);
    expect(meanwhile).toEqual([first]);
    expect([await mirror.revision('main', NEVER), await mirror.revision('main', NEVER)]).toEqual([next, next]);
  });
});
