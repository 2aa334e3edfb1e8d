import { StringDecoder } from 'node:string_decoder';
import { AppError } from '@/lib/contract/app-error';
import type { Clock, Release } from '@/server/platform';
import { enforceLimit } from './enforce-limit';
import type { LogFile } from './follow-file';
import { followFile } from './follow-file';
import { groupMemory, groupProcessorTime } from './group-memory';
import { launch } from './launcher';
import { Lines } from './lines';
import { endGroup } from './orphaned-processes';
import { Tail } from './tail';

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
  /** How much processor time they may take in all; what is over ends the process. */
  readonly maxProcessorMs?: number;
  /** Hears every line of standard error as it comes. */
  readonly onLine?: (line: string) => void;
  /** Hears which signal ended it, whoever sent that. */
  readonly onKill?: (signal: string) => void;
  /** A file for standard error, while standard output goes nowhere: what writes to a pipe dies with this process, and what writes there goes on. */
  readonly log?: LogFile;
  readonly clock: Clock;
}

/** A process was ended because it held more memory than it may. */
export class OutOfMemory extends AppError {}

/** A process was ended because it took more processor time than it may: it waits for nothing, and may have no end. */
export class OutOfTime extends AppError {}

export interface ProcessResult {
  readonly code: number | null;
  readonly stdout: string;
  /** The end of it, where it says much. */
  readonly stderr: string;
}

/** A template that includes itself ends in one line of 100 KiB. */
const MAX_STDERR = 1024 * 1024;
const MIB = 1024 * 1024;

/**
 * Runs a program in a process group of its own, to its end.
 *
 * 1. An abort asks the whole group to end, by SIGTERM; what is left after the grace is killed. It rejects when the group has ended, not before.
 * 2. Output or memory over the limit ends the group in the same way.
 */
export function runProcess(call: ProcessCall): Promise<ProcessResult> {
  const { command, args, env, cwd, input = '', signal, maxBytes, log } = call;
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const stdout: Uint8Array[] = [];
    let bytes = 0;
    const stderr = new ErrorOutput(call);
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
      { command, args, env, cwd, input, log: log?.file },
      {
        started(pid) {
          ending.of(pid);
          forget = watchUse(pid, call, end);
        },
        stdout(chunk) {
          bytes += chunk.byteLength;
          if (bytes <= maxBytes) stdout.push(chunk);
          else end(new Error(`${command} wrote more than ${maxBytes} bytes`));
        },
        stderr: (chunk) => stderr.write(chunk),
        // What runs on although nobody hears it any more is ended before anybody is told.
        failed: (error) =>
          void ending
            .enforce()
            .then(() => stderr.end())
            .then(() => settle(() => reject(reason ?? error))),
        ended: (code, killedBy) => {
          if (killedBy !== null) call.onKill?.(killedBy);
          void stderr
            .end()
            .then(() =>
              settle(() =>
                reason === undefined
                  ? resolve({ code, stdout: Buffer.concat(stdout).toString('utf8'), stderr: stderr.text() })
                  : reject(reason),
              ),
            );
        },
      },
    );
  });
}

function watchUse(
  pid: number,
  { maxMemory, maxProcessorMs, clock }: Pick<ProcessCall, 'maxMemory' | 'maxProcessorMs' | 'clock'>,
  end: (why: OutOfMemory | OutOfTime) => void,
): Release {
  const watches: Release[] = [];
  if (maxMemory !== undefined) {
    const onOver = () =>
      end(new OutOfMemory('too-large', `it took more than ${Math.round(maxMemory / MIB)} MiB of memory and was stopped`));
    watches.push(enforceLimit({ measure: () => groupMemory(pid), limit: maxMemory, clock, onOver }));
  }
  if (maxProcessorMs !== undefined) {
    const onOver = () => end(new OutOfTime('too-large', `it took more than ${maxProcessorMs / 1000} s of processor time and was stopped`));
    watches.push(enforceLimit({ measure: () => groupProcessorTime(pid), limit: maxProcessorMs, clock, onOver }));
  }
  return () => {
    for (const release of watches) release();
  };
}

/** Standard error, from a pipe or from the file that it is written to: told line by line, and kept as far as it is short. */
class ErrorOutput {
  readonly #kept = new Tail(MAX_STDERR);
  readonly #decoder = new StringDecoder('utf8');
  readonly #lines: Lines | undefined;
  readonly #followed: ReturnType<typeof followFile> | undefined;

  constructor({ onLine, log, clock }: Pick<ProcessCall, 'onLine' | 'log' | 'clock'>) {
    this.#lines = onLine && new Lines(onLine);
    this.#followed = log && followFile({ ...log, clock, onText: (text) => this.take(text) });
  }

  /** Takes a piece from a pipe, which may end within a character: a value with half of one is not known, and so not masked. */
  write(chunk: Uint8Array): void {
    this.take(this.#decoder.write(Buffer.from(chunk)));
  }

  take(text: string): void {
    this.#kept.add(text);
    this.#lines?.take(text);
  }

  /** Takes in what is left of the pipe or the file, and tells the last line. */
  async end(): Promise<void> {
    await this.#followed?.end();
    this.take(this.#decoder.end());
    this.#lines?.end();
  }

  text(): string {
    return this.#kept.text();
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
