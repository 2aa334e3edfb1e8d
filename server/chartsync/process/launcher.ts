import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '@/server/platform';

/** A program to start, without a shell and in a process group of its own. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** What it reads from standard input. */
  readonly input: string;
  /** The file that standard error is added to, while standard output goes nowhere; both are heard where there is none. */
  readonly log?: string | undefined;
}

/** Hears of a program that was started: that it runs, what it writes, and at last that it ended or could not be run. */
export interface ProcessListener {
  started(pid: number): void;
  stdout(chunk: Uint8Array): void;
  stderr(chunk: Uint8Array): void;
  ended(code: number | null, killedBy: string | null): void;
  failed(error: Error): void;
}

type Message = { readonly id: number } & (
  | { readonly kind: 'started'; readonly pid: number }
  | { readonly kind: 'stdout' | 'stderr'; readonly chunk: Uint8Array }
  | { readonly kind: 'ended'; readonly code: number | null; readonly signal: string | null }
  | { readonly kind: 'failed'; readonly message: string; readonly code?: string }
);

/**
 * Starts programs by a process that stays small (decision 0092): whoever starts one copies its own memory map for it, which held up a server of half a
 * gigabyte for 16 ms each time. It begins with the first program and ends with the server, however that ends; one that is lost is replaced by the next.
 */
class Launcher {
  readonly #heard = new Map<number, ProcessListener>();
  #process: ChildProcess | undefined;
  #last = 0;

  start(program: Program, hearing: ProcessListener): void {
    const id = ++this.#last;
    this.#heard.set(id, hearing);
    this.#process ??= this.#begin();
    this.#process.channel?.ref(); // as long as a program runs, the server waits for it
    this.#process.send({ id, ...program }, (error) => {
      if (error !== null) this.#settle(id)?.failed(error);
    });
  }

  #begin(): ChildProcess {
    const file = fileURLToPath(new URL('./launcher-process.mjs', import.meta.url));
    const begun = fork(file, {
      env: childEnvironment() as NodeJS.ProcessEnv,
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    begun.unref();
    begun.on('message', (message) => this.#take(message as Message));
    const lose = () => this.#lose(begun);
    begun.on('error', lose);
    begun.on('disconnect', lose); // and not at its exit, which may be told before the last that it said
    return begun;
  }

  #take(message: Message): void {
    const { id } = message;
    if (message.kind === 'started') this.#heard.get(id)?.started(message.pid);
    else if (message.kind === 'ended') this.#settle(id)?.ended(message.code, message.signal);
    else if (message.kind === 'failed') this.#settle(id)?.failed(Object.assign(new Error(message.message), { code: message.code }));
    else this.#heard.get(id)?.[message.kind](message.chunk);
  }

  #settle(id: number): ProcessListener | undefined {
    const hearing = this.#heard.get(id);
    this.#heard.delete(id);
    if (this.#heard.size === 0) this.#process?.channel?.unref();
    return hearing;
  }

  #lose(lost: ChildProcess): void {
    if (this.#process !== lost) return;
    this.#process = undefined;
    const left = [...this.#heard.values()];
    this.#heard.clear();
    for (const hearing of left) hearing.failed(new Error('the process that starts programs has ended'));
  }
}

/** One for the process, as its children are. */
const launcher = new Launcher();

/** Starts a program; what becomes of it is heard. */
export function launch(program: Program, hearing: ProcessListener): void {
  launcher.start(program, hearing);
}
