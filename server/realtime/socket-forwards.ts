import { isAppError, messageOf } from '@/lib/contract/app-error';
import type { ForwardAnswer, ForwardedAnswer, ForwardRefusal, ForwardRequest } from '@/lib/contract/streams/forward';
import { forwardRequest, MAX_CHUNK_BYTES, MAX_IN_FLIGHT, portNumber } from '@/lib/contract/streams/forward';
import { inParallel } from '@/lib/std/in-parallel';
import type { Instant } from '@/lib/std/instant';
import { Semaphore } from '@/lib/std/semaphore';
import type { Session } from '@/server/auth';
import type { Log } from '@/server/platform';
import { Backpressure } from './backpressure';
import type { LiveSocket } from './subscriber';

const AT_ONCE = 4;

/** A connection to a port of a pod, as it is served to a socket. */
export interface ServedConnection {
  output(): AsyncGenerator<Uint8Array, string | null, void>;
  write(bytes: Uint8Array): Promise<void>;
  close(): void;
}

/** Forwarded ports of a pod, as they are served to a socket. */
export interface ServedForward {
  connect(port: number, signal: AbortSignal): Promise<ServedConnection>;
  recheck(session: Session, notBefore: Instant): Promise<void>;
  end(sentence: string): void;
  onEnd(listener: (sentence: string) => void): void;
}

/** Forwards ports as a person, which it authorises. */
export type OpenForward = (session: Session, asked: ForwardRequest, signal: AbortSignal) => Promise<ServedForward>;

/** A connection, and the pieces that its port has not taken yet. */
interface OpenStream {
  readonly connection: ServedConnection;
  untaken: number;
}

export interface SocketForwardsDeps {
  readonly socket: LiveSocket;
  readonly session: Session;
  readonly open: OpenForward;
  readonly log: Log;
}

/**
 * The forwarded ports of one connected client.
 *
 * 1. Of each connection few pieces are under way in either direction, which the port and the program at the other end feel.
 * 2. Forwards and connections are known by numbers of this socket: no other socket can name them.
 * 3. Of all of them together a port is read on only when the connection to the client has passed on what it was given, whatever the client says of it.
 * 4. All of them end with the socket, which ends with the session.
 */
export class SocketForwards {
  readonly #deps: SocketForwardsDeps;
  readonly #open = new Map<number, ServedForward>();
  readonly #streams = new Map<number, OpenStream>();
  readonly #underWay = new Set<() => void>();
  readonly #leaving = new AbortController();
  readonly #backpressure = new Backpressure();
  #session: Session;
  #next = 1;

