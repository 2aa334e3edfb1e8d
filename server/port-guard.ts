import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

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
  readonly whyRefused?: (request: IncomingMessage) => string | undefined;
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
export function guardPort(server: Server, { upgrades, whyRefused, secure = false }: GuardOptions): PortGuard {
  const open = new Set<Duplex>();
  server.on('connection', (socket: Duplex) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
    if (!upgrades(pathOf(request)) || whyRefused?.(request) !== undefined) socket.destroy();
  });
  server.prependListener('request', (_request, response) => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    if (secure) response.setHeader('strict-transport-security', HSTS);
  });
  return {
    refuse(request, response) {
      const why = PLAIN_PATHS.test(pathOf(request)) ? undefined : whyRefused?.(request);
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
