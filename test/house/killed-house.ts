import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import { startEmbedded } from '@/server/embedded';
import { installMissing } from '@/server/installation';
import type { Cluster } from '@/server/kube';
import { isNotFound } from '@/server/kube';
import { createRandom, Lifetimes, realClock, systemIds } from '@/server/platform';
import { bundle } from '../../scripts/build.mjs';
import { obtainHelm } from '../../scripts/helm-binary.mjs';
import type { EngineSettings } from '../support/chart-engine';
import { ChartRepository } from '../support/chart-repository';
import { readDeployed } from '../support/definitions';
import { silentLog } from '../support/silent-log';

export const NAMESPACE = 'pay';

/** Where a program of chart sync is made to stand: at its start when a word is among its arguments, or at its end. */
export interface Stand {
  readonly program: 'git' | 'helm';
  readonly word: string;
  readonly when: 'before' | 'after';
}

/**
 * What happens at one start of git or Helm: it fails before it did anything, or when it is done; or the engine is killed at that moment, and what it
 * started goes on once another engine is there.
 */
export const PROGRAM_STRIKES = ['fail-before', 'fail-after', 'kill-before', 'kill-after'] as const;
export type ProgramStrike = (typeof PROGRAM_STRIKES)[number];

/** Chart sync in a process that is killed, on a cluster and a repository that go on. */
export interface KilledHouse extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly repository: ChartRepository;
  /** The log of the engine that runs now. */
  readonly lines: readonly string[];
  get(type: TypeRef, name: string): Promise<KubeObject | undefined>;
  start(): void;
  /** Ends the engine as a power cut of its process would; what it started goes on. */
  kill(): Promise<void>;
  /** The next program that fits stands still; of each program only one does. */
  standAt(stand: Stand): void;
  /** Strikes the start of a program that comes so many after those that were counted. */
  strikeAt(start: number, how: ProgramStrike): void;
  wasStruck(): boolean;
  /** Each program that was started so far, with its arguments. */
  starts(): readonly string[];
  isStanding(): boolean;
  /** Lets what stands go on. */
  free(): void;
  /** Ends every process that the engine started, as the end of a machine would. */
  killChildren(): void;
}

interface KilledHouseOptions {
  /** Where charts may be fetched from. */
  readonly outbound?: string;
  /** How long after one pass over all releases the next one begins, and how often branches are asked for commits. */
  readonly intervalMs?: number;
  readonly pollMs?: number;
}

