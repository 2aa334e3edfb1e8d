import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '@/lib/contract/app-error';
import type { Instant } from '@/lib/std/instant';
import { Semaphore } from '@/lib/std/semaphore';
import type { Outbound } from '@/server/outbound';
import type { Clock, Log } from '@/server/platform';
import type { GitChart } from '../model/extended-spec';
import type { Impersonation } from '../model/impersonation';
import { readGitAddress } from './address';
import { formatMiB, packedBytes } from './bounded-size';
import { createMirror } from './create-mirror';
import type { NamedCredentials } from './credentials';
import type { Mirror, MirrorTimes } from './mirror';

/** A mirror that a resource wants: the repository, and by whose account its Secret is read. */
export interface WantedMirror {
  readonly chart: Pick<GitChart, 'url' | 'secret'>;
  readonly onBehalfOf: Impersonation;
}

interface MirrorsDeps {
  /** One folder per mirror lies in it, and nothing else. */
  readonly folder: string;
  /** Where repositories on disk may lie, and where none may be named: below what chart sync keeps itself. */
  readonly filesBelow: string;
  readonly copiesBelow: string;
  readonly outbound: Pick<Outbound, 'pin'>;
  /** The credentials that a chart names, read as the account that acts for the resource. */
  readonly readCredentials: (wanted: WantedMirror) => Promise<NamedCredentials | undefined>;
  readonly times: MirrorTimes;
  /** How much they may take on disk together. */
  readonly maxBytes: number;
  /** Hears whenever a mirror has fetched, and whether it failed before. */
  readonly hear: (mirror: Mirror, returned: boolean) => void;
  readonly clock: Clock;
  readonly log: Log;
}

interface Running {
  readonly mirror: Mirror;
  readonly folder: string;
  readonly stopping: AbortController;
  readonly run: Promise<void>;
  /** Whether no resource named it when they were looked at last. */
  isIdle: boolean;
  usedAt: Instant;
}

/** Whoever writes resources chooses how many there are; so many fetch at once. */
const AT_ONCE = 4;
/** A mirror, and one that is being cloned: what their limit counts. */
const REPOSITORIES = ['mirror.git', 'mirror.git.new'];

/** The mirrors that resources name: one per address and credential, started when it is first wanted and ended when nobody names it any more. */
export class Mirrors implements AsyncDisposable {
  readonly #deps: MirrorsDeps;
  readonly #slots = new Semaphore(AT_ONCE);
  readonly #running = new Map<string, Running>();
  /** Of those that measure and remove one works at a time. None that is removed holds it: it may wait for it, and then waits no longer. */
  readonly #room = new Semaphore(1);
  /** What is being removed, by folder. */
  readonly #removals = new Map<string, Promise<void>>();
  readonly #cleared = new Set<string>();

  constructor(deps: MirrorsDeps) {
    this.#deps = deps;
  }

