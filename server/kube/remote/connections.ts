import type { Dispatcher } from 'undici';
import { AppError } from '@/lib/contract/app-error';
import type { Clock } from '@/server/platform';
import { monotonicMsOf } from '@/server/platform';
import { KubeTransportError } from '../errors';
import type { Access, ReadAccess, TlsFiles } from './credentials';

const ACCESS_AGE_MS = 30_000;
const AFRESH_PAUSE_MS = 5_000;
const CONNECTIONS = 32;
const CONNECT_TIMEOUT_MS = 10_000;
const ANSWER_TIMEOUT_MS = 65_000; // a little more than the server's own limit of a minute
const KEEP_ALIVE_MS = 30_000;
const NO_LIMIT = 0;

/** Short requests share a few connections; each stream (watch, log) has one of its own and may be silent as long as it likes. */
export interface Dispatchers {
  readonly short: Dispatcher;
  readonly stream: Dispatcher;
}

/** Loaded with the first connection: a server that drives a cluster of its own starts without it. */
type Library = typeof import('undici');

/** Open connections to one API server, with the credentials that belong to them. */
export interface Connections extends AsyncDisposable {
  /**
   * The lanes and the access of this moment. Without `certificate` our client certificate is not shown: the API server
   * believes a certificate before it looks at a token, so a person's token sent beside it would act as us.
   */
  current(options: { readonly certificate: boolean }): Promise<{ readonly access: Access; readonly lanes: Dispatchers }>;
  /** Forgets remembered credentials because the server refused them; true when it is worth trying again. */
  refresh(): boolean;
}

interface Opened {
  readonly access: Access;
  readonly own: Dispatchers;
  readonly bare: Dispatchers;
}

/** Keeps the connections of one API server and replaces them when certificates, address or proxy change. */
export function createConnections(readAccess: ReadAccess, clock: Clock): Connections {
  let opened: Opened | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let afreshAt = Number.NEGATIVE_INFINITY;
  let afresh = false;
  let reading: Promise<Opened> | undefined;
  let closed = false;

  async function read(): Promise<Opened> {
    const [access, library] = await Promise.all([readAccess({ afresh }), import('undici')]);
    afresh = false;
    readAt = monotonicMsOf(clock);
    if (opened !== undefined && sameRoute(opened.access, access)) {
      opened = { ...opened, access };
    } else {
      const former = opened;
      const open = (tls: TlsFiles) => openLanes(library, access, tls);
      opened = { access, own: open(access.tls), bare: open(withoutCertificate(access.tls)) };
      if (former) void close(former); // requests under way end on the connections they began on
    }
    return opened;
  }

  return {
    async current({ certificate }) {
      if (closed) throw new KubeTransportError('the connections to the API server are closed');
      if (opened === undefined || afresh || monotonicMsOf(clock) - readAt > ACCESS_AGE_MS) {
        reading ??= read().finally(() => {
          reading = undefined;
        });
        await reading;
      }
      if (opened === undefined) throw new KubeTransportError('the connections to the API server are closed');
      return { access: opened.access, lanes: certificate ? opened.own : opened.bare };
    },
    refresh() {
      if (monotonicMsOf(clock) - afreshAt < AFRESH_PAUSE_MS) return false;
      afreshAt = monotonicMsOf(clock);
      afresh = true;
      return true;
    },
    async [Symbol.asyncDispose]() {
      closed = true;
      await reading?.catch(() => undefined); // whoever asked for them is told
      const last = opened;
      opened = undefined;
      if (last) await Promise.all(lanesOf(last).map((lane) => lane.destroy()));
    },
  };
}

const lanesOf = (of: Opened) => [of.own.short, of.own.stream, of.bare.short, of.bare.stream];

async function close(former: Opened): Promise<void> {
  await Promise.allSettled(lanesOf(former).map((lane) => lane.close()));
}

function openLanes(library: Library, access: Access, tls: TlsFiles): Dispatchers {
  const open = (limits: Limits) => openLane(library, access, { ...limits, tls });
  return {
    short: open({ connections: CONNECTIONS, headersTimeout: ANSWER_TIMEOUT_MS, bodyTimeout: ANSWER_TIMEOUT_MS }),
    stream: open({ headersTimeout: ANSWER_TIMEOUT_MS, bodyTimeout: NO_LIMIT }),
  };
}

interface Limits {
  readonly connections?: number;
  readonly headersTimeout: number;
  readonly bodyTimeout: number;
}

function openLane(
  { Pool, ProxyAgent, Socks5ProxyAgent }: Library,
  access: Access,
  { tls, ...limits }: Limits & { readonly tls: TlsFiles },
): Dispatcher {
  const { origin } = new URL(access.server);
  const connect = { ...tls, timeout: CONNECT_TIMEOUT_MS, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS };
  const options = { ...limits, keepAliveTimeout: KEEP_ALIVE_MS };
  if (!access.proxyUrl) return new Pool(origin, { ...options, connect });
  // Both proxies apply these to the tunnelled connection; the types of the second leave it out.
  const tunnelled = { ...options, requestTls: connect };
  if (access.proxyUrl.startsWith('socks')) return new Socks5ProxyAgent(access.proxyUrl, tunnelled);
  if (/^https?:/.test(access.proxyUrl)) return new ProxyAgent({ ...tunnelled, uri: access.proxyUrl });
  throw new AppError('invalid', `proxy-url of the kubeconfig must be http, https or socks5, found ${access.proxyUrl}`);
}

function withoutCertificate(tls: TlsFiles): TlsFiles {
  const { cert: _cert, key: _key, ...rest } = tls;
  return rest;
}

function sameRoute(left: Access, right: Access): boolean {
  return (
    left.server === right.server &&
    left.proxyUrl === right.proxyUrl &&
    left.tls.servername === right.tls.servername &&
    left.tls.rejectUnauthorized === right.tls.rejectUnauthorized &&
    sameBytes(left.tls.ca, right.tls.ca) &&
    sameBytes(left.tls.cert, right.tls.cert) &&
    sameBytes(left.tls.key, right.tls.key)
  );
}

function sameBytes(left: Buffer | undefined, right: Buffer | undefined): boolean {
  return left === right || (left !== undefined && right !== undefined && left.equals(right));
}
