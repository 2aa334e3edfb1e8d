import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

const HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const;

interface GuardOptions {
  /** Tells whether somebody here takes upgrades on a path. */
  readonly upgrades: (path: string) => boolean;
}

/**
 * Guards a port against what nobody here answers.
 *
 * 1. An upgrade that nobody takes is cut at once. Node leaves such a socket open for ever, and a server that has one never closes.
 * 2. A request for something other than a path of ours is refused before anybody redirects to it.
 * 3. Whatever answers, an answer carries the strictest headers unless the one who answers sets its own.
 *
 * Answers how to end every connection that is open, upgraded ones included.
 */
export function guardPort(server: Server, { upgrades }: GuardOptions): { readonly cutAll: () => void } {
  const open = new Set<Duplex>();
  server.on('connection', (socket: Duplex) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
    if (!upgrades(pathOf(request))) socket.destroy();
  });
  server.prependListener('request', (_request, response) => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  });
  return {
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
    return false;
  }
}
