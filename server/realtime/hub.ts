import type { Server as HttpServer, IncomingMessage } from 'node:http';
import { Server } from 'socket.io';
import { messageOf } from '@/lib/contract/app-error';
import type { ClientEvents, Keyed, ServerEvents, WindowDelta } from '@/lib/contract/live';
import { inParallel } from '@/lib/std/in-parallel';
import type { Auth, Origins, Session } from '@/server/auth';
import type { Clock, Log, Registry, Release } from '@/server/platform';
import { Counter, createRateLimiter, Gauge } from '@/server/platform';
import type { ReadModel } from '@/server/readmodel';
import { boundConnections, terminate } from './bound-connections';
import type { OpenForward } from './socket-forwards';
import { SocketForwards } from './socket-forwards';
import type { OpenTerminal } from './socket-terminals';
import { SocketTerminals } from './socket-terminals';
import type { LiveSocket } from './subscriber';
import { Subscriber } from './subscriber';
import { createTopics } from './topics';

/** From the beginning of one look at all rights to that of the next, so that one which is withdrawn ends within five seconds. */
const CHECK_EVERY_MS = 4000;
const AT_ONCE = 16;
/** A page that hears nothing for longer says so within ten seconds. */
const PING_MS = 5000;
/** A pause of the network ends no terminal and no forwarded port before. */
const PATIENCE_MS = 20_000;
/** All pages of a person that connect anew at once stay below it. */
const MAX_MESSAGES = 600;
const WINDOW_MS = 10_000;
const LARGEST_MESSAGE = 10_000;
/** Connections beyond the limit that are taken so that they can be told of it. */
const SPARE = 5;

/** What the hub stands on. */
export interface HubDeps {
  readonly httpServer: HttpServer;
  readonly readModel: ReadModel;
  readonly auth: Auth;
  readonly openTerminal: OpenTerminal;
  readonly openForward: OpenForward;
  readonly origins: Origins;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Registry;
  /** Sockets of one person at a time. */
  readonly maxSockets: number;
  /** Topics that one socket watches at a time. */
  readonly maxSubscriptions: number;
}

/** The one socket endpoint: it sends rows and takes subscriptions, and carries terminals and forwarded ports; nothing else. */
export interface Hub extends AsyncDisposable {
  /** Browsers that are connected now. */
  connected(): number;
}

/** Attaches the hub to a server; who connects must come from a page of ours and be signed in. */
export function createHub(deps: HubDeps): Hub {
  const { httpServer, auth, clock, log } = deps;
  const admitted = new WeakMap<IncomingMessage, Session>();
  const subscribers = new Map<string, Subscriber>();
  const held = new Map<string, readonly [SocketTerminals, SocketForwards]>();
  // A new topic is computed over every row there is: a person may ask for so many, over however many sessions and sockets.
  const allowance = createRateLimiter(clock, { most: MAX_MESSAGES, windowMs: WINDOW_MS });
  const counters = createCounters(deps.metrics, () => ({ sockets: subscribers.size, topics: topics.count() }));
  const evaluate = async (request: IncomingMessage, decide: (refusal: string | null, welcome: boolean) => void) => {
    try {
      const session = await admit(request, deps);
      if (session !== undefined) admitted.set(request, session);
      decide(session === undefined ? 'sign in first' : null, session !== undefined);
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'a connection could not be authorised');
      decide('try again', false);
    }
  };
  const listeners = httpServer.listeners('request') as (() => void)[]; // what listens is a function
  const io = new Server<ClientEvents, ServerEvents>(httpServer, {
    path: '/socket.io/',
    serveClient: false,
    destroyUpgrade: false, // pages have sockets of their own in development
    transports: ['websocket'],
    pingInterval: PING_MS,
    pingTimeout: PATIENCE_MS,
    maxHttpBufferSize: LARGEST_MESSAGE,
    perMessageDeflate: false,
    allowRequest: (request, decide) => void evaluate(request, decide),
  });
  // Sockets come by upgrades alone. What else is asked at this path would be answered past the guard of the port, and without its headers.
  httpServer.removeAllListeners('request');
  for (const listener of listeners) httpServer.on('request', listener);

  const topics = createTopics(deps.readModel, clock, (room, topic, delta: WindowDelta<Keyed>) => {
    for (const id of [...(io.sockets.adapter.rooms.get(room) ?? [])]) {
      if (subscribers.get(id)?.takes(topic) === false) counters.resets.inc();
    }
    counters.deltas.inc();
    io.to(room).emit('rows', topic, delta); // encoded once for everybody
  });

  const forwarding = new WeakMap<LiveSocket['conn'], SocketForwards>();
  const isForwarding = (connection: LiveSocket['conn']) => forwarding.get(connection)?.isOpen === true;
  boundConnections(io.engine, { userOf: (request) => admitted.get(request)?.user, isForwarding, clock, most: deps.maxSockets + SPARE });
  io.on('connection', (socket: LiveSocket) => {
    const session = admitted.get(socket.request);
    if (session === undefined) {
      socket.disconnect(true);
      return;
    }
    if (socketsOf(io, session).size >= deps.maxSockets) {
      const why = `${session.user} has ${deps.maxSockets} live connections, which is the limit for one person: close a tab.`;
      socket.emit('ended', why, 'reload');
      socket.disconnect(true);
      return;
    }
    void socket.join(personRoom(session));
    const { maxSubscriptions } = deps;
    const forwards = new SocketForwards({ socket, session, open: deps.openForward, log });
    forwarding.set(socket.conn, forwards);
    const uncounted = (message: unknown) => forwards.carries(message);
    subscribers.set(socket.id, new Subscriber({ socket, session, auth, topics, clock, log, allowance, uncounted, maxSubscriptions }));
    held.set(socket.id, [new SocketTerminals({ socket, session, open: deps.openTerminal, log }), forwards]);
    endWithSession(socket, session, auth, (why) => {
      for (const holding of held.get(socket.id) ?? []) holding.release(why);
      held.delete(socket.id);
      subscribers.get(socket.id)?.release();
      subscribers.delete(socket.id);
    });
  });

  const stopChecks = keepChecking(clock, log, async () => {
    // Answers of this look will do for all tabs of a person, older ones for none.
    const notBefore = clock.now();
    await inParallel([...io.sockets.sockets.values()], AT_ONCE, async (socket) => {
      // Looking the session up notices one that was ended elsewhere, and other groups. One that cannot be looked up keeps nobody else's from it.
      const session = await auth.readSession(socket.request.headers.cookie).catch((error: unknown) => {
        log.warn({ error: messageOf(error) }, 'a session could not be looked up');
        return undefined;
      });
      if (session === undefined) return;
      for (const holding of held.get(socket.id) ?? []) await holding.recheck(session, notBefore);
      await subscribers.get(socket.id)?.checkRights(session, notBefore);
    });
  });

  return {
    connected: () => subscribers.size,
    async [Symbol.asyncDispose]() {
      stopChecks();
      io.disconnectSockets(true);
      topics.release();
      // The HTTP server is not ours to close.
      io.engine.close();
      io.removeAllListeners();
    },
  };
}

