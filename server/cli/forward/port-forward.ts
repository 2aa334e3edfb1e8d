import type { Socket as LocalSocket } from 'node:net';
import type { Socket } from 'socket.io-client';
import { io } from 'socket.io-client';
import type { ClientEvents, ServerEvents } from '@/lib/contract/live';
import type { ForwardedAnswer, ForwardRequest } from '@/lib/contract/streams/forward';
import { MAX_CHUNK_BYTES, MAX_IN_FLIGHT } from '@/lib/contract/streams/forward';
import { Semaphore } from '@/lib/std/semaphore';
import type { Clock } from '@/server/platform';

/** A port cannot be told that its client says no more; one that answers nothing for so long then is left. */
const LAST_ANSWER_MS = 5000;

/** Ports of a pod, reached through the server. */
export interface PortForward {
  /** Carries a local connection to a port of the pod; resolves with what was wrong, where something was, when it is over. */
  carry(local: LocalSocket, port: number): Promise<string | null>;
  /** Resolves with the sentence of why it is over. */
  readonly ended: Promise<string>;
  close(): void;
}

type Line = Socket<ServerEvents, ClientEvents>;

interface Carried {
  readonly local: LocalSocket;
  readonly over: (wrong: string | null) => void;
  heardAt: number;
  /** Told when the local program has taken what was written. */
  readonly untaken: (() => void)[];
}

/** Asks a server to forward ports of a pod; a refusal is thrown with its sentence. */
export async function openPortForward(
  server: { readonly url: string; readonly cookie: string },
  asked: ForwardRequest,
  clock: Clock,
): Promise<PortForward> {
  const line: Line = io(server.url, {
    path: '/socket.io/',
    transports: ['websocket'],
    reconnection: false,
    forceNew: true,
    extraHeaders: { cookie: server.cookie },
  });
  const carried = new Map<number, Carried>();
  const ended = new Promise<string>((resolve) => {
    line.on('ended', resolve);
    line.on('forward-end', (_id, sentence) => resolve(sentence));
    line.on('disconnect', () => resolve('the connection to the server was lost'));
  });
  line.on('forward-data', (stream, bytes, taken) => {
    const open = carried.get(stream);
    if (open === undefined || open.local.destroyed) return taken();
    open.heardAt = clock.now();
    if (open.local.write(new Uint8Array(bytes))) taken();
    else open.untaken.push(taken);
  });
  line.on('forward-closed', (stream, wrong) => carried.get(stream)?.over(wrong));
  try {
    const id = await open(line, server.url, asked);
    return { ended, close: () => void line.disconnect(), carry: (local, port) => carry({ line, id, carried, clock }, local, port) };
  } catch (error) {
    line.disconnect();
    throw error;
  }
}

function open(line: Line, url: string, asked: ForwardRequest): Promise<number> {
  return new Promise((resolve, reject) => {
    line.on('connect_error', ({ message }) => reject(new Error(`no socket to ${url} was opened: ${message}`)));
    line.on('disconnect', (reason) => reject(new Error(`the server ended the connection: ${reason}`)));
    line.on('ended', (reason) => reject(new Error(reason)));
    line.emit('forward-open', asked, (answer) => (answer.kind === 'opened' ? resolve(answer.id) : reject(new Error(answer.message))));
  });
}

interface Carrying {
  readonly line: Line;
  readonly id: number;
  readonly carried: Map<number, Carried>;
  readonly clock: Clock;
}

/** What the port sends may come with the answer, so who hears it is known by then. */
function carry(carrying: Carrying, local: LocalSocket, port: number): Promise<string | null> {
  const { line, id, carried, clock } = carrying;
  local.on('error', () => undefined); // the close that follows is heard
  return new Promise((resolve) => {
    line.emit('forward-connect', id, port, (answer: ForwardedAnswer) => {
      if (answer.kind === 'refused') {
        local.destroy();
        return resolve(answer.message);
      }
      const { stream } = answer;
      const over = (wrong: string | null) => {
        carried.delete(stream);
        if (wrong === null) local.end();
        else local.destroy();
        resolve(wrong);
      };
      const untaken: (() => void)[] = [];
      const take = () => {
        for (const taken of untaken.splice(0)) taken();
      };
      local.on('drain', take).once('close', take);
      carried.set(stream, { local, over, heardAt: clock.now(), untaken });
      local.once('close', () => {
        if (carried.has(stream)) line.emit('forward-close', stream);
        over(null);
      });
      const lose = () => local.destroy();
      line.once('disconnect', lose);
      local.once('close', () => line.off('disconnect', lose));
      void send(carrying, stream, local);
    });
  });
}

/** Sends what comes from the local program, in pieces of which few are under way. */
async function send(carrying: Carrying, stream: number, local: LocalSocket): Promise<void> {
  const { line, carried, clock } = carrying;
  const inFlight = new Semaphore(MAX_IN_FLIGHT);
  const put = (piece: Uint8Array) => new Promise<void>((begun) => void inFlight.run(() => emit(line, { stream, piece, begun })));
  try {
    for await (const chunk of local.iterator({ destroyOnReturn: false })) {
      const bytes = chunk as Buffer; // no encoding is set
      for (let from = 0; from < bytes.length && carried.has(stream); from += MAX_CHUNK_BYTES)
        await put(bytes.subarray(from, from + MAX_CHUNK_BYTES));
    }
  } catch {
    return; // the close of the local connection tells it
  }
  const look = () => {
    const open = carried.get(stream);
    if (open === undefined) return;
    const left = open.heardAt + LAST_ANSWER_MS - clock.now();
    if (left > 0) clock.schedule(left, look);
    else local.destroy();
  };
  const last = carried.get(stream);
  if (last !== undefined) last.heardAt = clock.now();
  look();
}

interface Piece {
  readonly stream: number;
  readonly piece: Uint8Array;
  /** Called once it is on its way. */
  readonly begun: () => void;
}

function emit(line: Line, { stream, piece, begun }: Piece): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      line.off('disconnect', over);
      resolve();
    };
    line.on('disconnect', over);
    line.emit('forward-data', stream, piece, over);
    begun();
  });
}
