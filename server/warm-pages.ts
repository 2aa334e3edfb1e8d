import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer, request } from 'node:http';
import { duplexPair } from 'node:stream';
import { AppError, messageOf } from '@/lib/contract/app-error';
import type { Clock, Log } from '@/server/platform';
import { withTimeout } from '@/server/platform';
import type { Reads } from '@/server/runtime';
import { installRuntime } from '@/server/runtime';

/**
 * The first page of the console: with it comes what all pages are made of, some 400 ms of computing. What another page is made of besides, sign-in
 * too, takes less than 50 ms, and has time until it is asked for.
 */
const WARMED = '/';
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
 * Renders a page once, for nobody, before the port listens: a server that listens would answer nobody meanwhile. A page that fails here fails
 * again, and louder, when it is asked for.
 */
export async function warmPages(handle: Handle, { clock, log }: WarmDeps): Promise<void> {
  installRuntime({ signIn: 'local', bootId: '', reads: async () => NOBODY });
  const { signal } = new AbortController();
  const rendering = withTimeout({ clock, ms: PAGE_LIMIT_MS, signal, what: `the page ${WARMED}` }, (limit) =>
    render((asked, response) => void handle(asked, response).catch(() => response.destroy()), WARMED, limit),
  );
  await rendering.catch((error: unknown) => log.debug({ path: WARMED, error: messageOf(error) }, 'the page was not warmed'));
}

/** Asks a listener over a wire that is nowhere outside this process. */
function render(listener: RequestListener, path: string, signal: AbortSignal): Promise<void> {
  const [here, there] = duplexPair();
  const server = createServer((asked, response) => {
    response.once('close', () => {
      if (!response.writableFinished) here.destroy(new Error('the page did not answer'));
    });
    listener(asked, response);
  });
  server.emit('connection', there);
  return new Promise((resolve, reject) => {
    const asked = request({
      path,
      headers: { host: 'localhost', accept: 'text/html', connection: 'close' },
      createConnection: () => here,
      signal,
    });
    asked.on('error', reject);
    asked.on('response', (response) => {
      response.resume();
      response.on('end', resolve);
      response.on('error', reject);
    });
    asked.end();
  });
}
