import path from 'node:path';
import { AppError } from '@/lib/contract/app-error';
import { withoutCredentials } from '@/lib/kube/mask';
import { canonicalHost } from '@/server/outbound';

/** An address of a git repository that may be used, and what it is called where credentials do not belong. */
export interface GitAddress {
  readonly url: string;
  readonly shown: string;
  readonly scheme: 'https' | 'ssh' | 'file';
  /** Where it is reached; absent for a repository of this machine's disk. */
  readonly remote: GitRemote | undefined;
}

export interface GitRemote {
  readonly host: string;
  readonly port: number;
  /** Who signs in, where the address says so. */
  readonly user: string | undefined;
}

const SCP_LIKE = /^(?:(?<user>[^@\s]*)@)?(?<host>[\w.-]+):(?!\/\/)(?<path>[^\s]+)$/;
const USER = /^[A-Za-z0-9_][\w.+-]*$/;
const PORTS = { https: 443, ssh: 22 } as const;

/**
 * Reads an address: https, ssh, or the short form of that. Files only below a folder of our own, and not where copies of repositories lie, which others
 * may have had fetched with their credentials; everything else is refused with a sentence.
 */
export function readGitAddress(written: string, filesBelow: string | undefined, copiesBelow?: string): GitAddress {
  if (written.startsWith('-')) throw refused(written);
  const short = written.includes('://') ? undefined : SCP_LIKE.exec(written)?.groups;
  if (short !== undefined && !written.includes('::')) return readShort(written, short);
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (url?.protocol === 'https:' || url?.protocol === 'ssh:') return readUrl(url, url.protocol === 'https:' ? 'https' : 'ssh');
  if (url?.protocol === 'file:' && url.host === '' && filesBelow !== undefined) {
    const file = decodeURIComponent(url.pathname);
    const isCopy = copiesBelow !== undefined && isBelow(file, copiesBelow);
    if (isBelow(file, filesBelow) && !isCopy) return { url: written, shown: written, scheme: 'file', remote: undefined };
  }
  throw refused(written);
}

function readShort(written: string, { user, host = '', path: at = '' }: Readonly<Record<string, string | undefined>>): GitAddress {
  return { url: written, shown: `${host}:${at}`, scheme: 'ssh', remote: remoteOf({ host, port: PORTS.ssh, user }) };
}

/** The address is written anew from its parts, so that git reads none of them otherwise than they were read here. */
function readUrl(url: URL, scheme: 'https' | 'ssh'): GitAddress {
  if (url.password !== '')
    throw new AppError('invalid', 'an address of a git repository must not contain a password: put credentials into a Secret');
  if (url.search !== '' || url.hash !== '')
    throw new AppError('invalid', 'an address of a git repository must have neither a query nor a fragment');
  const port = url.port === '' ? PORTS[scheme] : Number(url.port);
  const remote = remoteOf({
    host: decodeURIComponent(url.hostname).replace(/^\[|\]$/g, ''),
    port,
    user: decodeURIComponent(url.username) || undefined,
  });
  const place = `${bracketed(remote.host)}${port === PORTS[scheme] ? '' : `:${port}`}`;
  const shown = `${scheme}://${place}${url.pathname}`;
  const user = scheme === 'ssh' && remote.user !== undefined ? `${remote.user}@` : '';
  return { url: `${scheme}://${user}${place}${url.pathname}`, shown, scheme, remote };
}

/** An address as people are shown it: whoever wrote it may have put credentials into it. */
export function shownAddress(written: string): string {
  try {
    return readGitAddress(written, '/').shown;
  } catch {
    return (
      withoutCredentials(written)
        .replace(/\/\/[^@/]*@/, '//')
        .split(/[?#]/, 1)[0] ?? ''
    );
  }
}

function remoteOf({ host: written, port, user }: GitRemote): GitRemote {
  const host = canonicalHost(written);
  if (host === undefined)
    throw new AppError('invalid', `an address of a git repository needs a host name, found ${JSON.stringify(written)}`);
  if (user !== undefined && !USER.test(user))
    throw new AppError('invalid', 'an address of a git repository needs a plain user name before its host');
  return { host, port, user };
}

function isBelow(file: string, folder: string): boolean {
  const relative = path.relative(path.resolve(folder), path.resolve(file));
  return relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
}

const bracketed = (host: string) => (host.includes(':') ? `[${host}]` : host);

function refused(written: string): AppError {
  const scheme = /^([a-z+.-]+):/i.exec(written)?.[1]?.toLowerCase();
  return new AppError(
    'invalid',
    scheme === 'https' || scheme === 'ssh'
      ? `an address of a git repository must be ${scheme}://HOST/PATH, found another form`
      : `an address of a git repository must be https:// or ssh://, found ${scheme === undefined ? 'no scheme' : `${scheme}:`}`,
  );
}
