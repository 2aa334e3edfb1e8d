import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { PeerRequest } from './auth';

const HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const;

interface GuardOptions {
  /** Tells whether somebody here takes upgrades on a path. */
  readonly upgrades: (path: string) => boolean;
  /** Why a request must not be answered the way it came; undefined where it may. Absent where every way will do. */
  readonly refusedReason?: (request: IncomingMessage) => string | undefined;
  /** True when people come by https: browsers are told never to come otherwise. */
  readonly secure?: boolean;
}

/** What monitors ask: no credential travels with it. */
const PLAIN_PATHS = /^\/(healthz|readyz|metrics)$/;
const HSTS = 'max-age=31536000';

export interface PortGuard {
  /** Answers a request that must not be answered otherwise; false for all others. */
  refuse(request: IncomingMessage, response: ServerResponse): boolean;
  readonly cutAll: () => void;
}

/**
 * Guards a port against what nobody here answers.
 *
 * 1. An upgrade that nobody takes is cut at once. Node leaves such a socket open for ever, and a server that has one never closes.
 * 2. A request for something other than a path of ours is refused before anybody redirects to it.
 * 3. A request that came a way on which no credential must travel is refused, unless it is what monitors ask.
 * 4. Whatever answers, an answer carries the strictest headers unless the one who answers sets its own.
 *
 * Answers how to end every connection that is open, upgraded ones included.
 */
export function guardPort(server: Server, { upgrades, refusedReason, secure = false }: GuardOptions): PortGuard {
  const open = new Set<Duplex>();
  server.on('connection', (socket: Duplex) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
    if (!upgrades(pathOf(request)) || refusedReason?.(request) !== undefined) socket.destroy();
  });
  server.prependListener('request', (_request, response) => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    if (secure) response.setHeader('strict-transport-security', HSTS);
  });
  return {
    refuse(request, response) {
      const why = PLAIN_PATHS.test(pathOf(request)) ? undefined : refusedReason?.(request);
      if (why === undefined) return false;
      response.writeHead(403, { 'content-type': 'text/plain; charset=utf-8' }).end(`${why}\n`);
      return true;
    },
    cutAll() {
      for (const socket of open) socket.destroy();
    },
  };
}

/** The path of a request; empty for a target that is none, such as `*` or the address of another server. */
export function pathOf({ url = '' }: Pick<IncomingMessage, 'url'>): string {
  const path = url.split('?', 1)[0] ?? '';
  return path.startsWith('/') && isReadable(path) ? path : '';
}

function isReadable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false; // escaped as no address is
  }
}

/** Connections of one source from which a whole request has yet to come: browsers have a handful, and send at once. */
const MOST_OWED = 512;

interface OwedRequestsOptions {
  /** What a connection counts as before it has sent anything. */
  readonly sourceOf: (from: PeerRequest) => string;
  readonly most?: number | undefined;
}

/**
 * Ends connections that were opened and send nothing, or the first half of a request, where one source has many: each takes a file of the process and memory for
 * a minute. The one that has been owing for longest gives way, so that whoever comes behind the same proxy, and sends at once, is answered.
 */
export function boundOwedRequests(server: Server, { sourceOf, most = MOST_OWED }: OwedRequestsOptions): void {
  const owing = new Map<string, Set<Duplex>>();
  const sources = new WeakMap<Duplex, string>();

  const pay = (connection: Duplex) => {
    const source = sources.get(connection) ?? '';
    const owed = owing.get(source);
    owed?.delete(connection);
    if (owed?.size === 0) owing.delete(source);
  };
  const owe = (connection: Duplex) => {
    const source = sources.get(connection) ?? '';
    const owed = owing.get(source) ?? new Set();
    owing.set(source, owed);
    owed.delete(connection);
    owed.add(connection); // the oldest is first
    const [oldest] = owed;
    if (owed.size > most && oldest !== undefined) oldest.destroy();
  };

  server.on('connection', (connection) => {
    sources.set(connection, sourceOf({ headers: {}, socket: connection }));
    connection.once('close', () => pay(connection));
    owe(connection);
  });
  server.prependListener('upgrade', (_request, connection) => pay(connection));
  server.prependListener('request', (request) => {
    if (!hasBody(request)) return pay(request.socket);
    owe(request.socket);
    request.once('close', () => pay(request.socket));
  });
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
