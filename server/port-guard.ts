import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
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
const MAX_OWED = 512;
/** Connections of one source, whatever they do: without --trusted-proxies a company that comes from one address is one. */
const MAX_OF_SOURCE = 2_000;
const MAX_IN_ALL = 10_000;
/** What is not read for so long is not waited for. */
const UNREAD_MS = 60_000;

export interface ConnectionBounds {
  /** What a connection counts as before it has sent anything. */
  readonly sourceOf: (from: PeerRequest) => string;
  /** Whether a peer is a proxy that is trusted, which speaks for many. */
  readonly isProxy?: (from: PeerRequest) => boolean;
  /** Files that the process may have open: connections take half of them at most, since engines need some as well. */
  readonly files?: number | undefined;
  readonly most?: { readonly owed?: number; readonly ofSource?: number; readonly inAll?: number } | undefined;
  readonly unreadMs?: number;
}

/** What a connection does: it owes the rest of a request, is being answered or is a socket, or waits for its next request. */
type Doing = 'owing' | 'busy' | 'idle';

interface Connection {
  readonly socket: Duplex;
  readonly source: string;
  doing: Doing;
  /** Requests that are being answered; a socket is one that never ends. */
  answering: number;
}

/** Connections by what they do, each the oldest first. */
class Connections {
  readonly owing = new Set<Connection>();
  readonly busy = new Set<Connection>();
  readonly idle = new Set<Connection>();

  get size(): number {
    return this.owing.size + this.busy.size + this.idle.size;
  }

  /** The one that has been idle for longest, else the one that has owed a request for longest. */
  get first(): Connection | undefined {
    const [first] = this.idle.size > 0 ? this.idle : this.owing;
    return first;
  }
}

/** Those that are open, of each source and of all. */
class OpenConnections {
  readonly #all = new Connections();
  readonly #sources = new Map<string, Connections>();
  readonly #bySocket = new Map<Duplex, Connection>();

  of(socket: Duplex): Connection | undefined {
    return this.#bySocket.get(socket);
  }

  get size(): number {
    return this.#all.size;
  }

  with(source: string): Connections {
    return this.#sources.get(source) ?? new Connections();
  }

  add(socket: Duplex, source: string): Connection {
    const connection: Connection = { socket, source, doing: 'owing', answering: 0 };
    this.#bySocket.set(socket, connection);
    this.#sources.set(source, this.with(source));
    this.move(connection, 'owing');
    return connection;
  }

  /** Puts it behind those that do the same. */
  move(connection: Connection, doing: Doing): void {
    const own = this.#sources.get(connection.source);
    if (own === undefined || !this.#bySocket.has(connection.socket)) return;
    for (const held of [own, this.#all]) {
      held[connection.doing].delete(connection);
      held[doing].add(connection);
    }
    connection.doing = doing;
  }

  remove(connection: Connection): void {
    const own = this.with(connection.source);
    for (const held of [own, this.#all]) held[connection.doing].delete(connection);
    if (own.size === 0) this.#sources.delete(connection.source);
    this.#bySocket.delete(connection.socket);
  }

  end(connection: Connection | undefined): void {
    if (connection === undefined) return;
    this.remove(connection);
    connection.socket.destroy();
  }

  /** Which of all makes room for a new one: of its own source where that has more than its share, else whichever waits, else of the source that has the most. */
  givingWayTo(connection: Connection): Connection | undefined {
    const own = this.with(connection.source);
    if (own.size * this.#sources.size > this.#all.size) return own.first;
    const waiting = this.#all.first;
    if (waiting !== connection) return waiting;
    let largest = own;
    for (const other of this.#sources.values()) if (other.size > largest.size) largest = other;
    const [busy] = largest.busy;
    return busy ?? connection;
  }
}

/**
 * Ends connections where there are too many: each takes a file of the process and memory. The one that has been idle for longest gives way, then the one
 * that has owed a request for longest, so that whoever sends a request at once is answered.
 */
export function boundConnections(server: Server, { sourceOf, isProxy, files, most = {}, unreadMs = UNREAD_MS }: ConnectionBounds): void {
  const { owed = MAX_OWED } = most;
  const inAll = Math.min(most.inAll ?? MAX_IN_ALL, Math.floor((files ?? Number.POSITIVE_INFINITY) / 2));
  const ofSource = Math.min(most.ofSource ?? MAX_OF_SOURCE, Math.ceil(inAll / 2));
  const open = new OpenConnections();

  const owe = (connection: Connection) => {
    open.move(connection, 'owing');
    const { owing } = open.with(connection.source);
    const [oldest] = owing;
    if (owing.size > owed) open.end(oldest);
  };
  const settle = (connection: Connection) => open.move(connection, connection.answering > 0 ? 'busy' : 'idle');

  server.on('connection', (socket: Socket) => {
    const from: PeerRequest = { headers: {}, socket };
    const connection = open.add(socket, sourceOf(from));
    socket.once('close', () => open.remove(connection));
    owe(connection);
    const own = open.with(connection.source);
    if (own.size > ofSource && isProxy?.(from) !== true) open.end(own.first);
    if (open.size > inAll) open.end(open.givingWayTo(connection));
  });
  server.prependListener('upgrade', (_request: IncomingMessage, socket: Duplex) => {
    const connection = open.of(socket);
    if (connection === undefined) return;
    connection.answering++;
    open.move(connection, 'busy');
  });
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const connection = open.of(request.socket);
    if (connection === undefined) return;
    connection.answering++;
    response.once('close', () => {
      connection.answering--;
      if (connection.doing !== 'owing') settle(connection);
    });
    if (!hasBody(request)) return open.move(connection, 'busy');
    owe(connection);
    request.once('close', () => settle(connection));
  });
  // Whoever does not read what is sent would keep it for ever; what is computed for long is waited for.
  server.setTimeout(unreadMs, (socket) => {
    if (socket.writableLength > 0 || (open.of(socket)?.answering ?? 0) === 0) socket.destroy();
  });
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
