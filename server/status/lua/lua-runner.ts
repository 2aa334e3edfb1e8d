import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { toInstant } from '@/lib/std/instant';
import type { Clock } from '@/server/platform';
import { monotonicMsOf } from '@/server/platform';

/** One health check in Lua. */
export interface LuaScript {
  /** `group/Kind` or a family, as rules are keyed. */
  readonly key: string;
  /** Where it was read, for people. */
  readonly source: string;
  readonly code: string;
}

/** What a script made of an object. Told by nothing (`nil`) it leaves the object to others. */
export type LuaAnswer =
  | { readonly kind: 'told'; readonly status: string; readonly message: string; readonly readsTime: boolean }
  | { readonly kind: 'nothing'; readonly readsTime: boolean }
  | { readonly kind: 'fault'; readonly sentence: string }
  /** Not asked yet: the thread starts, or has too much to do for one turn. Ask again in a second. */
  | { readonly kind: 'later'; readonly sentence: string };

/** What one run of a script may take. */
const BOUNDS = { instructions: 1_000_000, memory: 8 * 1024 * 1024, milliseconds: 250 };
/** How long the main thread waits for one answer, and for all answers within a turn. */
const WAIT_MS = 45;
const TURN_MS = 20;
/** Two answers that long apart are of two turns. */
const PAUSE_MS = 100;
/** How long an answer that nobody waits for may take before the thread is ended: the machine may be busy, the script stuck in a single call. */
const PATIENCE_MS = 1000;
/** A script that ran too long that often is left alone for a minute. */
const MAX_OVERRUNS = 2;
const REST_MS = 60_000;
const THREAD_LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32 };

interface Thread {
  readonly worker: Worker;
  readonly port: MessageChannel['port1'];
  readonly flag: Int32Array;
  ready: boolean;
}

interface Asked {
  readonly script: LuaScript;
  readonly object: KubeObject;
  readonly at: number;
  readonly now: Instant;
}

/**
 * Runs scripts on a thread of their own and waits for each answer without turning the event loop, so that whoever asks gets a
 * status and no promise. Within one turn it waits 65 ms at the very most; what comes after is asked in the background.
 */
export class LuaRunner implements AsyncDisposable {
  #thread: Thread | undefined;
  #ended = false;
  #id = 0;
  #answeredAt = 0;
  #spent = { until: 0, ms: 0 };
  readonly #known = new WeakMap<KubeObject, { readonly script: LuaScript; readonly answer: LuaAnswer }>();
  readonly #asked = new Map<number, Asked>();
  readonly #overruns = new Map<LuaScript, { readonly times: number; readonly until: Instant; readonly sentence: string }>();

  readonly #checks = new Map<number, (wrong: readonly (string | null)[]) => void>();
  /** What was found of the scripts that were checked last, by their code. */
  #checked: ReadonlyMap<string, string | null> = new Map();
  readonly #steadyMs: () => number;

  private constructor(clock: Clock) {
    this.#steadyMs = () => monotonicMsOf(clock);
  }

  /** Starts the thread and waits until it can be asked. */
  static async start(clock: Clock): Promise<LuaRunner> {
    const runner = new LuaRunner(clock);
    await runner.#start();
    return runner;
  }

  /** Runs a script on an object; answers that do not depend on the time are kept with the object. */
  run(script: LuaScript, object: KubeObject, now: Instant): LuaAnswer {
    const held = this.#known.get(object);
    if (held?.script === script) return held.answer;
    const overrun = this.#overruns.get(script);
    if (overrun !== undefined && overrun.times >= MAX_OVERRUNS && now < overrun.until)
      return fault(script, `${overrun.sentence}, and is left alone for a minute`);
    const thread = this.#readyThread(now);
    if (thread === undefined) return { kind: 'later', sentence: `The Lua health check of ${script.source} waits for its thread` };
    const started = this.#steadyMs();
    if (started - this.#spent.until > PAUSE_MS) this.#spent = { until: started, ms: 0 };
    const id = this.#send(thread, { script, object, at: started, now });
    if (this.#asked.size > 1 || this.#spent.ms > TURN_MS)
      return { kind: 'later', sentence: `The Lua health check of ${script.source} is being asked` };
    const answer = this.#await(thread, id);
    const ended = this.#steadyMs();
    this.#spent = { until: ended, ms: this.#spent.ms + ended - started };
    return answer ?? { kind: 'later', sentence: `The Lua health check of ${script.source} takes longer than ${WAIT_MS} ms` };
  }

  /** What is wrong with scripts as they are written, without running them; one that nobody can look at now passes for right. */
  async check(scripts: readonly LuaScript[]): Promise<ReadonlyMap<LuaScript, string>> {
    const held = this.#checked;
    const unknown = scripts.filter(({ code }) => !held.has(code));
    const found = new Map(
      unknown.length === 0 ? [] : (await this.#look(unknown)).map((wrong, index) => [unknown[index]?.code ?? '', wrong]),
    );
    this.#checked = new Map(
      scripts.flatMap(({ code }) => (found.has(code) || held.has(code) ? [[code, found.get(code) ?? held.get(code) ?? null]] : [])),
    );
    const wrong = (script: LuaScript) => found.get(script.code) ?? held.get(script.code);
    return new Map(scripts.flatMap((script) => (wrong(script) ? [[script, fault(script, wrong(script) ?? '').sentence]] : [])));
  }

  #look(scripts: readonly LuaScript[]): Promise<readonly (string | null)[]> {
    const thread = this.#thread;
    if (thread === undefined) return Promise.resolve([]);
    const id = ++this.#id;
    return new Promise((resolve) => {
      this.#checks.set(id, resolve);
      thread.port.ref(); // nothing else may keep the process alive while it starts
      thread.port.postMessage({ id, scripts: scripts.map(({ code, key }) => ({ code, name: key })) });
    });
  }

  #note(script: LuaScript, now: Instant, sentence: string): void {
    const times = (this.#overruns.get(script)?.times ?? 0) + 1;
    this.#overruns.set(script, { times, until: toInstant(now + REST_MS), sentence });
  }

  /** Ends the thread. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended = true;
    const thread = this.#thread;
    this.#thread = undefined;
    thread?.port.close();
    await thread?.worker.terminate();
  }

  /** The thread, unless it starts or is stuck with what nobody waits for. */
  #readyThread(now: Instant): Thread | undefined {
    const thread = this.#thread;
    if (thread === undefined) {
      if (!this.#ended) void this.#start().catch(() => undefined); // asked again with the next object
      return undefined;
    }
    const [oldest] = this.#asked.values();
    if (oldest === undefined || this.#steadyMs() - Math.max(oldest.at, this.#answeredAt) < PATIENCE_MS)
      return thread.ready ? thread : undefined;
    this.#overruns.set(oldest.script, {
      times: MAX_OVERRUNS,
      until: toInstant(now + REST_MS),
      sentence: `ran longer than ${PATIENCE_MS} ms`,
    });
    this.#asked.clear();
    this.#end(thread);
    return undefined;
  }

