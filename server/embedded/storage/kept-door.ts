import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readNumber, readString } from '@/lib/kube/fields';
import type { Instant } from '@/lib/std/instant';
import type { Certificate } from '../http/certificate';

/** By what clients know a door, and where they find it. */
export interface KeptDoor {
  readonly certificate: Certificate;
  /** Bearer token with all rights. */
  readonly token: string;
  readonly port: number;
}

const FILE = 'door.json';

/** The door of the last start, which whatever outlived that still knocks at; undefined where there was none, or none that can be used. */
export function readDoor(dataDir: string, now: Instant): KeptDoor | undefined {
  try {
    const read: unknown = JSON.parse(readFileSync(path.join(dataDir, FILE), 'utf8'));
    const [key = '', cert = '', token = ''] = ['key', 'cert', 'token'].map((member) => readString(read, member));
    const known = new X509Certificate(cert);
    const isValid = known.checkPrivateKey(createPrivateKey(key)) && Date.parse(known.validTo) > now;
    return isValid && token !== '' ? { certificate: { key, cert }, token, port: readNumber(read, 'port') ?? 0 } : undefined;
  } catch {
    return undefined; // a new one is made
  }
}

/** Keeps a door for the next start, for its owner's eyes only. */
export function keepDoor(dataDir: string, { certificate, token, port }: KeptDoor): void {
  const draft = path.join(dataDir, `${FILE}.new`);
  rmSync(draft, { force: true }); // of a start that was killed, open to whomever it was
  writeFileSync(draft, JSON.stringify({ ...certificate, token, port }), { mode: 0o600 });
  renameSync(draft, path.join(dataDir, FILE));
}
