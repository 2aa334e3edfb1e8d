import type { QueryClient } from '@tanstack/react-query';
import type { Socket } from 'socket.io-client';
import { io } from 'socket.io-client';
import type { ClientEvents, Keyed, ServerEvents, SubscribeAnswer, WindowDelta, WindowSnapshot } from '@/lib/contract/live';
import { formatTopic } from '@/lib/contract/topic';
import { readString } from '@/lib/kube/fields';
import { t } from '@/lib/words/catalogue/console/live';
import { showAllHidden, showHidden } from '@/lib/words/show-hidden';
import type { Connection, ConnectionEvent } from './connection';
import { nextConnection } from './connection';
import { foldPushed } from './fold-window';
import { liveKey, refuseTopic } from './live-query';
import { isUnreachable } from './request';
import type { TerminalClient } from './terminal-client';
import { createTerminalClient } from './terminal-client';

type LiveSocket = Socket<ServerEvents, ClientEvents>;
type HeldWindow = WindowSnapshot<Keyed>;

/** The server gives a sign of life every five seconds; after this long without any, what is shown may be old. */
const SILENT_MS = 8000;
const CHECK_INTERVAL_MS = 1000;
/** The topic that says which cluster the server shows. */
const STATUS = formatTopic({ kind: 'status' });

/** The part of a socket we use, so that tests can stand in for it. */
export type SocketLike = Pick<LiveSocket, 'on' | 'emit' | 'connect' | 'disconnect' | 'connected'> & {
  readonly io: Pick<LiveSocket['io'], 'on'>;
};

export interface LiveClientDeps {
  readonly queries: QueryClient;
  readonly socket: SocketLike;
  readonly now: () => number;
  /** Asks the server by a plain request whether the session still lasts. */
  readonly askSession: () => Promise<'lasts' | 'ended' | 'no-answer'>;
}

export interface LiveClient {
  /** Counts a watcher of the topic; the topic is subscribed while there is one. */
  watch(topic: string): () => void;
  readonly connection: () => Connection;
  onConnection(listener: () => void): () => void;
  start(): () => void;
  readonly terminals: TerminalClient;
}

/** Opens the page's one socket; nothing is connected before `start`. */
export function openSocket(): LiveSocket {
  return io({ path: '/socket.io/', autoConnect: false, transports: ['websocket'], reconnectionDelay: 300, reconnectionDelayMax: 4000 });
}

/**
 * Keeps watched topics in the query cache in step with the server.
 *
 * 1. A topic is subscribed once, however many components watch it.
 * 2. After every (re)connect all watched topics subscribe with the position they hold; until all have answered we are catching up.
 * 3. A reset, another boot or a gap reads the topic again; nothing is ever patched together over a hole.
 * 4. A server that comes back with another cluster ends the connection: nothing of that cluster is taken into a page of the one before.
 * 5. Offline since the last moment at which anything was heard: that nothing comes any more is noticed later, and what is shown is of before. A connection
 *    that is silent is kept all the same, for the terminals on it; it is live again with the next sign of life.
 */
