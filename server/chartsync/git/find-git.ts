import type { Clock } from '@/server/platform';
import { childEnvironment, withTimeout } from '@/server/platform';
import { runProcess } from '../process/run-process';

interface Search {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const LIMIT_MS = 10_000;
/** The first that connects where it is told to (`http.curloptResolve`). */
const OLDEST = [2, 37] as const;

/** Why git cannot be used; undefined when it can. */
export async function noGitReason({ clock, signal }: Search): Promise<string | undefined> {
  const wanted = `git ${OLDEST.join('.')} or newer is required`;
  const call = { command: 'git', args: ['--version'], env: { ...childEnvironment(), HOME: '/nonexistent' }, cwd: '/' };
  try {
    const { stdout } = await withTimeout({ clock, ms: LIMIT_MS, signal, what: 'git --version' }, (limit) =>
      runProcess({ ...call, signal: limit, maxBytes: 4096, graceMs: 1000, clock }),
    );
    const version = stdout.trim().replace('git version ', '');
    return isUsable(version) ? undefined : `${wanted}, but the one on the PATH is ${version || 'of unknown version'}`;
  } catch {
    // Not there, not to be run, too slow: for whoever wants it here, it is not on the PATH.
    signal.throwIfAborted();
    return `${wanted}, but none is on the PATH`;
  }
}

/** True for a version that serves. */
export function isUsable(version: string): boolean {
  const [, major = 0, minor = 0] = /^(\d+)\.(\d+)/.exec(version)?.map(Number) ?? [];
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}
