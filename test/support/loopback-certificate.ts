import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** A key, and a certificate that only those trust who are given its authority. */
export interface LoopbackCertificate {
  readonly key: string;
  readonly cert: string;
  readonly ca: string;
}

/** Makes a certificate for names and addresses, by an authority that is made with it. */
export function makeCertificate(names: readonly string[]): LoopbackCertificate {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'slipway-certificate-'));
  const openssl = (...args: readonly string[]) => execFileSync('openssl', [...args], { cwd: folder, stdio: 'ignore' });
  const read = (file: string) => readFileSync(path.join(folder, file), 'utf8');
  try {
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.crt', '-days', '2', '-subj', '/CN=Test authority');
    openssl('req', ...key, '-keyout', 'tls.key', '-out', 'tls.csr', '-subj', '/CN=test');
    const alternatives = names.map((name) => (/^[\d.]+$|:/.test(name) ? `IP:${name}` : `DNS:${name}`));
    writeFileSync(path.join(folder, 'ext'), `subjectAltName=${alternatives.join(',')}\n`);
    openssl(
      'x509',
      '-req',
      '-in',
      'tls.csr',
      '-CA',
      'ca.crt',
      '-CAkey',
      'ca.key',
      '-CAcreateserial',
      '-days',
      '2',
      '-extfile',
      'ext',
      '-out',
      'tls.crt',
    );
    return { key: read('tls.key'), cert: read('tls.crt'), ca: read('ca.crt') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
