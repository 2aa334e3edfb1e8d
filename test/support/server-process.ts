import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { obtainHelm } from '../../scripts/helm-binary.mjs';

const START_LIMIT_MS = 180_000;
const END_LIMIT_MS = 15_000;
/** A server of a test lives for a minute: to optimise the WebAssembly of its Postgres would take three seconds of processor time and give none back. */
const BRIEF = ['--liftoff-only'];

/** The built server as a process of its own, on loopback and a free port; disposing ends it and removes its data. */
export interface ServerProcess extends AsyncDisposable {
  /** The printed address with its one-time token. */
  readonly address: string;
  readonly origin: string;
  readonly dataDir: string;
  readonly pid: number;
  /** Milliseconds from the start of the process to its address, the build aside when it was there. */
  readonly startedIn: number;
  /** What it wrote to standard error so far. */
  readonly stderr: () => string;
  /** Throws what failed, with how the process ended and what it said last, where it did end. */
  readonly explain: (cause: unknown) => never;
  /** Its exit code once it ended; the signal's name when one ended it. */
  ended(): Promise<number | string>;
  /** Ends it at once, as a power cut of the process would; its data stays. */
  kill(): Promise<void>;
  /** Starts it again on the same data and port. */
  restart(): Promise<void>;
}

/** Starts the built server and answers once it printed its address. */
export async function startServerProcess(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'slipway-e2e-'));
  let stderr = '';
  const launch = async (port: string) => {
    const started = performance.now();
    const child = spawn(process.execPath, [...BRIEF, 'scripts/start.mjs', '--port', port, '--data-dir', dataDir, ...args], {
      env: { ...process.env, NODE_ENV: 'production', KUBECONFIG: '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stderr?.on('data', (text: Buffer) => {
      stderr += text.toString();
    });
    const address = await addressOf(child, () => stderr);
    return { child, address, startedIn: Math.round(performance.now() - started) };
  };
  let running = await launch('0');
  const end = async (signal: NodeJS.Signals) => {
    const { child } = running;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill(signal);
    const late = setTimeout(() => child.kill('SIGKILL'), END_LIMIT_MS);
    await ended;
    clearTimeout(late);
  };
  return {
    get address() {
      return running.address;
    },
    get origin() {
      return new URL(running.address).origin;
    },
    get pid() {
      return running.child.pid ?? 0;
    },
    get startedIn() {
      return running.startedIn;
    },
    dataDir,
    stderr: () => stderr,
    explain(cause) {
      const how = running.child.exitCode ?? running.child.signalCode;
      if (how === null) throw cause;
      throw new Error(`the server ended with ${how}; it said last: ${stderr.slice(-2000)}`, { cause });
    },
    ended() {
      const { child } = running;
      const how = () => child.exitCode ?? child.signalCode;
      const known = how();
      return known !== null ? Promise.resolve(known) : new Promise((resolve) => child.once('exit', () => resolve(how() ?? 'unknown')));
    },
    kill: () => end('SIGKILL'),
    async restart() {
      const { port } = new URL(running.address);
      running = await launch(port);
    },
    async [Symbol.asyncDispose]() {
      await end('SIGTERM');
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Starts it without a demonstration, with Helm, and with loops that look again by themselves after an hour only: what happens was asked for. */
export async function startQuietChartServer(): Promise<ServerProcess> {
  const { path: helm } = await obtainHelm();
  return startServerProcess(['--demonstration', 'off', '--helm', helm, '--git-poll-interval', '1h', '--charts-sync-interval', '1h']);
}

function addressOf(child: ChildProcess, stderr: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => fail(`the server printed no address within ${START_LIMIT_MS} ms`), START_LIMIT_MS);
    const fail = (sentence: string) => {
      clearTimeout(late);
      child.kill('SIGKILL');
      reject(new Error(`${sentence}\n${stderr()}`));
    };
    child.once('exit', (code) => fail(`the server ended with ${code} before it printed an address`));
    if (child.stdout === null) return fail('the server has no standard output');
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (!/^https?:\/\//.test(line)) return;
      clearTimeout(late);
      resolve(line.trim());
    });
  });
}