  constructor(deps: SocketForwardsDeps) {
    this.#deps = deps;
    this.#session = deps.session;
    const { socket } = deps;
    socket.conn.on('drain', () => this.#backpressure.clear());
    socket.on('forward-open', (request: unknown, answer: unknown) => {
      if (typeof answer === 'function') void this.#onOpen(request, answer as (reply: ForwardAnswer) => void); // socket.io gives a function for an acknowledgement
    });
    socket.on('forward-connect', (id: unknown, port: unknown, answer: unknown) => {
      if (typeof answer === 'function') void this.#onConnect(id, port, answer as (reply: ForwardedAnswer) => void); // the same
    });
    socket.on('forward-data', (stream: unknown, bytes: unknown, answer: unknown) => void this.#onData(stream, bytes, answer));
    socket.on('forward-close', (stream: unknown) => find(this.#streams, stream)?.connection.close());
  }

  /** Whether ports are forwarded now. */
  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Whether a message is one of those that connections through a forward consist of, as many as there may be. */
  carries(message: unknown): boolean {
    return this.isOpen && (message === 'forward-data' || message === 'forward-connect' || message === 'forward-close');
  }

  /** Asks for the right of each anew. */
  async recheck(session: Session, notBefore: Instant): Promise<void> {
    this.#session = session;
    await inParallel([...this.#open.values()], AT_ONCE, (forward) => forward.recheck(session, notBefore));
  }

  /** Ends all of them. */
  release(sentence: string): void {
    this.#leaving.abort();
    this.#backpressure.end();
    for (const over of [...this.#underWay]) over(); // nobody takes them any more
    for (const forward of [...this.#open.values()]) forward.end(sentence);
  }

  async #onOpen(request: unknown, reply: (reply: ForwardAnswer) => void): Promise<void> {
    const asked = forwardRequest.safeParse(request).data;
    if (asked === undefined)
      return reply({ kind: 'refused', code: 'invalid', message: 'a forward requires a pod, its namespace and up to 20 ports, 1 to 65535' });
    try {
      const forward = await this.#deps.open(this.#session, asked, this.#leaving.signal);
      if (this.#leaving.signal.aborted) return forward.end('the client left');
      const id = this.#next++;
      this.#open.set(id, forward);
      reply({ kind: 'opened', id });
      forward.onEnd((sentence) => {
        this.#open.delete(id);
        if (this.#deps.socket.connected) this.#deps.socket.emit('forward-end', id, sentence);
      });
    } catch (error) {
      reply(this.#refusalOf(error));
    }
  }

  async #onConnect(id: unknown, port: unknown, reply: (reply: ForwardedAnswer) => void): Promise<void> {
    const forward = find(this.#open, id);
    const wanted = portNumber.safeParse(port).data;
    if (forward === undefined || wanted === undefined)
      return reply({ kind: 'refused', code: 'invalid', message: 'this port is not forwarded here' });
    try {
      const connection = await forward.connect(wanted, this.#leaving.signal);
      const stream = this.#next++;
      this.#streams.set(stream, { connection, untaken: 0 });
      reply({ kind: 'connected', stream });
      await this.#serve(stream, connection);
    } catch (error) {
      reply(this.#refusalOf(error));
    }
  }

  async #serve(stream: number, connection: ServedConnection): Promise<void> {
    const { socket } = this.#deps;
    const inFlight = new Semaphore(MAX_IN_FLIGHT);
    const output = connection.output();
    let next = await output.next();
    for (; !next.done; next = await output.next()) {
      for (let from = 0; from < next.value.length && socket.connected; from += MAX_CHUNK_BYTES) {
        const piece = Buffer.from(next.value.subarray(from, from + MAX_CHUNK_BYTES));
        await this.#backpressure.whenRoom();
        await new Promise<void>((begun) => void inFlight.run(() => this.#send(stream, piece, begun)));
      }
    }
    this.#streams.delete(stream);
    if (socket.connected) socket.emit('forward-closed', stream, next.value);
  }

  /** Resolves when the client has taken it, or is gone. */
  #send(stream: number, bytes: Uint8Array, begun: () => void): Promise<void> {
    return new Promise((resolve) => {
      const over = () => {
        this.#underWay.delete(over);
        resolve();
      };
      this.#underWay.add(over);
      this.#backpressure.count();
      this.#deps.socket.emit('forward-data', stream, bytes, over);
      if (this.#leaving.signal.aborted) over();
      begun();
    });
  }

  async #onData(stream: unknown, bytes: unknown, answer: unknown): Promise<void> {
    const open = find(this.#streams, stream);
    if (open !== undefined && bytes instanceof Uint8Array && bytes.length <= MAX_CHUNK_BYTES) await take(open, bytes);
    if (typeof answer === 'function') answer();
  }

  #refusalOf(error: unknown): ForwardRefusal {
    if (!isAppError(error)) this.#deps.log.warn({ error: messageOf(error) }, 'a port could not be forwarded');
    return { kind: 'refused', code: isAppError(error) ? error.code : 'unavailable', message: messageOf(error) };
  }
}

async function take(open: OpenStream, bytes: Uint8Array): Promise<void> {
  if (open.untaken >= 2 * MAX_IN_FLIGHT) return open.connection.close(); // no client of ours sends more than half of it before the port takes some
  open.untaken++;
  try {
    await open.connection.write(bytes);
  } finally {
    open.untaken--;
  }
}

function find<Value>(among: ReadonlyMap<number, Value>, id: unknown): Value | undefined {
  return typeof id === 'number' ? among.get(id) : undefined;
}
