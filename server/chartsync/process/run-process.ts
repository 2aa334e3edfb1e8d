import { AppError } from '@/lib/contract/app-error';
import type { Clock, Release } from '@/server/platform';
import { groupMemory } from './group-memory';
import { launch } from './launcher';
import { endGroup } from './left-processes';
import { watchOver } from './watch-over';

/** A program to run. Nothing of it passes through a shell. */
export interface ProcessCall {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** What it reads from standard input; where secrets go. */
  readonly input?: string;
  readonly signal: AbortSignal;
  /** Of standard output; what is over ends the process. */
  readonly maxBytes: number;
  /** How long it may take to end once it is asked to. */
  readonly graceMs: number;
  /** What it and all that it starts may hold of memory; what is over ends the process. */
  readonly maxMemory?: number;
  /** Hears every line of standard error as it comes. */
  readonly onLine?: (line: string) => void;
  readonly clock: Clock;
}

/** A process was ended because it held more memory than it may. */
export class OutOfMemory extends AppError {}

export interface ProcessResult {
  readonly code: number | null;
  readonly stdout: string;
  /** The end of it, where it says much. */
  readonly stderr: string;
}

const MAX_STDERR = 64 * 1024;
const MAX_LINE = 4096;
const MIB = 1024 * 1024;

/**
 * Runs a program in a process group of its own, to its end.
 *
 * 1. An abort asks the whole group to end, by SIGTERM; what is left after the grace is killed. It rejects when the group has ended, not before.
 * 2. Output or memory over the limit ends the group in the same way.
 */
export function runProcess(call: ProcessCall): Promise<ProcessResult> {
  const { command, args, env, cwd, input = '', signal, maxBytes } = call;
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const stdout: Uint8Array[] = [];
    let bytes = 0;
    let stderr = '';
    const lines = new Lines(call.onLine);
    let reason: unknown;
    let forget: Release = () => undefined;
    const ending = new GroupEnd(call);
    const end = (why: unknown) => {
      reason ??= why;
      ending.begin();
    };
    const onAbort = () => end(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const settle = (finish: () => void) => {
      signal.removeEventListener('abort', onAbort);
      forget();
      ending.release();
      finish();
    };
    launch(
      { command, args, env, cwd, input },
      {
        started(pid) {
          ending.of(pid);
          forget = watchMemory(pid, call, end);
        },
        stdout(chunk) {
          bytes += chunk.byteLength;
          if (bytes <= maxBytes) stdout.push(chunk);
          else end(new Error(`${command} wrote more than ${maxBytes} bytes`));
        },
        stderr(chunk) {
          const text = Buffer.from(chunk).toString('utf8');
          stderr = (stderr + text).slice(-MAX_STDERR);
          lines.take(text);
        },
        // What runs on although nobody hears it any more is ended before anybody is told.
        failed: (error) => void ending.enforce().then(() => settle(() => reject(reason ?? error))),
        ended: (code) => settle(() => (reason === undefined ? resolve({ code, stdout: Buffer.concat(stdout).toString('utf8'), stderr }) : reject(reason))),
      },
    );
  });
}

function watchMemory(pid: number, { maxMemory, clock }: Pick<ProcessCall, 'maxMemory' | 'clock'>, end: (why: OutOfMemory) => void): Release {
  if (maxMemory === undefined) return () => undefined;
  const onOver = () => end(new OutOfMemory('too-large', `it took more than ${Math.round(maxMemory / MIB)} MiB of memory and was ended`));
  return watchOver({ measure: () => groupMemory(pid), limit: maxMemory, clock, onOver });
}

/** Tells lines as soon as they are whole, in whatever pieces their text comes; of one without end the beginning is told. */
class Lines {
  readonly #tell: ((line: string) => void) | undefined;
  #rest = '';

  constructor(tell: ((line: string) => void) | undefined) {
    this.#tell = tell;
  }

  take(text: string): void {
    if (this.#tell === undefined) return;
    const [first = '', ...more] = text.split('\n');
    this.#rest = (this.#rest + first).slice(0, MAX_LINE);
    for (const next of more) {
      if (this.#rest.trim() !== '') this.#tell(this.#rest.trim());
      this.#rest = next.slice(0, MAX_LINE);
    }
  }
}

/** The end of a process group: asked first, made after the grace. */
class GroupEnd {
  readonly #call: Pick<ProcessCall, 'clock' | 'graceMs'>;
  #pid: number | undefined;
  #timer: Release | undefined;
  #last: NodeJS.Signals | undefined;

  constructor(call: Pick<ProcessCall, 'clock' | 'graceMs'>) {
    this.#call = call;
  }

  /** Which group it is, as soon as that is known; what it should have heard meanwhile it hears now. */
  of(pid: number): void {
    this.#pid = pid;
    if (this.#last !== undefined) this.#signal(this.#last);
  }

  begin(): void {
    if (this.#timer !== undefined) return;
    this.#signal('SIGTERM');
    this.#timer = this.#call.clock.schedule(this.#call.graceMs, () => this.#signal('SIGKILL'));
  }

  /** Ends what there is of it; resolves when nothing of it runs. */
  async enforce(): Promise<void> {
    if (this.#pid !== undefined) await endGroup(this.#pid, this.#call);
  }

  /** The one that leads the group has ended: what it left behind ends with it, if an end was asked for. */
  release(): void {
    if (this.#timer === undefined) return;
    this.#timer();
    this.#signal('SIGKILL');
  }

  #signal(name: NodeJS.Signals): void {
    this.#last = name;
    if (this.#pid === undefined) return;
    try {
      process.kill(-this.#pid, name);
    } catch {
      // the group has ended already
    }
  }
}
