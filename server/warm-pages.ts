import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer, request } from 'node:http';
import { duplexPair } from 'node:stream';
import { AppError, messageOf } from '@/lib/contract/app-error';
import type { Clock, Log } from '@/server/platform';
import { within } from '@/server/platform';
import type { Reads } from '@/server/runtime';
import { installRuntime } from '@/server/runtime';

/**
 * The first page anybody sees, and the first of the console: with them comes what all pages are made of, some 450 ms of computing. What another
 * page is made of besides takes less than 50 ms, and has time until it is asked for.
 */
const WARMED = ['/sign-in', '/'] as const;
const PAGE_LIMIT_MS = 10_000;

/** Nobody: what pages are rendered with before anybody can ask for one. */
const NOBODY: Reads = {
  session: { user: '', groups: [], mode: 'local', mayInvite: false, expiresAt: '' },
  snapshot: () => Promise.reject(new AppError('unavailable', 'the server starts')),
  rights: async () => undefined,
};

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

interface WarmDeps {
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Renders pages once, for nobody, before the port listens: a server that listens would answer nobody meanwhile. A page that fails here fails
 * again, and louder, when it is asked for.
 */
export async function warmPages(handle: Handle, { clock, log }: WarmDeps): Promise<void> {
  installRuntime({ signIn: 'local', bootId: '', reads: async () => NOBODY });
  const { signal } = new AbortController();
  for (const path of WARMED) {
    const rendering = within({ clock, ms: PAGE_LIMIT_MS, signal, what: `the page ${path}` }, (limit) =>
      render((asked, response) => void handle(asked, response).catch(() => response.destroy()), path, limit),
    );
    await rendering.catch((error: unknown) => log.debug({ path, error: messageOf(error) }, 'a page was not warmed'));
  }
}

/** Asks a listener over a wire that is nowhere outside this process. */
function render(listener: RequestListener, path: string, signal: AbortSignal): Promise<void> {
  const [here, there] = duplexPair();
  const server = createServer((asked, response) => {
    response.once('close', () => {
      if (!response.writableFinished) here.destroy(new Error('the page was not answered'));
    });
    listener(asked, response);
  });
  server.emit('connection', there);
  return new Promise((resolve, reject) => {
    const asked = request({ path, headers: { host: 'localhost', accept: 'text/html', connection: 'close' }, createConnection: () => here, signal });
    asked.on('error', reject);
    asked.on('response', (response) => {
      response.resume();
      response.on('end', resolve);
      response.on('error', reject);
    });
    asked.end();
  });
}