/** The session of a handshake; a page that is not ours is turned away whatever cookie its browser sends along. */
async function admit(request: IncomingMessage, { auth, origins }: HubDeps): Promise<Session | undefined> {
  const { origin, host, cookie } = request.headers;
  if (origin !== undefined && !origins.isOurs(origin, host)) return undefined;
  return auth.readSession(cookie);
}

/** Cuts a browser off when its session ends, and cleans up when it leaves, whichever comes first. */
function endWithSession(socket: LiveSocket, session: Session, auth: Auth, cleanUp: (why: string) => void): void {
  let unlisten: Release = () => undefined;
  socket.on('disconnect', (how) => {
    unlisten();
    cleanUp('the page was closed');
    // Who leaves the only room that there is has no use for the connection, and would be counted nowhere.
    if (how === 'client namespace disconnect') terminate(socket.conn);
  });
  unlisten = auth.onEnd(session, (reason) => {
    cleanUp(reason);
    socket.emit('ended', reason);
    socket.disconnect(true);
  });
}

/** All sockets of a person, over however many sessions. */
const personRoom = ({ user }: Session) => `person ${user}`;

function socketsOf(io: Server<ClientEvents, ServerEvents>, session: Session): ReadonlySet<string> {
  return io.sockets.adapter.rooms.get(personRoom(session)) ?? new Set();
}

function createCounters(registry: Registry, now: () => { readonly sockets: number; readonly topics: number }) {
  const registers = [registry];
  new Gauge({
    name: 'slipway_live_sockets',
    help: 'Browsers connected',
    registers,
    collect() {
      this.set(now().sockets);
    },
  });
  new Gauge({
    name: 'slipway_live_topics',
    help: 'Topics that at least one person watches',
    registers,
    collect() {
      this.set(now().topics);
    },
  });
  return {
    deltas: new Counter({ name: 'slipway_live_deltas_total', help: 'Deltas sent, each once for all who watch its topic', registers }),
    resets: new Counter({ name: 'slipway_live_slow_resets_total', help: 'Topics reset because a browser did not keep up', registers }),
  };
}

/** Repeats a check until it is stopped; one that fails is tried again at the next time. */
function keepChecking(clock: Clock, log: Log, check: () => Promise<void>): Release {
  let cancel: Release = () => undefined;
  let stopped = false;
  const next = (inMs: number) => {
    cancel = clock.schedule(inMs, () => {
      const begun = clock.now();
      check()
        .catch((error: unknown) => log.warn({ error: messageOf(error) }, 'sessions could not be checked'))
        .finally(() => stopped || next(Math.max(0, begun + CHECK_EVERY_MS - clock.now())));
    });
  };
  next(CHECK_EVERY_MS);
  return () => {
    stopped = true;
    cancel();
  };
}
