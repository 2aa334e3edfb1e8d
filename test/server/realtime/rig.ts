import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Socket } from 'socket.io-client';
import { io } from 'socket.io-client';
import type { ClientEvents, Keyed, Seq, ServerEvents, SubscribeAnswer, WindowDelta } from '@/lib/contract/live';
import { createOrigins } from '@/server/auth';
import type { AuthDeps } from '@/server/auth/auth';
import type { Clock, Registry } from '@/server/platform';
import { createMetrics, realClock } from '@/server/platform';
import type { ReadModel } from '@/server/readmodel';
import { createHub } from '@/server/realtime';
import type { Hub } from '@/server/realtime/hub';
import type { OpenForward } from '@/server/realtime/socket-forwards';
import type { OpenTerminal } from '@/server/realtime/socket-terminals';
import { silentLog } from '../../support/silent-log';
import type { FakeReadModel } from '../api/fake-read-model';
import { createFakeReadModel } from '../api/fake-read-model';
import type { FakeRules } from '../auth/fake-cluster';
import type { AuthRig } from '../auth/rig';
import { cookieOf, createAuthRig } from '../auth/rig';

export type Client = Socket<ServerEvents, ClientEvents>;

export interface Seen {
  readonly client: Client;
  readonly rows: { readonly topic: string; readonly delta: WindowDelta<Keyed> }[];
  readonly resets: string[];
  readonly ended: string[];
}

export interface HubRig extends AuthRig, AsyncDisposable {
  readonly hub: Hub;
  readonly readModel: FakeReadModel;
  readonly metrics: Registry;
  readonly port: number;
  readonly cookie: string;
  /** A browser that connects; it has not yet when this returns. */
  connect(over?: { readonly headers?: Record<string, string> }): Seen;
}

/** The hub on a real socket on loopback, over a fake read model. */
export async function startHub(
  options: {
    readonly topics?: Readonly<Record<string, readonly Keyed[]>>;
    readonly rules?: FakeRules;
    readonly clock?: Clock;
    /** Serves these rows instead of those of the topics. */
    readonly shown?: ReadModel;
    /** How people sign in, where it is not by the printed token over a fake cluster. */
    readonly auth?: Partial<AuthDeps>;
    readonly token?: string;
    readonly openTerminal?: OpenTerminal;
    readonly openForward?: OpenForward;
    /** What listens at the port before the hub does. */
    readonly prepare?: (server: Server) => void;
  } = {},
): Promise<HubRig> {
  const httpServer = createServer();
  options.prepare?.(httpServer);
  await new Promise<void>((resolve) => httpServer.listen(0, '127.0.0.1', resolve));
  const { port } = httpServer.address() as AddressInfo;
  const clock = options.clock ?? realClock;
  const base = createAuthRig(options.rules, { clock, ...options.auth });
  const cookie = cookieOf((await base.auth.signIn(options.token ?? base.auth.firstToken ?? '')).setCookie);
  const readModel = createFakeReadModel(options.topics);
  const metrics = createMetrics();
  const origins = createOrigins({ publicUrl: undefined, host: '127.0.0.1', port: () => port });
  const hub = createHub({
    maxSockets: 20,
    maxSubscriptions: 200,
    httpServer,
    readModel: options.shown ?? readModel,
    auth: base.auth,
    openTerminal: options.openTerminal ?? (() => Promise.reject(new Error('there are no terminals here'))),
    openForward: options.openForward ?? (() => Promise.reject(new Error('nothing is forwarded here'))),
    origins,
    clock,
    log: silentLog,
    metrics,
  });
  const clients: Client[] = [];
  return {
    ...base,
    hub,
    readModel,
    metrics,
    port,
    cookie,
    connect({ headers = { cookie } } = {}) {
      const client: Client = io(`http://127.0.0.1:${port}`, {
        path: '/socket.io/',
        transports: ['websocket'],
        forceNew: true,
        reconnection: false,
        extraHeaders: headers,
      });
      clients.push(client);
      const seen: Seen = { client, rows: [], resets: [], ended: [] };
      client.on('rows', (topic, delta) => seen.rows.push({ topic, delta }));
      client.on('reset', (topic) => seen.resets.push(topic));
      client.on('ended', (reason) => seen.ended.push(reason));
      return seen;
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.disconnect();
      await hub[Symbol.asyncDispose]();
      httpServer.closeAllConnections();
      await new Promise<void>((resolve) => httpServer.close(() => resolve()));
    },
  };
}

/** Whether a client gets in: its error, or nothing. */
export function admission({ client }: Seen): Promise<string | undefined> {
  return new Promise((resolve) => {
    client.once('connect', () => resolve(undefined));
    client.once('connect_error', (error) => resolve(error.message));
  });
}

export function subscribe({ client }: Seen, topic: string, since?: Seq): Promise<SubscribeAnswer> {
  return new Promise((resolve) => client.emit('subscribe', { topic, ...(since ? { since } : {}) }, resolve));
}
