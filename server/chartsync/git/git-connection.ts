import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { shellWord } from '@/lib/std/text/shell-word';
import type { Outbound, Pinned } from '@/server/outbound';
import type { GitAddress, GitRemote } from './address';
import type { NamedCredentials } from './credentials';
import { authorizationOf, secretsOf, sshKeysOf } from './credentials';

/** What git is given for one contact with a repository: where it may connect to and who it is, by files that only it reads. */
export interface ConnectionOptions {
  readonly env: Readonly<Record<string, string>>;
  /** Texts that stand in no sentence about it. */
  readonly secrets: readonly string[];
}

interface ContactsDeps {
  readonly address: GitAddress;
  readonly outbound: Pick<Outbound, 'pin'>;
  /** The credentials as they are now; undefined where none are named. Throws where they cannot be read. */
  readonly readCredentials: () => Promise<NamedCredentials | undefined>;
  /** Where the files of a contact lie while it lasts. */
  readonly folder: string;
}

const PRIVATE = { mode: 0o600 } as const;

/** Makes contact with one repository, each time with the credentials of that time and an address that was judged then. */
export class GitConnections {
  readonly #deps: ContactsDeps;
  #isSwept = false;

  constructor(deps: ContactsDeps) {
    this.#deps = deps;
  }

  /** Runs a task that may talk to the repository; what it is given for that lies on disk no longer than it runs. */
  async run<Result>(signal: AbortSignal, task: (terms: ConnectionOptions) => Promise<Result>): Promise<Result> {
    const { address, outbound, readCredentials } = this.#deps;
    if (address.remote === undefined) return task({ env: {}, secrets: [] });
    const credentials = await readCredentials();
    const pinned = await outbound.pin(address.remote, signal);
    const folder = await this.#open();
    try {
      const make = address.scheme === 'ssh' ? makeSsh : makeHttps;
      return await task({
        env: await make({ address, remote: address.remote, pinned, credentials, folder }),
        secrets: secretsOf(credentials),
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** What a process that was killed left behind goes before the first one of this process. */
  async #open(): Promise<string> {
    const { folder } = this.#deps;
    if (!this.#isSwept) await rm(folder, { recursive: true, force: true });
    this.#isSwept = true;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return mkdtemp(path.join(folder, 'contact-'));
  }
}

interface Making {
  readonly address: GitAddress;
  readonly remote: GitRemote;
  readonly pinned: Pinned;
  readonly credentials: NamedCredentials | undefined;
  readonly folder: string;
}

async function makeHttps({ address, pinned, credentials, folder }: Making): Promise<Readonly<Record<string, string>>> {
  const authorization = credentials === undefined ? undefined : authorizationOf(credentials);
  const at =
    pinned.host === pinned.addresses[0]
      ? []
      : [`\tcurloptResolve = ${pinned.host}:${pinned.port}:${pinned.addresses.map(bracketed).join(',')}`];
  const header =
    authorization === undefined
      ? []
      : [`[http ${quoted(new URL(address.url).origin)}]`, `\textraHeader = ${quoted(`Authorization: ${authorization}`)}`];
  const config = path.join(folder, 'config');
  await writeFile(config, ['[http]', '\tproxy =', ...at, ...header, ''].join('\n'), PRIVATE);
  if (credentials?.ca === undefined) return { GIT_CONFIG_GLOBAL: config };
  const ca = path.join(folder, 'ca.crt');
  await writeFile(ca, credentials.ca, PRIVATE);
  return { GIT_CONFIG_GLOBAL: config, GIT_SSL_CAINFO: ca };
}

/** ssh learns everything from a file, whatever the address says: the name is only what the known hosts are asked for. */
async function makeSsh({ address, remote, pinned, credentials, folder }: Making): Promise<Readonly<Record<string, string>>> {
  const { identity, knownHosts } = sshKeysOf(address, credentials);
  const file = (name: string) => path.join(folder, name);
  await writeFile(file('identity'), `${identity.trimEnd()}\n`, PRIVATE);
  await writeFile(file('known_hosts'), `${knownHosts.trimEnd()}\n`, PRIVATE);
  const settings = {
    ...SSH,
    HostName: pinned.addresses[0],
    Port: String(remote.port),
    HostKeyAlias: remote.port === 22 ? remote.host : `[${remote.host}]:${remote.port}`,
    IdentityFile: sshPath(file('identity')),
    UserKnownHostsFile: sshPath(file('known_hosts')),
    ...(remote.user === undefined ? { User: 'git' } : {}),
  };
  const lines = Object.entries(settings).map(([name, value]) => `  ${name} ${value}`);
  await writeFile(file('ssh_config'), `Host *\n${lines.join('\n')}\n`, PRIVATE);
  // git hands the command to a shell: nothing of it but the name of this folder is not a constant.
  return { GIT_SSH_COMMAND: `ssh -F ${shellWord(file('ssh_config'))}`, GIT_SSH_VARIANT: 'ssh' };
}

/** Nothing is asked, forwarded, looked up elsewhere, or kept. */
const SSH = {
  IgnoreUnknown: 'KnownHostsCommand', // that is of 8.5
  BatchMode: 'yes',
  CanonicalizeHostname: 'no',
  CheckHostIP: 'no',
  ClearAllForwardings: 'yes',
  ConnectTimeout: '20',
  ControlMaster: 'no',
  ControlPath: 'none',
  ForwardAgent: 'no',
  GlobalKnownHostsFile: 'none',
  IdentitiesOnly: 'yes',
  IdentityAgent: 'none',
  KnownHostsCommand: 'none',
  PermitLocalCommand: 'no',
  PreferredAuthentications: 'publickey',
  ProxyCommand: 'none',
  RequestTTY: 'no',
  ServerAliveCountMax: '3',
  ServerAliveInterval: '20',
  StrictHostKeyChecking: 'yes',
  UpdateHostKeys: 'no',
  VerifyHostKeyDNS: 'no',
} as const;

const bracketed = (address: string) => (address.includes(':') ? `[${address}]` : address);
const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;
const sshPath = (file: string) => `"${file.replaceAll('%', '%%')}"`;
