import type { Clock } from '@/server/platform';
import { childEnvironment } from '@/server/platform';
import { runProcess } from '../process/run-process';
import type { GitAddress } from './address';

const MAX_BYTES = 64 * 1024 * 1024;
const GRACE_MS = 5000;
/** Nothing of a repository runs anything here, and nothing but the one scheme is spoken, redirects included. */
const SAFE = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.symlinks': 'true',
  'http.followRedirects': 'false',
  'submodule.recurse': 'false',
  'gc.autoDetach': 'false',
  'protocol.allow': 'never',
  'safe.directory': '*',
} as const;

export interface GitCall {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** Runs git without a shell, a terminal, a hook, or anybody's configuration; throws what it says on standard error. */
export class GitBinary {
  readonly #scheme: GitAddress['scheme'];
  readonly #home: string;
  readonly #clock: Clock;

  constructor({ scheme, home, clock }: { readonly scheme: GitAddress['scheme']; readonly home: string; readonly clock: Clock }) {
    this.#scheme = scheme;
    this.#home = home;
    this.#clock = clock;
  }

  /** The standard output of a git command that succeeded. */
  async run({ args, cwd, signal, env = {}, input }: GitCall): Promise<string> {
    const config = Object.entries({ ...SAFE, [`protocol.${this.#scheme}.allow`]: 'always' });
    const result = await runProcess({
      command: 'git',
      args: ['--literal-pathspecs', ...config.flatMap(([name, value]) => ['-c', `${name}=${value}`]), ...args],
      env: { ...childEnvironment(), ...this.#environment(), ...env },
      cwd,
      signal,
      maxBytes: MAX_BYTES,
      graceMs: GRACE_MS,
      clock: this.#clock,
      ...(input === undefined ? {} : { input }),
    });
    if (result.code !== 0) throw new Error(sentenceOf(result.stderr, args[0] ?? 'git'));
    return result.stdout;
  }

  #environment(): Readonly<Record<string, string>> {
    return {
      HOME: this.#home,
      LC_ALL: 'C',
      GIT_TERMINAL_PROMPT: '0',
      GIT_ASKPASS: 'true',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_ATTR_NOSYSTEM: '1',
      GIT_SSH_COMMAND: 'ssh -F none -o BatchMode=yes -o StrictHostKeyChecking=yes',
    };
  }
}

/** What git says last, without the credentials that an address may hold. */
function sentenceOf(stderr: string, command: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const told = lines.filter((line) => /^(fatal|error):/.test(line));
  const text = (told.length > 0 ? told : lines.slice(-2)).join(' ').slice(0, 500);
  return text === '' ? `git ${command} failed without saying why` : text.replace(/\/\/[^/@\s]*@/g, '//');
}
