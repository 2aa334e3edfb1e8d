import type { Server as HttpServer, IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import next from 'next';
import { Server } from 'socket.io';
import { AppError, isAppError } from '@/lib/contract/app-error';
import type { ClientEvents, ServerEvents } from '@/lib/contract/live';
import type { SessionView } from '@/lib/contract/requests';
import { loadNextWithOwnDate } from '@/server/http-server';
import { installRuntime } from '@/server/runtime';
import { fixtureApi } from './fixture/api';
import { rightsIn } from './fixture/rights';
import type { Scene, SceneRows } from './fixture/scene';
import { makeScene, SCENES } from './fixture/scene';

const ROOT = path.resolve(import.meta.dirname, '../..');
const SESSION: SessionView = {
  user: 'operator',
  groups: ['slipway:operators'],
  mode: 'local',
  mayInvite: true,
  expiresAt: '2099-01-01T00:00:00Z',
};

export interface FixtureServer extends AsyncDisposable {
  readonly url: string;
}

/** The scene a browser looks at: its cookie says so, else the server's own. `signed-out` has no session. */
function sceneOf(cookieHeader: string | null | undefined, fallback: Scene): Scene | 'signed-out' {
  const named = /(?:^|;\s*)fixture_scene=([a-z-]+)/.exec(cookieHeader ?? '')?.[1];
  if (named === 'signed-out') return named;
  return SCENES.find((scene) => scene === named) ?? fallback;
}

interface FixtureOptions {
  readonly port?: number;
  readonly dev?: boolean;
  readonly scene?: Scene;
  /** Answers requests in place of the fixture, by their path; undefined leaves one to it. */
  readonly answers?: (pathname: string) => Response | undefined;
}

/** The real pages on made-up rows: no engine, no cluster. `GET /fixture?scene=…` picks a scene for this browser. */
export async function startFixtureServer({
  port = 0,
  dev = false,
  scene: fallback = 'full',
  answers,
}: FixtureOptions = {}): Promise<FixtureServer> {
  const scenes = new Map(SCENES.map((scene): [Scene, SceneRows] => [scene, makeScene(scene, Date.now())]));
  const rowsFor = (cookieHeader: string | null | undefined): SceneRows | undefined => {
    const scene = sceneOf(cookieHeader, fallback);
    return scene === 'signed-out' ? undefined : scenes.get(scene);
  };
  installRuntime({
    bootId: 'fixture',
    signIn: 'local',
    reads: async (cookieHeader) => {
      const rows = rowsFor(cookieHeader);
      if (rows === undefined) return undefined;
      // A page that waits for ever would never paint: what loads and what fails is left to the browser to read.
      const snapshot: SceneRows['snapshot'] = (topic) =>
        topic !== 'status' && rows.scene === 'loading'
          ? Promise.reject(new AppError('unavailable', 'It is still being read.'))
          : rows.snapshot(topic);
      return { session: SESSION, snapshot, rights: async (of) => rightsIn(rows.scene, of) };
    },
  });
  const httpServer = createServer();
  await new Promise<void>((resolve) => httpServer.listen(port, '127.0.0.1', resolve));
  const address = httpServer.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  const io = serveLive(httpServer, rowsFor);
  const fixture = fixtureApi({ rowsFor, session: SESSION, push: (topic, delta) => void io.to(topic).emit('rows', topic, delta) });
  const api = getRequestListener((request: Request) => answers?.(new URL(request.url).pathname) ?? fixture.fetch(request), {
    overrideGlobalObjects: false,
  });
  loadNextWithOwnDate();
  const app = next({ dev, dir: ROOT, hostname: '127.0.0.1', port: bound, httpServer });
  const handle = app.getRequestHandler();
  const ready = app.prepare();
  httpServer.on('request', (req, res) => {
    const { pathname } = new URL(req.url ?? '/', 'http://fixture');
    if (pathname.startsWith('/socket.io/')) return;
    if (pathname.startsWith('/api/') || pathname === '/fixture') return void api(req, res);
    void ready.then(() => handle(req, res));
  });
  await ready;
  return {
    url: `http://127.0.0.1:${bound}`,
    [Symbol.asyncDispose]: async () => {
      await io.close();
      httpServer.closeAllConnections();
      await app.close();
    },
  };
}

function serveLive(
  httpServer: HttpServer,
  rowsFor: (cookieHeader: string | undefined) => SceneRows | undefined,
): Server<ClientEvents, ServerEvents> {
  const io = new Server<ClientEvents, ServerEvents>(httpServer, { path: '/socket.io/', serveClient: false, destroyUpgrade: false });
  io.on('connection', (socket) => {
    const rows = rowsFor((socket.request as IncomingMessage).headers.cookie);
    socket.on('subscribe', ({ topic, since }, answer) => {
      if (rows === undefined) return answer({ kind: 'refused', code: 'unauthenticated', message: 'You are not signed in.' });
      void socket.join(topic);
      if (since?.bootId === 'fixture' && since.seq === rows.seq) return answer({ kind: 'resumed', delta: null });
      rows.snapshot(topic).then(
        (snapshot) => answer({ kind: 'snapshot', snapshot }),
        (error: unknown) => answer({ kind: 'refused', code: 'invalid', message: isAppError(error) ? error.message : 'It cannot be read.' }),
      );
    });
    socket.on('unsubscribe', (topic) => void socket.leave(topic));
  });
  return io;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const server = await startFixtureServer({ port: Number(process.env.PORT ?? 0), dev: process.env.NODE_ENV === 'development' });
  console.log(server.url);
}
