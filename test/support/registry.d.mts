import type { LoopbackCertificate } from './loopback-certificate';

interface Options {
  readonly certificate: LoopbackCertificate;
  /** A line of an htpasswd file, by bcrypt. */
  readonly htpasswd: string;
  readonly port: number;
}

export function startRegistry(options: Options): Promise<AsyncDisposable>;
