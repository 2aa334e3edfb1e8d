import { AppError } from '@/lib/contract/app-error';
import type { GitAddress } from './address';

/** What a Secret with the keys of Flux says, as far as it is there. */
export interface Credentials {
  readonly username?: string;
  readonly password?: string;
  readonly bearerToken?: string;
  readonly identity?: string;
  readonly knownHosts?: string;
  readonly ca?: string;
}

/** Credentials, and what they are called in sentences. */
export interface NamedCredentials extends Credentials {
  /** Such as `Secret deploy-key in pay`. */
  readonly name: string;
}

/** A header has no other characters than these. */
const TOKEN = /^[\x21-\x7e]+$/;

/** Reads the entries of a Secret (`username`, `password`, `identity`, `known_hosts`, `bearerToken`, `ca.crt`). */
export function readCredentials(name: string, data: Readonly<Record<string, string>>): NamedCredentials {
  const entry = <Key extends keyof Credentials>(key: Key, from: string): Pick<Credentials, Key> | object =>
    data[from] ? { [key]: data[from] } : {};
  return {
    name,
    ...entry('username', 'username'),
    ...entry('password', 'password'),
    ...entry('bearerToken', 'bearerToken'),
    ...entry('identity', 'identity'),
    ...entry('knownHosts', 'known_hosts'),
    ...entry('ca', 'ca.crt'),
  };
}

/** The `Authorization` that they make; undefined where they hold none. Throws a sentence for a half of them. */
export function authorizationOf({ name, username, password, bearerToken }: NamedCredentials): string | undefined {
  if (bearerToken !== undefined) {
    if (!TOKEN.test(bearerToken.trim())) throw new AppError('invalid', `bearerToken of ${name} needs one line of plain characters`);
    return `Bearer ${bearerToken.trim()}`;
  }
  if (password === undefined && username === undefined) return undefined;
  if (password === undefined || username === undefined) {
    throw new AppError(
      'invalid',
      `${name} needs both username and password, and ${username === undefined ? 'username' : 'password'} is not in it`,
    );
  }
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** Key and known hosts of a repository by ssh; throws a sentence for what lacks or cannot be used without a person. */
export function sshKeysOf(
  address: GitAddress,
  credentials: NamedCredentials | undefined,
): Required<Pick<Credentials, 'identity' | 'knownHosts'>> {
  const { host = '' } = address.remote ?? {};
  if (credentials === undefined) {
    throw new AppError('invalid', `${address.shown} is reached by ssh, which needs a Secret with identity and known_hosts`);
  }
  const { name, identity, knownHosts } = credentials;
  if (knownHosts === undefined) throw new AppError('invalid', `${name} has no known_hosts: without them ${host} cannot be verified`);
  if (identity === undefined) throw new AppError('invalid', `${name} has no identity, the private key for ${host}`);
  if (isEncrypted(identity)) throw new AppError('invalid', `identity of ${name} has a passphrase, which the server cannot enter`);
  return { identity, knownHosts };
}

/** All texts of credentials that no sentence may hold. */
export function secretsOf(credentials: NamedCredentials | undefined): readonly string[] {
  if (credentials === undefined) return [];
  const { password, bearerToken, identity } = credentials;
  const made = [password, bearerToken].some((text) => text !== undefined) ? [authorizationOf(credentials)?.split(' ')[1]] : [];
  return [password, bearerToken?.trim(), identity, ...made].filter((text): text is string => text !== undefined && text !== '');
}

/** A key in the format of OpenSSH names its cipher at its beginning; the older formats say it in their head. */
function isEncrypted(identity: string): boolean {
  if (/^(Proc-Type: .*ENCRYPTED|-----BEGIN ENCRYPTED PRIVATE KEY-----)/m.test(identity)) return true;
  const body = /-----BEGIN OPENSSH PRIVATE KEY-----([\s\S]*?)-----END/.exec(identity)?.[1];
  if (body === undefined) return false;
  const bytes = Buffer.from(body.replace(/\s/g, ''), 'base64');
  const magic = 'openssh-key-v1\0';
  if (bytes.subarray(0, magic.length).toString('latin1') !== magic) return false;
  const length = bytes.length >= magic.length + 4 ? bytes.readUInt32BE(magic.length) : 0;
  return bytes.subarray(magic.length + 4, magic.length + 4 + length).toString('latin1') !== 'none';
}
