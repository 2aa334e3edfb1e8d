import type { Clock } from '@/server/platform';
import { childEnvironment } from '@/server/platform';
import { diskFullIn, MAKE_ROOM } from '../process/disk-full';
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
  'http.sslVerify': 'true',
  'http.lowSpeedLimit': '100',
  'http.lowSpeedTime': '60',
  'transfer.bundleURI': 'false',
  'fetch.unpackLimit': '1', // so that all that comes is in packs, whose size is watched
  'credential.helper': '',
  'submodule.recurse': 'false',
  'core.packedGitLimit': '256m',
  'core.packedGitWindowSize': '32m',
  'pack.threads': '1',
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
  /** Texts that stand in no sentence about it. */
  readonly secrets?: readonly string[];
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
  async run({ args, cwd, signal, env = {}, input, secrets = [] }: GitCall): Promise<string> {
    const config = Object.entries({ ...SAFE, [`protocol.${this.#scheme}.allow`]: 'always' });
    const result = await runProcess({
      command: 'git',
      args: ['--literal-pathspecs', ...config.flatMap(([name, value]) => ['-c', `${name}=${value}`]), ...args],
      env: { ...withoutProxies(childEnvironment()), ...this.#environment(), ...env },
      cwd,
      signal,
      maxBytes: MAX_BYTES,
      graceMs: GRACE_MS,
      clock: this.#clock,
      ...(input === undefined ? {} : { input }),
    });
    if (result.code !== 0) throw new Error(sentenceOf(result.stderr, { command: commandOf(args), secrets }));
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
      GIT_SSH_COMMAND: 'false', // a contact says how
    };
  }
}

/** A proxy looks names up by itself, so that what was judged would not be what is connected to. */
function withoutProxies(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/_proxy$/i.test(name)));
}

function commandOf(args: readonly string[]): string {
  return args.find((arg) => !arg.startsWith('-')) ?? 'git';
}

/** ssh says why before git says that; git's own line only tells that something went wrong. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/Host key verification failed|No .*host key is known/, 'its host key is not in known_hosts'],
  [/Permission denied \(/, 'it rejects the identity'],
  [/ssh: connect to host .*: (.*)/, 'it could not be reached'],
  // Whoever answers chooses where a redirect leads, and git would send the credentials along.
  [/The requested URL returned error: 30\d/, 'it redirects to another address, which is not followed; name that address instead'],
  [/unable to write file/, `it could not be written to the disk of the server, which may be full; ${MAKE_ROOM}`], // git does not say why
  [/error in libcrypto|invalid format/, 'the identity is not a private key that ssh can read'],
];

/** git tells a transfer that ended early in several lines, of which each is about another part of itself. */
const CUT_OFF = /early EOF|unexpected disconnect while reading sideband packet|RPC failed; curl (18|56)\b/;

/** What git says last, without credentials and without the addresses that a name leads to. */
function sentenceOf(stderr: string, { command, secrets }: { readonly command: string; readonly secrets: readonly string[] }): string {
  const reason =
    REASONS.find(([pattern]) => pattern.test(stderr))?.[1] ??
    diskFullIn(stderr) ??
    (CUT_OFF.test(stderr) ? 'the connection ended before all of it had arrived' : undefined);
  if (reason !== undefined) return `the repository could not be read: ${reason}`;
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const told = lines.filter((line) => /^(fatal|error):/.test(line));
  let text = told.length > 0 ? joined(told) : lines.slice(-2).join(' ');
  // Masked before it is cut: nobody knows a secret by its half.
  for (const secret of secrets) text = text.replaceAll(secret, '[masked]');
  const shown = text.replace(/\/\/[^/@\s]*@/g, '//').slice(0, 500);
  return shown === '' ? `git ${command} failed without an error message` : shown;
}

/** Several lines of git as one sentence: each once, without the stop at its end, and what only says that it is an error at the start alone. */
function joined(lines: readonly string[]): string {
  const [first = '', ...rest] = new Set(lines.map((line) => line.replace(/\.$/, '')));
  return [first, ...rest.map((line) => line.replace(/^(fatal|error): /, ''))].join('; ');
}