/** Opens the house, whose engine looks often where nothing else is said. */
export async function openKilledHouse({ outbound = '', intervalMs = 1500, pollMs = 500 }: KilledHouseOptions = {}): Promise<KilledHouse> {
  const lifetimes = new Lifetimes(silentLog);
  const repository = new ChartRepository();
  lifetimes.defer('repository', () => repository[Symbol.dispose]());
  const folder = mkdtempSync(path.join(os.tmpdir(), 'slipway-killed-'));
  lifetimes.defer('folder', () => rmSync(folder, { recursive: true, force: true }));
  const dataDir = path.join(folder, 'cluster');
  mkdirSync(dataDir);
  const embedded = lifetimes.use(
    'cluster',
    await startEmbedded({ clock: realClock, random: createRandom(3), ids: systemIds, log: silentLog, dataDir }),
  );
  await embedded.serve({ host: '127.0.0.1', port: 0 });
  const { cluster } = embedded;
  await installMissing(await readDeployed('deploy/crds'), { cluster, clock: realClock, log: silentLog });
  await cluster.create({ ...KINDS.namespace, metadata: { name: NAMESPACE } });
  const stands = path.join(folder, 'stands');
  const programs = path.join(folder, 'programs');
  for (const each of [stands, programs]) mkdirSync(each);
  const [git, helm] = [execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim(), (await obtainHelm()).path];
  for (const [name, real] of [
    ['git', git],
    ['helm', helm],
  ] as const)
    writeStanding(path.join(programs, name), real, stands);
  const engine = await bundleEngine(folder);
  const settings: EngineSettings = {
    kubeconfig: path.join(dataDir, 'kubeconfig'),
    repository: repository.url,
    folder: repository.folder,
    helm: path.join(programs, 'helm'),
    outbound,
    intervalMs,
    pollMs,
  };
  const lines: string[] = [];
  let child: ChildProcess | undefined;
  const at = path.join(stands, 'at');
  const killChildren = () => {
    const found = execFileSync('sh', ['-c', `grep -lzs "^HOME=${repository.folder}/chartsync/" /proc/[0-9]*/environ || true`], {
      encoding: 'utf8',
    });
    for (const file of found.trim().split('\n').filter(Boolean)) killIfThere(Number(file.split('/')[2]));
  };
  const kill = async () => {
    const ending = child;
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => ending.once('exit', () => resolve()));
    ending.kill('SIGKILL');
    await ended;
  };
  lifetimes.defer('processes', async () => {
    await kill();
    killChildren();
  });
  return {
    cluster,
    repository,
    lines,
    get: async (type, name) =>
      cluster.get({ ...type, namespace: NAMESPACE, name }).catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      }),
    start() {
      lines.length = 0;
      const env = { ...process.env, PATH: `${programs}${path.delimiter}${process.env.PATH}` };
      const started = spawn(process.execPath, [engine, JSON.stringify(settings)], {
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      createInterface({ input: started.stdout }).on('line', (line) => void lines.push(line));
      child = started;
    },
    kill,
    standAt: ({ program, word, when }) => writeFileSync(path.join(stands, `${program} ${when} ${word}`), ''),
    strikeAt: (start, how) => {
      rmSync(path.join(stands, 'struck'), { force: true });
      writeFileSync(path.join(stands, 'strike'), `${start} ${how}\n`);
    },
    wasStruck: () => existsSync(path.join(stands, 'struck')),
    starts: () => (existsSync(path.join(stands, 'starts')) ? readFileSync(path.join(stands, 'starts'), 'utf8').trim().split('\n') : []),
    isStanding: () => existsSync(at),
    free: () => rmSync(at, { force: true }),
    killChildren,
    [Symbol.asyncDispose]: () => lifetimes[Symbol.asyncDispose](),
  };
}

/** One file starts in a sixth of the time that its sources take, and here it starts again and again. */
async function bundleEngine(folder: string): Promise<string> {
  await bundle(['test/support/chart-engine.ts', 'server/chartsync/process/launcher-process.mjs'], folder);
  symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules'));
  return path.join(folder, 'chart-engine.mjs');
}

/** A program that does what the real one does, and stands still where it was told to, until it is freed; or fails where it is struck. */
function writeStanding(file: string, real: string, stands: string): void {
  const name = path.basename(file);
  const wait = `while [ -e "${stands}/at" ]; do sleep 0.05; done`;
  // The shell looks for the file itself: an `mv` for each word of each git call was most of what these tests cost. Only one program can move it.
  const stand = (when: string) => `for word in "$@"; do
  told="${stands}/${name} ${when} $word"
  if [ -e "$told" ] && mv "$told" "${stands}/at" 2>/dev/null; then ${wait}; fi
done`;
  const strike = (when: string) => `case "$how" in
  fail-${when}) exit 137 ;;
  kill-${when}) : > "${stands}/at"; ${wait} ;;
esac`;
  const count = `echo "${name} $(echo "$@" | tr '\n' ' ')" >> "${stands}/starts"
how=
if read -r start which < "${stands}/strike" && [ "$(wc -l < "${stands}/starts")" -ge "$start" ] && mv "${stands}/strike" "${stands}/struck"; then how=$which; fi 2>/dev/null`;
  const parts = [
    '#!/bin/sh',
    stand('before'),
    `{ ${count}\n} 2>/dev/null`,
    strike('before'),
    `"${real}" "$@"`,
    'code=$?',
    stand('after'),
    strike('after'),
    'exit $code',
    '',
  ];
  writeFileSync(file, parts.join('\n'));
  chmodSync(file, 0o755);
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has ended since
  }
}
