import { spawn } from 'node:child_process';
import { AppError } from '@/lib/contract/app-error';
import type { Clock } from '@/server/platform';
import { groupMemory } from './group-memory';
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
const MIB = 1024 * 1024;

/**
 * Runs a program in a process group of its own, to its end.
 *
 * 1. An abort asks the whole group to end, by SIGTERM; what is left after the grace is killed. It rejects when the group has ended, not before.
 * 2. Output or memory over the limit ends the group in the same way.
 */
export function runProcess(call: ProcessCall): Promise<ProcessResult> {
  const { command, args, env, cwd, input, signal, maxBytes, maxMemory } = call;
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    // Next's types want a NODE_ENV of every environment; a child of ours has none.
    const child = spawn(command, [...args], { env: env as NodeJS.ProcessEnv, cwd, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
    const stdout: Buffer[] = [];
    let bytes = 0;
    let stderr = '';
    let reason: unknown;
    const ending = new GroupEnd(child.pid, call);
    const end = (why: unknown) => {
      reason ??= why;
      ending.begin();
    };
    const onAbort = () => end(signal.reason);
    const onOver = () => end(new OutOfMemory('too-large', `it took more than ${Math.round((maxMemory ?? 0) / MIB)} MiB of memory and was ended`));
    const { pid } = child;
    const forget =
      maxMemory === undefined || pid === undefined ? undefined : watchOver({ measure: () => groupMemory(pid), limit: maxMemory, clock: call.clock, onOver });
    signal.addEventListener('abort', onAbort, { once: true });
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.byteLength;
      if (bytes <= maxBytes) stdout.push(chunk);
      else end(new Error(`${command} wrote more than ${maxBytes} bytes`));
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString('utf8')).slice(-MAX_STDERR);
      const line = call.onLine && lastLineOf(stderr);
      if (line !== undefined) call.onLine?.(line);
    });
    child.stdin.on('error', () => undefined); // it ended without reading all: its exit code tells
    child.stdin.end(input ?? '');
    const settle = (finish: () => void) => {
      signal.removeEventListener('abort', onAbort);
      forget?.();
      ending.release();
      finish();
    };
    child.on('error', (error) => settle(() => reject(error)));
    child.on('close', (code) => {
      settle(() => (reason === undefined ? resolve({ code, stdout: Buffer.concat(stdout).toString('utf8'), stderr }) : reject(reason)));
    });
  });
}

/** The last line that is whole. */
function lastLineOf(text: string): string | undefined {
  return (
    text
      .slice(0, text.lastIndexOf('\n') + 1)
      .trimEnd()
      .split('\n')
      .at(-1)
      ?.trim() || undefined
  );
}

/** The end of a process group: asked first, made after the grace. */
class GroupEnd {
  readonly #pid: number | undefined;
  readonly #call: Pick<ProcessCall, 'clock' | 'graceMs'>;
  #timer: (() => void) | undefined;

  constructor(pid: number | undefined, call: Pick<ProcessCall, 'clock' | 'graceMs'>) {
    this.#pid = pid;
    this.#call = call;
  }

  begin(): void {
    if (this.#timer !== undefined) return;
    this.#signal('SIGTERM');
    this.#timer = this.#call.clock.schedule(this.#call.graceMs, () => this.#signal('SIGKILL'));
  }

  /** The one that leads the group has ended: what it left behind ends with it, if an end was asked for. */
  release(): void {
    if (this.#timer === undefined) return;
    this.#timer();
    this.#signal('SIGKILL');
  }

  #signal(name: NodeJS.Signals): void {
    if (this.#pid === undefined) return;
    try {
      process.kill(-this.#pid, name);
    } catch {
      // the group has ended already
    }
  }
}
