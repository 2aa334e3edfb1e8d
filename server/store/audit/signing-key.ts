import type { KeyObject } from 'node:crypto';
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { AppError, messageOf } from '@/lib/contract/app-error';
import type { AuditHead } from '@/lib/contract/audit-head';
import { signedText } from '@/lib/contract/audit-head';
import { writeAtomically } from './write-atomically';

/** An Ed25519 key that signs heads of the record. */
export interface SigningKey {
  /** SPKI in base64. */
  readonly publicKey: string;
  sign(text: string): string;
}

/** The key that signs now, and the one before it where it is still at hand: it vouches for its successor. */
export interface SigningKeys {
  readonly current: SigningKey;
  readonly former: SigningKey | undefined;
}

/** A key that ends with the process, for a store that does too. */
export function temporaryKeys(): SigningKeys {
  return { current: toSigningKey(generateKeyPairSync('ed25519').privateKey), former: undefined };
}

/**
 * The key of a file that was named, for instance one of a mounted Secret; else that of the data folder, made on first use and readable by us
 * alone. A key that is to be replaced is renamed to `former-key.pem`, or stays while another file is named: then it vouches for the new one.
 */
export async function openSigningKeys(folder: string, named: string | undefined): Promise<SigningKeys> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const own = path.join(folder, 'key.pem');
  const former = await readKey(path.join(folder, 'former-key.pem'));
  if (named !== undefined) {
    const current = await readKey(named);
    if (current === undefined)
      throw new AppError('invalid', `--audit-key must be a file with an Ed25519 private key, found no file ${named}`);
    return { current, former: (await readKey(own)) ?? former };
  }
  return { current: (await readKey(own)) ?? (await makeKey(own)), former };
}

async function makeKey(file: string): Promise<SigningKey> {
  const { privateKey } = generateKeyPairSync('ed25519');
  await writeAtomically(file, privateKey.export({ format: 'pem', type: 'pkcs8' }).toString());
  return toSigningKey(privateKey);
}

async function readKey(file: string): Promise<SigningKey | undefined> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType === 'ed25519') return toSigningKey(key);
    throw new Error(`it is of type ${key.asymmetricKeyType}`);
  } catch (error) {
    // A key that cannot be read is never replaced in silence: what it signed would hold no more.
    throw new AppError('invalid', `the audit key must be an Ed25519 private key in PEM, but ${file} is not: ${messageOf(error)}`);
  }
}

function toSigningKey(key: KeyObject): SigningKey {
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64');
  return { publicKey, sign: (text) => sign(null, Buffer.from(text), key).toString('base64') };
}

/** Signs a head. */
export function signHead(key: SigningKey, head: Omit<AuditHead, 'publicKey' | 'signature'>): AuditHead {
  const unsigned = { ...head, publicKey: key.publicKey };
  return { ...unsigned, signature: key.sign(signedText(unsigned)) };
}
