import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readNumber, readString } from '@/lib/kube/fields';
import type { Instant } from '@/lib/std/instant';
import type { Certificate } from '../http/certificate';

/** By what clients know the endpoint of the embedded cluster, and where they find it. */
export interface KeptEndpoint {
  readonly certificate: Certificate;
  /** Bearer token with all rights. */
  readonly token: string;
  readonly port: number;
}

const FILE = 'endpoint.json';

/** The endpoint of the last start, which clients that outlived it still call; undefined where there was none, or none that can be used. */
export function readEndpoint(dataDir: string, now: Instant): KeptEndpoint | undefined {
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

/** Keeps the endpoint for the next start, for its owner's eyes only. */
export function keepEndpoint(dataDir: string, { certificate, token, port }: KeptEndpoint): void {
  const draft = path.join(dataDir, `${FILE}.new`);
  rmSync(draft, { force: true }); // of a start that was killed, open to whomever it was
  writeFileSync(draft, JSON.stringify({ ...certificate, token, port }), { mode: 0o600 });
  renameSync(draft, path.join(dataDir, FILE));
}
