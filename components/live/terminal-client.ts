import type { Socket } from 'socket.io-client';
import type { ClientEvents, ServerEvents } from '@/lib/contract/live';
import { MAX_INPUT } from '@/lib/contract/streams/terminal-input';
import type { TerminalAnswer, TerminalRequest, TerminalSize } from '@/lib/contract/terminal';
import { t } from '@/lib/words/catalogue/console/live';
import { showHidden } from '@/lib/words/show-hidden';

/** What is typed within so long is sent together: a server cuts off who sends more often than people type. */
const GATHER_MS = 50;

/** The part of the page's socket that terminals use. */
type TerminalSocket = Pick<Socket<ServerEvents, ClientEvents>, 'on' | 'emit'>;

/** Who shows a terminal. */
export interface TerminalView {
  /** Calls back once it is drawn: only then more comes. */
  readonly write: (bytes: Uint8Array, drawn: () => void) => void;
  readonly onOpen: (container: string) => void;
  /** Told once, whether it never opened or ended. */
  readonly onEnd: (sentence: string, code: string | null, grant?: readonly string[]) => void;
}

export interface TerminalHandle {
  type(text: string): void;
  resize(size: TerminalSize): void;
  close(): void;
}

/** Terminals over the page's one socket. */
export interface TerminalClient {
  open(asked: TerminalRequest, view: TerminalView): TerminalHandle;
  /** Ends all of them: the connection is gone. */
  lose(): void;
}

/** Opens terminals over a socket; one ends with the connection, since nobody can say what was typed meanwhile. */
export function createTerminalClient(socket: TerminalSocket): TerminalClient {
  const views = new Map<number, { readonly view: TerminalView; readonly end: (sentence: string) => void }>();
  const opening = new Set<(sentence: string) => void>();
  socket.on('terminal-output', (id, bytes, answer) => {
    const open = views.get(id);
    if (open === undefined) answer();
    else open.view.write(new Uint8Array(bytes), answer);
  });
  socket.on('terminal-end', (id, sentence) => views.get(id)?.end(showHidden(sentence)));
  return {
    lose() {
      for (const end of [...[...views.values()].map((open) => open.end), ...opening]) end(t.theConnectionToTheServerWas);
    },
    open(asked, view) {
      const line = new InputLine(socket);
      let isOver = false;
      const end = (sentence: string, code: string | null = null, grant: readonly string[] = []) => {
        if (isOver) return;
        isOver = true;
        opening.delete(end);
        views.delete(line.id);
        line.stop();
        view.onEnd(sentence, code, grant);
      };
      opening.add(end);
      const take = (answer: TerminalAnswer) => {
        opening.delete(end);
        if (answer.kind === 'refused') return end(showHidden(answer.message), answer.code, answer.grant);
        if (isOver) return void socket.emit('terminal-close', answer.id);
        views.set(answer.id, { view, end });
        view.onOpen(answer.container);
        line.start(answer.id);
      };
      socket.emit('terminal-open', asked, take);
      return {
        type: (text) => line.type(text),
        resize: (size) => line.id > 0 && socket.emit('terminal-size', line.id, size),
        close() {
          if (line.id > 0 && !isOver) socket.emit('terminal-close', line.id);
          isOver = true;
          opening.delete(end);
          views.delete(line.id);
          line.stop();
        },
      };
    },
  };
}

/** What is typed, in order: a piece goes when the one before was taken. */
class InputLine {
  readonly #socket: TerminalSocket;
  #id = 0;
  #typed = '';
  #isBusy = false;
  #isStopped = false;

  constructor(socket: TerminalSocket) {
    this.#socket = socket;
  }

  get id(): number {
    return this.#id;
  }

  start(id: number): void {
    this.#id = id;
    this.#send();
  }

  type(text: string): void {
    this.#typed += text;
    this.#send();
  }

  stop(): void {
    this.#isStopped = true;
    this.#typed = '';
  }

  #send(): void {
    if (this.#isBusy || this.#isStopped || this.#id === 0 || this.#typed === '') return;
    this.#isBusy = true;
    const piece = this.#typed.slice(0, MAX_INPUT);
    this.#typed = this.#typed.slice(piece.length);
    const gathered = new Promise((resolve) => setTimeout(resolve, GATHER_MS));
    const taken = new Promise<void>((resolve) => void this.#socket.emit('terminal-input', this.#id, piece, resolve));
    void Promise.all([gathered, taken]).then(() => {
      this.#isBusy = false;
      this.#send();
    });
  }
}
