import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { AppError, messageOf } from '@/lib/contract/app-error';
import type { Instant } from '@/lib/std/instant';
import type { Semaphore } from '@/lib/std/semaphore';
import type { Clock } from '@/server/platform';
import { childEnvironment, linkAbort } from '@/server/platform';
import type { UnderWay } from '../decisions/cancellations';
import { Cancelled } from '../decisions/cancellations';
import type { HelmOperations, Purpose } from '../describe/helm-operations';
import type { Identities } from '../identities';
import type { ReleaseRef } from '../model/release';
import { releaseKey } from '../model/release';
import type { RevisionSource } from '../model/revision-source';
import type { ReleaseAct } from '../ports';
import { diskFullIn } from '../process/disk-full';
import type { OrphanedProcessGroup } from '../process/orphaned-processes';
import { awaitGroup, HELM_RUN_VARIABLE } from '../process/orphaned-processes';
import type { ProcessCall } from '../process/run-process';
import { OutOfMemory, OutOfTime, runProcess } from '../process/run-process';
import type { FoundHelm } from './find-helm';
import { readLogLine, sentenceOf } from './log/log-line';
import type { OrphanedLogs } from './log/orphaned-logs';
import type { StepLogs } from './log/step-logs';
import type { MaskedRun } from './masking/hidden-values';
import { maskOf } from './masking/hidden-values';
import { requireName } from './release-name';
import type { HelmStorage } from './storage';

const MAX_BYTES = 64 * 1024 * 1024;
/** Helm cleans up when it is asked to end; killed, it leaves the release pending. */
const GRACE_MS = 30_000;

export interface HelmRunsDeps {
  readonly found: FoundHelm;
  readonly storage: Pick<HelmStorage, 'readHistory' | 'readRevision'>;
  /** Helm's homes, and nothing else. */
  readonly folder: string;
  readonly identities: Pick<Identities, 'kubeconfigFor' | 'accountOf'>;
  readonly slots: Semaphore;
  /** What one more takes that changes nothing: a preview, or a dry run of the loops while others have every turn. */
  readonly dryRunSlots: Semaphore;
  /** What one Helm may hold of memory. */
  readonly maxMemory: number;
  /** What one Helm may take of processor time: a chart that has no end would keep its turn for ever. */
  readonly maxProcessorMs: number;
  /** Hears how long each took. */
  readonly ran?: (command: string, result: 'done' | 'failed', ms: number) => void;
  /** Where it tells what it does. */
  readonly works: HelmOperations;
  /** Ends every Helm that runs. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** A Helm that runs. */
interface Running {
  readonly command: string;
  readonly purpose: Purpose;
  readonly ending: AbortController;
  readonly ended: Promise<void>;
}

/** What Helm is to do, and whether it changes the release by it. */
interface HelmRun extends Omit<MaskedRun, 'release'> {
  readonly args: readonly string[];
  /** Absent where it releases no chart. */
  readonly madeFrom?: RevisionSource;
  readonly purpose?: Purpose;
  /** Throws why it may not begin any more, now that it is its turn. */
  readonly mayBegin?: () => Promise<void>;
}

type Started = Omit<HelmRun, 'mayBegin'> & Required<Pick<HelmRun, 'purpose'>>;

/** Of what is heard while it runs, and what masks that; nothing is heard of what only looks. */
interface Told {
  readonly release: ReleaseRef;
  readonly mask: ((text: string) => string) | undefined;
}

interface Begun {
  readonly command: string;
  readonly purpose: Purpose;
  readonly since?: Instant;
  readonly isInherited?: boolean;
  readonly madeFrom?: RevisionSource | undefined;
  readonly isWaiting?: boolean;
}

/** Starts Helm for releases, and knows which of them it works on. */
export class HelmRuns {
  readonly #deps: HelmRunsDeps;
  readonly #logs: StepLogs;
  readonly #left: OrphanedLogs;
  readonly #running = new Map<string, Running>();

  constructor(deps: HelmRunsDeps, logs: { readonly steps: StepLogs; readonly left: OrphanedLogs }) {
    this.#deps = deps;
    this.#logs = logs.steps;
    this.#left = logs.left;
  }