export function createLiveClient({ queries, socket, now, askSession }: LiveClientDeps): LiveClient {
  const watchers = new Map<string, number>();
  const behind = new Set<string>();
  const listeners = new Set<() => void>();
  const terminals = createTerminalClient(socket);
  let connection: Connection = { kind: 'connecting' };
  let heardAt = now();

  const move = (event: ConnectionEvent) => {
    const next = nextConnection(connection, event);
    if (next === connection) return;
    connection = next;
    // What is not pushed and was asked for while nobody answered would stay a failure beside a page that is live again.
    if (next.kind === 'live') void queries.refetchQueries({ type: 'active', predicate: ({ state }) => isUnreachable(state.error) });
    for (const listener of listeners) listener();
  };

  const hear = () => {
    heardAt = now();
    if (socket.connected && connection.kind === 'offline') move({ kind: 'connected', at: heardAt, topics: behind.size });
  };

  const noticeSilence = () => {
    if (socket.connected && now() - heardAt > SILENT_MS) move({ kind: 'lost', at: heardAt, reason: t.theServerDoesNotAnswer });
  };

  const caughtUp = (topic: string) => {
    behind.delete(topic);
    if (behind.size === 0) move({ kind: 'caught-up' });
  };

  const held = (topic: string) => queries.getQueryData<HeldWindow>(liveKey(topic));

  const fold = (topic: string, delta: WindowDelta<Keyed>) => {
    const outcome = foldPushed(held(topic), showAllHidden(delta));
    if (outcome.kind === 'folded') queries.setQueryData(liveKey(topic), outcome.window);
    if (outcome.kind === 'read-again') subscribe(topic, 'afresh');
  };

  const take = (topic: string, answer: SubscribeAnswer) => {
    if (connection.kind === 'ended') return;
    if (answer.kind === 'snapshot') {
      if (topic === STATUS && isOfAnotherCluster(held(topic), answer.snapshot)) return leave();
      // What follows on the socket builds on this window, whatever was read by other ways meanwhile.
      queries.setQueryData<HeldWindow>(liveKey(topic), showAllHidden(answer.snapshot));
    } else if (answer.kind === 'resumed') {
      if (answer.delta) fold(topic, answer.delta);
    } else {
      refuseTopic(queries, { topic, code: answer.code, message: showHidden(answer.message), details: answer.details });
    }
    caughtUp(topic);
  };

  const leave = () => {
    move({ kind: 'ended', reason: t.theServerShowsAnotherCluster, remedy: 'reload' });
    socket.disconnect();
  };

  function subscribe(topic: string, from: 'held' | 'afresh', then = () => {}): void {
    const since = from === 'held' ? held(topic)?.seq : undefined;
    socket.emit('subscribe', { topic, ...(since ? { since } : {}) }, (answer) => {
      if (watchers.has(topic)) take(topic, answer);
      if (connection.kind !== 'ended') then();
    });
  }

  /** Subscribes all watched topics, after the one that says of which cluster they are. */
  const subscribeAll = () => {
    const rest = () => {
      for (const topic of watchers.keys()) if (topic !== STATUS) subscribe(topic, 'held');
    };
    if (watchers.has(STATUS)) subscribe(STATUS, 'held', rest);
    else rest();
  };

  socket.io.on('ping', hear);
  socket.on('connect', () => {
    heardAt = now();
    behind.clear();
    for (const topic of watchers.keys()) behind.add(topic);
    move({ kind: 'connected', at: now(), topics: behind.size });
    subscribeAll();
  });
  socket.on('disconnect', (reason) => {
    terminals.lose();
    move({ kind: 'lost', at: heardAt, reason: t.theConnectionToTheServer });
    // The library comes back by itself from everything but a goodbye; a server that restarts says one too.
    if (reason === 'io server disconnect' && connection.kind !== 'ended') socket.connect();
  });
  socket.on('connect_error', () => {
    const lose = (answers: boolean) =>
      move({ kind: 'lost', at: now(), reason: answers ? t.noLiveConnection : t.theServerDoesNotAnswer, answers });
    if (connection.kind !== 'offline' || connection.answers !== true) lose(false);
    // A refused handshake looks like a server that is away, and so does a proxy that lets no socket through.
    void askSession().then((session) => {
      if (session === 'ended') move({ kind: 'ended', reason: t.yourSessionHasEnded });
      else if (!socket.connected) lose(session === 'lasts');
    });
  });
  socket.on('rows', (topic, delta) => {
    hear();
    fold(topic, delta);
  });
  socket.on('reset', (topic) => subscribe(topic, 'afresh'));
  socket.on('ended', (reason, remedy) => move({ kind: 'ended', reason, remedy }));

  return {
    watch(topic) {
      const count = watchers.get(topic) ?? 0;
      watchers.set(topic, count + 1);
      if (count === 0 && socket.connected) subscribe(topic, 'held');
      return () => {
        const left = (watchers.get(topic) ?? 1) - 1;
        if (left > 0) return void watchers.set(topic, left);
        watchers.delete(topic);
        caughtUp(topic);
        if (socket.connected) socket.emit('unsubscribe', topic);
      };
    },
    terminals,
    connection: () => connection,
    onConnection(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    start() {
      socket.connect();
      const looking = setInterval(noticeSilence, CHECK_INTERVAL_MS);
      return () => {
        clearInterval(looking);
        socket.disconnect();
      };
    },
  };
}

function isOfAnotherCluster(held: HeldWindow | undefined, next: HeldWindow): boolean {
  const [before, after] = [held, next].map((window) => readString(window?.rows[0], 'cluster', 'id'));
  return before !== undefined && after !== undefined && before !== after;
}
