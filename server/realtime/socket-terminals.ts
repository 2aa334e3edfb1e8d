import { isAppError, messageOf } from '@/lib/contract/app-error';
import type { TerminalAnswer, TerminalRequest, TerminalSize } from '@/lib/contract/terminal';
import { terminalInput, terminalRequest, terminalSize } from '@/lib/contract/terminal';
import { inParallel } from '@/lib/std/in-parallel';
import type { Instant } from '@/lib/std/instant';
import type { Session } from '@/server/auth';
import type { Log } from '@/server/platform';
import type { LiveSocket } from './subscriber';

const AT_ONCE = 4;
/** Pieces that are typed and not taken yet. A page waits for each, so more is nobody's typing, and would only heap up here. */
const MAX_UNTAKEN = 8;
/** What is told at once; a browser draws it within a frame. */
const MAX_OUTPUT = 16 * 1024;

/** A terminal as it is served to a socket. */
export interface ServedTerminal {
  readonly container: string;
  output(): AsyncGenerator<Uint8Array, string, void>;
  write(text: string): Promise<void>;
  resize(size: TerminalSize): Promise<void>;
  recheck(session: Session, notBefore: Instant): Promise<void>;
  end(sentence: string): void;
}

/** Opens a terminal as a person, which it authorises. */
export type OpenTerminal = (session: Session, asked: TerminalRequest, signal: AbortSignal) => Promise<ServedTerminal>;

/** A terminal that is open, and what the container has not taken yet. */
interface OpenOne {
  readonly terminal: ServedTerminal;
  untaken: number;
  /** The size to come, while another one is being told. */
  wanted: TerminalSize | undefined;
  isSizing: boolean;
}

export interface SocketTerminalsDeps {
  readonly socket: LiveSocket;
  /** The person as they are now; told anew with each look at their rights. */
  readonly session: Session;
  readonly open: OpenTerminal;
  readonly log: Log;
}

/**
 * The terminals of one connected browser.
 *
 * 1. The next output is sent when the browser has taken the one before, which the container feels in the end.
 * 2. A terminal is known by a number of this socket: no other socket can name it, whoever it belongs to.
 * 3. All of them end with the socket, which ends with the session.
 */
export class SocketTerminals {
  readonly #deps: SocketTerminalsDeps;
  readonly #open = new Map<number, OpenOne>();
  readonly #leaving = new AbortController();
  #session: Session;
  #next = 1;

  constructor(deps: SocketTerminalsDeps) {
    this.#deps = deps;
    this.#session = deps.session;
    const { socket } = deps;
    socket.on('terminal-open', (request: unknown, answer: unknown) => {
      if (typeof answer === 'function') void this.#onOpen(request, answer as (reply: TerminalAnswer) => void); // socket.io gives a function for an acknowledgement
    });
    socket.on('terminal-input', (id: unknown, text: unknown, answer: unknown) => void this.#onInput(id, text, answer));
    socket.on('terminal-size', (id: unknown, size: unknown) => this.#onSize(id, size));
    socket.on('terminal-close', (id: unknown) => this.#find(id)?.terminal.end('the page closed it'));
  }

  /** Asks for the right of each anew. */
  async recheck(session: Session, notBefore: Instant): Promise<void> {
    this.#session = session;
    await inParallel([...this.#open.values()], AT_ONCE, ({ terminal }) => terminal.recheck(session, notBefore));
  }

  /** Ends all of them. */
  release(sentence: string): void {
    this.#leaving.abort();
    for (const { terminal } of this.#open.values()) terminal.end(sentence);
    this.#open.clear();
  }

  async #onOpen(request: unknown, reply: (reply: TerminalAnswer) => void): Promise<void> {
    const asked = terminalRequest.safeParse(request).data;
    if (asked === undefined)
      return reply({ kind: 'refused', code: 'invalid', message: 'a terminal requires a pod, its namespace and the size of the window' });
    try {
      const terminal = await this.#deps.open(this.#session, asked, this.#leaving.signal);
      if (this.#leaving.signal.aborted) return terminal.end('the page was closed');
      const id = this.#next++;
      this.#open.set(id, { terminal, untaken: 0, wanted: undefined, isSizing: false });
      reply({ kind: 'opened', id, container: terminal.container });
      await this.#serve(id, terminal);
    } catch (error) {
      if (!isAppError(error))
        this.#deps.log.warn({ error: messageOf(error), pod: asked.pod, namespace: asked.ns }, 'a terminal could not be opened');
      const code = isAppError(error) ? error.code : 'unavailable';
      reply({ kind: 'refused', code, message: messageOf(error), ...toGrant(error) });
    }
  }

  async #serve(id: number, terminal: ServedTerminal): Promise<void> {
    const { socket } = this.#deps;
    const output = terminal.output();
    let next = await output.next();
    for (; !next.done; next = await output.next()) {
      for (let from = 0; from < next.value.length && socket.connected; from += MAX_OUTPUT)
        await this.#send(id, next.value.subarray(from, from + MAX_OUTPUT));
    }
    this.#open.delete(id);
    if (socket.connected) socket.emit('terminal-end', id, next.value);
  }

  /** Resolves when the browser has taken it, or is gone. */
  #send(id: number, bytes: Uint8Array): Promise<void> {
    const { socket } = this.#deps;
    return new Promise((resolve) => {
      const leave = () => resolve();
      this.#leaving.signal.addEventListener('abort', leave, { once: true });
      socket.emit('terminal-output', id, Buffer.from(bytes), () => {
        this.#leaving.signal.removeEventListener('abort', leave);
        resolve();
      });
      if (this.#leaving.signal.aborted) leave();
    });
  }

  async #onInput(id: unknown, text: unknown, answer: unknown): Promise<void> {
    const typed = terminalInput.safeParse(text).data;
    const open = this.#find(id);
    if (typed !== undefined && open !== undefined) await take(open, typed);
    if (typeof answer === 'function') answer();
  }

  #onSize(id: unknown, size: unknown): void {
    const wanted = terminalSize.safeParse(size).data;
    const open = this.#find(id);
    if (wanted !== undefined && open !== undefined) void resize(open, wanted);
  }

  #find(id: unknown): OpenOne | undefined {
    return typeof id === 'number' ? this.#open.get(id) : undefined;
  }
}

async function take(open: OpenOne, typed: string): Promise<void> {
  if (open.untaken >= MAX_UNTAKEN) return open.terminal.end('input arrives faster than the container accepts it');
  open.untaken++;
  try {
    await open.terminal.write(typed);
  } finally {
    open.untaken--;
  }
}

/** Of many sizes the container is told the last. */
async function resize(open: OpenOne, size: TerminalSize): Promise<void> {
  open.wanted = size;
  if (open.isSizing) return;
  open.isSizing = true;
  for (let next: TerminalSize | undefined = size; next !== undefined; next = open.wanted) {
    open.wanted = undefined;
    await open.terminal.resize(next);
  }
  open.isSizing = false;
}

/** The commands that would give the right that is missing. */
function toGrant(error: unknown): { readonly grant?: readonly string[] } {
  const grant = isAppError(error) ? error.details?.grant : undefined;
  return Array.isArray(grant) ? { grant: grant.filter((command) => typeof command === 'string') } : {};
}