  /** Runs Helm when it is its turn, and answers what it printed. While it waits and runs it is told, and can be cancelled. */
  async run({ onBehalfOf, release }: ReleaseAct, { purpose = 'change', mayBegin, ...given }: HelmRun): Promise<string> {
    requireName(release);
    const { args } = given;
    const { slots, dryRunSlots, works } = this.#deps;
    // Two hooks that hang would keep every other release from being compared.
    const lane = purpose === 'dry-run' && slots.isFull ? dryRunSlots : slots;
    const command = purpose === 'dry-run' ? `${commandOf(args)} --dry-run=server` : commandOf(args);
    return this.#whileUnderWay(release, { command, purpose, isWaiting: lane.isFull }, (signal) =>
      lane.run(
        async () => {
          await mayBegin?.();
          works.start(release);
          return this.#start({ release, onBehalfOf }, { ...given, purpose }, signal);
        },
        signal,
        onBehalfOf.namespace,
      ),
    );
  }

  /** Runs Helm now, told to nobody. */
  async render(act: ReleaseAct, call: Omit<HelmRun, 'purpose' | 'mayBegin'>, signal: AbortSignal): Promise<string> {
    return this.#start(act, { ...call, purpose: 'dry-run' }, signal);
  }

  /** What Helm does to a release now, which a person may cancel, and nothing that begins after it; undefined where nothing is under way. */
  underWay(release: ReleaseRef): UnderWay | undefined {
    const key = releaseKey(release);
    const running = this.#running.get(key);
    if (running === undefined) return undefined;
    const { command, purpose, ending, ended } = running;
    return {
      cancel: (by) => {
        if (this.#running.get(key) !== running) return undefined;
        // What was only looked at is looked at again.
        ending.abort(purpose === 'dry-run' ? new AppError('rejected', `${by} cancelled it`) : Cancelled.by(by));
        return ended.then(() => command);
      },
    };
  }

  /** Waits for the end of what a server that was killed had begun; meanwhile it is told as under way with what it writes, and can be cancelled. */
  async adopt(release: ReleaseRef, { group, work }: OrphanedProcessGroup): Promise<void> {
    const { clock } = this.#deps;
    const log = await this.#left.of(release);
    const begun = {
      command: work?.command ?? 'helm',
      purpose: 'change' as const,
      isInherited: true,
      ...(log === undefined ? {} : { since: log.since, madeFrom: log.madeFrom }),
    };
    await this.#whileUnderWay(release, begun, async (signal) => {
      const following = log === undefined ? undefined : this.#left.follow(log);
      await awaitGroup(group, { clock, graceMs: GRACE_MS, signal });
      await following?.end();
    });
  }

  async #start({ onBehalfOf, release }: ReleaseAct, run: Started, signal: AbortSignal): Promise<string> {
    const { found, clock, folder, maxMemory, maxProcessorMs, identities, storage } = this.#deps;
    requireName(release);
    const command = commandOf(run.args);
    const [KUBECONFIG, env] = await Promise.all([identities.kubeconfigFor(onBehalfOf), this.#environment()]).catch((error: unknown) =>
      throwDiskFull(error, command),
    );
    const work = `${command} ${release.namespace} ${release.name}`;
    const call = {
      command: found.command,
      env: { ...env, KUBECONFIG, [HELM_RUN_VARIABLE]: work },
      cwd: folder,
      input: JSON.stringify(run.values ?? {}),
    };
    const limits = { maxBytes: MAX_BYTES, graceMs: GRACE_MS, maxMemory, maxProcessorMs };
    const since = clock.now();
    const notify = (result: 'done' | 'failed') => this.#deps.ran?.(command, result, clock.now() - since);
    const findMask = () => maskOf(storage, { ...run, release });
    // What a step changes may be gone when it fails; of what only looks nobody hears a line before.
    const known = run.purpose === 'change' ? await findMask() : undefined;
    const { code, stdout, stderr } = await this.#logged({ release, mask: known }, run, { ...call, ...limits, signal, clock }).catch(
      (error: unknown) => {
        notify('failed');
        return this.#reportEnd(error, release, command);
      },
    );
    notify(code === 0 ? 'done' : 'failed');
    if (code !== 0) {
      const name = identities.accountOf(onBehalfOf);
      const account = name === undefined ? undefined : { namespace: onBehalfOf.namespace, name };
      const mask = known ?? (await findMask());
      const namespace = run.args.includes('--create-namespace') ? release.namespace : undefined;
      throw new AppError('rejected', sentenceOf(stderr, { command, isKilled: code === null, mask, account, namespace }));
    }
    return stdout;
  }

  /** What changes a release logs each of its steps, to a file, so that it goes on when this server is killed. */
  async #logged({ release, mask }: Told, { args, madeFrom }: Started, call: Omit<ProcessCall, 'args'>) {
    if (mask === undefined) return runProcess({ ...call, args });
    const { works, clock, storage } = this.#deps;
    // Told to the server that comes next, should this one not see the end of it.
    const after = await storage.readHistory(release).then(
      (history) => history.at(-1)?.revision ?? 0,
      () => null,
    );
    const command = commandOf(args);
    const log = await this.#logs
      .begin({ command, release, since: clock.now(), after, madeFrom })
      .catch((error: unknown) => throwDiskFull(error, command));
    try {
      const onKill = (name: string) => works.kill(release, name);
      return await runProcess({
        ...call,
        args: [...args, '--debug'],
        log,
        onKill,
        onLine: (line) => works.say(release, mask(readLogLine(line))),
      });
    } finally {
      await this.#logs.remove(log);
    }
  }

  /** While it runs it is told, and can be cancelled. */
  async #whileUnderWay<Result>(release: ReleaseRef, begun: Begun, task: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const { works, signal } = this.#deps;
    const key = releaseKey(release);
    const { controller: ending, release: unlink } = linkAbort(signal);
    let notifyEnded: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      notifyEnded = resolve;
    });
    const running = { command: begun.command, purpose: begun.purpose, ending, ended };
    this.#running.set(key, running);
    works.begin(release, begun);
    let isRefused = false;
    try {
      return await task(ending.signal);
    } catch (error) {
      isRefused = NAME_IN_USE.test(messageOf(error));
      throw error;
    } finally {
      unlink();
      if (this.#running.get(key) === running) this.#running.delete(key);
      works.end(release);
      if (isRefused) works.refuse(release);
      notifyEnded();
    }
  }

  async #environment(): Promise<Readonly<Record<string, string>>> {
    const { folder } = this.#deps;
    const at = (name: string) => path.join(folder, name);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const homes = {
      HOME: folder,
      HELM_CACHE_HOME: at('cache'),
      HELM_CONFIG_HOME: at('config'),
      HELM_DATA_HOME: at('data'),
      HELM_PLUGINS: at('no-plugins'),
    };
    // Above that the collector works for its life: what remains is for what it cannot collect.
    return { ...childEnvironment(), ...homes, GOMEMLIMIT: String(Math.floor((this.#deps.maxMemory * 3) / 4)) };
  }

  /** A Helm that was ended for what it took says nothing any more: what it left of the release is told for it. */
  async #reportEnd(error: unknown, release: ReleaseRef, command: string): Promise<never> {
    if (!(error instanceof OutOfMemory || error instanceof OutOfTime)) throw error;
    const newest = (await this.#deps.storage.readHistory(release).catch(() => [])).at(-1); // what is told anyway is that Helm was ended
    const left = newest?.status.startsWith('pending')
      ? `; release ${release.name} is left ${newest.status} at revision ${newest.revision}`
      : '';
    throw new AppError('too-large', `helm ${command}: ${error.message}${error instanceof OutOfMemory ? ' (--helm-memory)' : ''}${left}`, {
      cause: error,
    });
  }
}

/** What Helm is given lies on the disk of the server, as does its log. */
function throwDiskFull(error: unknown, command: string): never {
  const noRoom = diskFullIn(messageOf(error));
  throw noRoom === undefined ? error : new AppError('unavailable', `helm ${command} could not be started: ${noRoom}`, { cause: error });
}

/** An install of the base kind over what another Helm left, which each pass attempts (R-1A-3): nothing comes of it. */
const NAME_IN_USE = /cannot re-?use a name that is still in use/;

/** Which of Helm's commands. */
const commandOf = (args: readonly string[]): string => args[0] ?? 'helm';
