import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { HttpBindings } from '@hono/node-server';
import { getRequestListener } from '@hono/node-server';
import next from 'next';
import { messageOf } from '@/lib/contract/app-error';
import { PAGE_HEADER } from '@/lib/contract/pages/page-header';
import type { Clock, Log } from '@/server/platform';
import { listenAt } from '@/server/platform';
import type { PeerRequest } from './auth';
import { boundConnections, guardPort, pathOf } from './port-guard';
import { warmPages } from './warm-pages';

/** Paths that the engine answers itself; everything else is a page. */
const OWN_PATHS = /^\/(api\/|api$|metrics$|healthz$|readyz$)/;
const SOCKET_PATH = '/socket.io/';
/** What the build made, which is sent and not computed. */
const FILES = /^\/_next\/static\//;
const PAGES_LIMIT_MS = 60_000;
/** Longer than proxies keep an idle connection (60 s, as nginx and most): the one that asks must be the one that closes, or a request is lost. */
const IDLE_MS = 75_000;

export interface HttpServerOptions {
  readonly host: string;
  readonly port: number;
  readonly development: boolean;
  readonly clock: Clock;
  readonly log: Log;
  /** Why a request must not be answered the way it came. */
  readonly refusedReason: (request: IncomingMessage) => string | undefined;
  /** What strangers are counted as. */
  readonly sourceOf: (from: PeerRequest) => string;
  /** Whether a peer is a proxy that is trusted, which speaks for many. */
  readonly isProxy?: (from: PeerRequest) => boolean;
  /** Files that the process may have open. */
  readonly files?: number | undefined;
  /** True when people come by https. */
  readonly secure: boolean;
  /** The status that a page is answered with where what it is about is not there, or not for whoever asks; undefined for any other. */
  readonly pageStatus: (request: IncomingMessage) => Promise<number | undefined>;
  /** Computes a page when it is the turn of whoever asks; answers the sentence of a refusal. */
  readonly runQueued: (request: IncomingMessage, compute: () => Promise<void>) => Promise<string | undefined>;
  /** Answers the engine's own paths; the bindings carry Node's request, for the peer's address. */
  readonly api: (request: Request, bindings: HttpBindings) => Response | Promise<Response>;
}

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** The one port: engine paths, live sockets (attached by the hub to `server`) and pages. */
export interface HttpServer extends AsyncDisposable {
  readonly server: Server;
  /** Loads every page while nobody can ask for one yet, since that computes for seconds and keeps the turn; in development each is compiled when it is asked for. */
  warm(): Promise<void>;
  /** Starts listening and answers the port. */
  listen(): Promise<number>;
}

/** Pages begin to be sent before they know what they are about, so they say 200 of everything: what they show stays, and the status is this one. */
function answerWith(status: number, response: ServerResponse): void {
  const writeHead = response.writeHead.bind(response) as (code: number, ...rest: unknown[]) => ServerResponse; // one of several overloads
  response.writeHead = ((code: number, ...rest: unknown[]) =>
    writeHead(code === 200 ? status : code, ...rest)) as ServerResponse['writeHead'];
}

/**
 * Loads what Next changes of the process, and takes back its `Date`. Next puts one of its own in place of the global one, for pages that are painted
 * ahead, which none of ours is. Whoever knows dates by their constructor, as the library for rules of definitions does, would know none any more.
 */
export function loadNextWithOwnDate(): void {
  const own = Date;
  createRequire(import.meta.url)('next/dist/server/node-environment');
  globalThis.Date = own;
  own.prototype.constructor = own;
}

/** Builds the HTTP front without listening yet, so that sockets can be attached first. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { host, development, log } = options;
  const server = createServer();
  // Pages take upgrades in development only, where they reload themselves.
  const { refusedReason, secure } = options;
  const guard = guardPort(server, { upgrades: (path) => development || path.startsWith(SOCKET_PATH), refusedReason, secure });
  boundConnections(server, options);
  const apiListener = getRequestListener((request, bindings) => options.api(request, bindings as HttpBindings), {
    overrideGlobalObjects: false,
  });
  loadNextWithOwnDate();
  // Next would hear every upgrade of the port it is given, and print what it cannot read of one. In production it is given a port that nobody listens on.
  const httpServer = development ? server : createServer();
  const app = next({ dev: development, hostname: host, port: options.port, httpServer });
  let handle: Handle | undefined;
  let failure: string | undefined;
  const pages = app.prepare().then(
    () => {
      handle = app.getRequestHandler();
    },
    (error: unknown) => {
      failure = messageOf(error);
      log.error({ error: failure }, 'pages did not start');
    },
  );

  const answerPage = async (request: IncomingMessage, response: ServerResponse) => {
    await pages;
    const answer = handle;
    if (answer === undefined) {
      response.writeHead(503, { 'content-type': 'text/plain' }).end(`The pages did not start: ${failure ?? 'unknown'}`);
      return;
    }
    request.headers[PAGE_HEADER] = request.url; // ours, whatever was sent under that name
    if (FILES.test(pathOf(request))) return answer(request, response);
    const refusal = await options.runQueued(request, () => computePage(request, response, answer));
    if (refusal !== undefined)
      response.writeHead(429, { 'content-type': 'text/plain; charset=utf-8', 'retry-after': '1' }).end(`${refusal}\n`);
  };
  const computePage = async (request: IncomingMessage, response: ServerResponse, answer: Handle) => {
    if (response.destroyed) return; // whoever asked went away while others had their turn
    const status = await options.pageStatus(request);
    if (status !== undefined) answerWith(status, response);
    await answer(request, response);
  };

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const path = pathOf(request);
    if (guard.refuse(request, response)) return;
    if (path === '') {
      response.writeHead(400, { 'content-type': 'text/plain' }).end('The address cannot be read.\n');
      return;
    }
    if (path.startsWith(SOCKET_PATH)) {
      response.writeHead(426, { 'content-type': 'text/plain; charset=utf-8', connection: 'upgrade', upgrade: 'websocket' });
      response.end('Live connections are WebSockets.\n');
      return;
    }
    if (OWN_PATHS.test(path)) {
      void apiListener(request, response);
      return;
    }
    if (!development && request.method !== 'GET' && request.method !== 'HEAD') {
      // Of anything else the body would be read at the pace of whoever sends it, in a turn that others wait for.
      response.writeHead(405, { 'content-type': 'text/plain; charset=utf-8', allow: 'GET, HEAD', connection: 'close' });
      response.end('Pages take GET and HEAD only.\n');
      return;
    }
    answerPage(request, response).catch((error: unknown) => {
      log.error({ path, error: messageOf(error) }, 'page failed');
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  server.requestTimeout = PAGES_LIMIT_MS;
  server.keepAliveTimeout = IDLE_MS;

  return {
    server,
    async warm() {
      if (development) return;
      await pages;
      if (handle !== undefined) await warmPages(handle, options);
    },
    listen: () => listenAt(server, { host, port: options.port }, 'give this server another --port or --host'),
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      guard.cutAll();
      await closed;
      await app.close();
    },
  };
}