  /** The mirror of a chart; throws a sentence for an address that is not taken. A new one is not ready. */
  of(wanted: WantedMirror): Mirror {
    const id = mirrorKeyOf(wanted);
    const known = this.#running.get(id);
    if (known !== undefined) Object.assign(known, { isIdle: false, usedAt: this.#deps.clock.now() });
    return (known ?? this.#start(id, wanted)).mirror;
  }

  /** The mirror of a chart, where it runs. */
  known(wanted: WantedMirror): Mirror | undefined {
    return this.#running.get(mirrorKeyOf(wanted))?.mirror;
  }

  /** Those that run. */
  all(): readonly Mirror[] {
    return [...this.#running.values()].map(({ mirror }) => mirror);
  }

  /**
   * Ends the mirrors that no resource named this time and the last, with what they hold on disk; one that was just made for a new resource stays, and one
   * whose exports are read stays until they are not.
   */
  keep(wanted: readonly WantedMirror[], isRead: (folder: string) => boolean): Promise<void> {
    return this.#room.run(() => this.#keep(wanted, isRead));
  }

  async #keep(wanted: readonly WantedMirror[], isRead: (folder: string) => boolean): Promise<void> {
    const named = new Set(wanted.map(mirrorKeyOf));
    for (const [id, running] of [...this.#running]) {
      const wasIdle = running.isIdle;
      running.isIdle = !named.has(id);
      if (running.isIdle && wasIdle && !isRead(running.folder)) await this.#remove(id, running, ['.']);
    }
    await this.#sweep(isRead);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const all = [...this.#running.values()];
    this.#running.clear();
    await Promise.all([...all.map((running) => this.#end(running)), ...this.#removals.values()]);
  }

  #start(id: string, wanted: WantedMirror): Running {
    const { filesBelow, copiesBelow, outbound, readCredentials, times, hear, clock, log } = this.#deps;
    const folder = path.join(this.#deps.folder, folderOf(id));
    const address = readGitAddress(wanted.chart.url, filesBelow, copiesBelow);
    const parts = { address, outbound, readCredentials: () => readCredentials(wanted), folder, times, slots: this.#slots, clock, log };
    const crowded = () => this.#crowded(running);
    const mirror = createMirror({ crowded, id: shownId(address.shown, wanted), cleared: this.#cleared, ...parts });
    mirror.onSignal((returned) => hear(mirror, returned));
    const stopping = new AbortController();
    const begun = this.#removals.get(folder);
    const run = begun === undefined ? mirror.run(stopping.signal) : begun.then(() => mirror.run(stopping.signal));
    const running: Running = { mirror, folder, stopping, run, isIdle: false, usedAt: clock.now() };
    this.#running.set(id, running);
    return running;
  }

  /** Why a mirror may not grow; undefined where it may. */
  #crowded(asking: Running): Promise<string | undefined> {
    // One that is removed meanwhile says so, and nobody hears it.
    return this.#room.run(() => this.#makeRoom(asking), asking.stopping.signal).catch(messageOf);
  }

  /** Removes those that no resource names, the one first that was not used for longest, until there is room; for one that none names itself none goes. */
  async #makeRoom(asking: Running): Promise<string | undefined> {
    const { maxBytes } = this.#deps;
    while ((await this.#bytes()) > maxBytes) {
      asking.stopping.signal.throwIfAborted();
      const over = `the git mirrors exceed ${formatMiB(maxBytes)} in total (--git-mirrors-limit), and`;
      if (asking.isIdle) return `${over} no release uses this one`;
      const [idle] = [...this.#running].filter(([, { isIdle }]) => isIdle).sort(([, a], [, b]) => a.usedAt - b.usedAt);
      if (idle === undefined) return `${over} releases use all of them`;
      // A Helm that takes long may read exports, which are not counted: they go when none does.
      await this.#remove(...idle, REPOSITORIES);
    }
    return undefined;
  }

  /** What all of them take, those that are being made or were left included. */
  async #bytes(): Promise<number> {
    const names = await readdir(this.#deps.folder).catch(() => []); // no folder yet
    const copies = names.flatMap((name) => REPOSITORIES.map((copy) => path.join(this.#deps.folder, name, copy)));
    return (await Promise.all(copies.map(packedBytes))).reduce((sum, each) => sum + each, 0);
  }

  /** Ends a mirror, and then removes so much of its folder. */
  async #remove(id: string, running: Running, names: readonly string[]): Promise<void> {
    this.#running.delete(id);
    await this.#removing(running.folder, async () => {
      await this.#end(running);
      for (const name of names) await rm(path.join(running.folder, name), { recursive: true, force: true });
    });
  }

  /** Removes something of a folder: a mirror that starts in it meanwhile begins after that. */
  async #removing(folder: string, task: () => Promise<void>): Promise<void> {
    const removal = task().catch((error: unknown) =>
      this.#deps.log.warn({ folder, error: messageOf(error) }, 'the folder of a mirror could not be removed'),
    );
    this.#removals.set(folder, removal);
    await removal;
    this.#removals.delete(folder);
  }

  async #end({ mirror, stopping, run }: Running): Promise<void> {
    stopping.abort(new Error('no resource uses this repository any more'));
    await run.catch((error: unknown) =>
      this.#deps.log.warn({ repository: mirror.id, error: messageOf(error) }, 'a mirror did not end cleanly'),
    );
  }

  /** What mirrors of an earlier process left goes, once it is known which are still wanted. */
  async #sweep(isRead: (folder: string) => boolean): Promise<void> {
    // Where there is no folder yet, nothing is left in it.
    for (const name of await readdir(this.#deps.folder).catch(() => [])) {
      const left = path.join(this.#deps.folder, name);
      if (isRead(left) || [...this.#running.values()].some(({ folder }) => folder === left)) continue;
      await this.#removing(left, () => rm(left, { recursive: true, force: true }));
    }
  }
}

/** What tells one mirror from another. Who may read the Secret is part of it: another account may not have it. */
export function mirrorKeyOf({ chart: { url, secret }, onBehalfOf }: WantedMirror): string {
  const { namespace, account } = onBehalfOf;
  return JSON.stringify(
    secret === undefined
      ? [url]
      : [url, namespace, secret.namespace ?? namespace, secret.name, ...(account === undefined ? [] : [account])],
  );
}

function shownId(shown: string, { chart: { secret }, onBehalfOf: { namespace, account } }: WantedMirror): string {
  if (secret === undefined) return shown;
  return `${shown} by ${secret.namespace ?? namespace}/${secret.name} for ${namespace}${account === undefined ? '' : ` as ${account}`}`;
}

function folderOf(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 32);
}