  #send(thread: Thread, asked: Asked): number {
    const id = ++this.#id;
    this.#asked.set(id, asked);
    const { script, object, now } = asked;
    thread.port.postMessage({ id, script: script.code, name: script.key, object, seconds: Math.floor(now / 1000) });
    return id;
  }

  #await({ flag, port }: Thread, id: number): LuaAnswer | undefined {
    const end = this.#steadyMs() + WAIT_MS;
    for (let seen = Atomics.load(flag, 0); seen !== id; seen = Atomics.load(flag, 0)) {
      const left = end - this.#steadyMs();
      if (left <= 0 || Atomics.wait(flag, 0, seen, left) === 'timed-out') return undefined;
    }
    let answer: LuaAnswer | undefined;
    for (let said = receiveMessageOnPort(port); said !== undefined; said = receiveMessageOnPort(port)) answer = this.#take(said.message);
    return answer;
  }

  #take(said: Said): LuaAnswer | undefined {
    this.#checks.get(said.id)?.(said.wrong ?? []);
    if (this.#checks.delete(said.id) && this.#checks.size === 0) this.#thread?.port.unref();
    const asked = this.#asked.get(said.id);
    if (asked === undefined) return undefined;
    this.#asked.delete(said.id);
    this.#answeredAt = this.#steadyMs();
    const { script, object, now } = asked;
    if (said.broken === true && this.#thread !== undefined) this.#end(this.#thread);
    const answer = toAnswer(script, said);
    if (said.overran === true) {
      this.#note(script, now, said.fault ?? 'ran too long');
    } else {
      this.#overruns.delete(script);
      if (said.readsTime !== true) this.#known.set(object, { script, answer });
    }
    return answer;
  }

  async #start(): Promise<void> {
    const shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    const { port1, port2 } = new MessageChannel();
    const worker = new Worker(new URL('./lua-worker.mjs', import.meta.url), {
      execArgv: [],
      resourceLimits: THREAD_LIMITS,
      workerData: { shared, port: port2, bounds: BOUNDS },
      transferList: [port2],
    });
    const thread: Thread = { worker, port: port1, flag: new Int32Array(shared), ready: false };
    this.#thread = thread;
    port1.on('message', (said: Said) => this.#take(said));
    port1.unref();
    await new Promise<void>((resolve, reject) => {
      worker.once('message', () => resolve());
      worker.on('error', (error: Error) => {
        this.#end(thread);
        reject(error);
      });
      worker.once('exit', () => {
        this.#end(thread);
        reject(new Error('the Lua thread ended'));
      });
    });
    worker.unref(); // from here on it ends with the process, and keeps it from ending no more
    thread.ready = true;
    Atomics.store(thread.flag, 0, this.#id);
  }

  /** Ends a thread; the next object has another one. */
  #end(thread: Thread): void {
    if (this.#thread === thread) this.#thread = undefined;
    for (const [id, resolve] of this.#checks) {
      this.#checks.delete(id);
      resolve([]);
    }
    thread.port.close();
    void thread.worker.terminate();
  }
}

interface Said {
  readonly id: number;
  readonly status?: string;
  readonly message?: string;
  readonly readsTime?: boolean;
  readonly fault?: string;
  /** It was stopped by the bounds of time or instructions. */
  readonly overran?: boolean;
  readonly broken?: boolean;
  /** What is wrong with each script of a check. */
  readonly wrong?: readonly (string | null)[];
}

function toAnswer(script: LuaScript, { status, message = '', readsTime = false, fault: sentence }: Said): LuaAnswer {
  if (sentence !== undefined) return fault(script, sentence);
  return status === undefined ? { kind: 'nothing', readsTime } : { kind: 'told', status, message, readsTime };
}

function fault({ source }: LuaScript, what: string) {
  return { kind: 'fault' as const, sentence: `The Lua health check of ${source} ${what}` };
}
