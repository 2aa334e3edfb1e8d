import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '@/lib/contract/app-error';
import type { Clock } from '@/server/platform';
import { childEnvironment, withTimeout } from '@/server/platform';

import { runProcess } from '../process/run-process';

/** A Helm that can be used. */
export interface FoundHelm {
  readonly kind: 'found';
  readonly command: string;
  readonly version: string;
  readonly major: 3 | 4;
}

/** Why none can be used, with what mends it. */
export interface MissingHelm {
  readonly kind: 'missing';
  readonly why: string;
}

interface Search {
  /** The one that was named; nothing else is looked at then. */
  readonly named: string | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** `npm run helm` puts it here. */
const OWN_FOLDER = '.tools';
const LIMIT_MS = 10_000;
/** The first with a dry run on the server. */
const OLDEST_MINOR_OF_3 = 13;

/** Finds Helm where it was named, else on the PATH, else in `.tools`. */
export async function findHelm({ named, clock, signal }: Search): Promise<FoundHelm | MissingHelm> {
  const folders = [...(childEnvironment().PATH ?? '').split(path.delimiter).filter((folder) => folder !== ''), OWN_FOLDER];
  const candidates = named === undefined ? folders.map((folder) => path.resolve(folder, 'helm')) : [path.resolve(named)];
  const refused: string[] = [];
  for (const command of candidates) {
    if (!(await isExecutable(command))) continue;
    const { version, why } = await readVersion(command, { clock, signal });
    const major = usableMajor(version ?? '');
    if (version !== undefined && major !== undefined) return { kind: 'found', command, version, major };
    refused.push(
      version === undefined ? `${command} does not report its version${why === undefined ? '' : `: ${why}`}` : `${command} is ${version}`,
    );
  }
  const where = named === undefined ? 'neither on the PATH nor in .tools' : `not at ${named}`;
  const found = refused.length === 0 ? `Helm is ${where}` : `Helm 3.13 or newer is required, but ${refused.join(', ')}`;
  return { kind: 'missing', why: found };
}

/** The major version of a Helm that serves; undefined for one that does not. */
export function usableMajor(version: string): 3 | 4 | undefined {
  const [, major, minor] = /^v?(\d+)\.(\d+)\./.exec(version) ?? [];
  if (major === '4') return 4;
  return major === '3' && Number(minor) >= OLDEST_MINOR_OF_3 ? 3 : undefined;
}

function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false, // not there, or not ours to run: the next place is looked at
  );
}

async function readVersion(
  command: string,
  { clock, signal }: Pick<Search, 'clock' | 'signal'>,
): Promise<{ readonly version?: string; readonly why?: string }> {
  const call = { command, args: ['version', '--template', '{{.Version}}'], env: { ...childEnvironment(), HOME: '/nonexistent' }, cwd: '/' };
  try {
    const { code, stdout } = await withTimeout({ clock, ms: LIMIT_MS, signal, what: 'helm version' }, (limit) =>
      runProcess({ ...call, signal: limit, maxBytes: 4096, graceMs: 1000, clock }),
    );
    return code === 0 ? { version: stdout.trim() } : { why: `it ended with code ${code}` };
  } catch (error) {
    signal.throwIfAborted();
    return { why: messageOf(error) };
  }
}
