import { Worker } from 'node:worker_threads';

/** An object that Helm makes at certain events and waits for; it is no part of the release. */
export interface StoredHook {
  readonly manifest: string;
  readonly events: readonly string[];
  /** How it ended when it ran last, as Helm noted it: times as text; null where it did not run yet. */
  readonly lastRun: HookRun | null;
}

export interface HookRun {
  readonly phase: string;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
}

/** What is read of a release's payload or of Helm's JSON output: as much as chart sync compares and shows. */
export interface DecodedRelease {
  readonly version: number;
  readonly status: string;
  readonly description: string;
  readonly notes: string;
  readonly manifest: string;
  readonly hooks: readonly StoredHook[];
  /** What lies in the crds folder of the chart, file by file. */
  readonly definitions: readonly string[];
  readonly config: unknown;
  /** Of everything that was read, so that two are told apart without being compared. */
  readonly digest: string;
  readonly chart: {
    readonly metadata: unknown;
    readonly values: unknown;
    readonly schema: unknown;
    /** What tells the files from others: names and bytes only, for Helm 4 adds times, which differ in every export. */
    readonly templates: { readonly digest: string };
    readonly files: { readonly digest: string };
  };
}

/** `payload` is `data.release` of a storage Secret; `json` is what a command printed. */
interface Encoded {
  readonly kind: 'payload' | 'json';
  readonly text: string;
}

type Answer = { readonly id: number; readonly release: DecodedRelease } | { readonly id: number; readonly error: string };

interface Waiting {
  readonly resolve: (release: DecodedRelease) => void;
  readonly reject: (error: Error) => void;
}

/** Of one release, unpacked; a Secret holds 1 MB packed at most. */
const MAX_BYTES = 128 * 1024 * 1024;

const PROGRAM = `
const { parentPort } = require('node:worker_threads');
const { createHash } = require('node:crypto');
const { gunzipSync } = require('node:zlib');
const unpack = (text) => {
  const bytes = Buffer.from(Buffer.from(text, 'base64').toString('latin1'), 'base64');
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 0x08;
  return (isPacked ? gunzipSync(bytes, { maxOutputLength: ${MAX_BYTES} }) : bytes).toString('utf8');
};
const sha256 = (text) => createHash('sha256').update(text).digest('hex');
const toDigest = (files) => ({ digest: sha256((files ?? []).map(({ name, data }) => JSON.stringify([name ?? '', data ?? ''])).sort().join('\\n')) });
const toDefinitions = (files) => (files ?? []).flatMap(({ name, data }) => (/^crds[/].*[.]ya?ml$/.test(name ?? '') ? [Buffer.from(data ?? '', 'base64').toString('utf8')] : []));
const toTime = (at) => (typeof at === 'string' && at !== '' && !at.startsWith('0001-') ? at : null);
const toRun = (run) => (run?.phase ? { phase: run.phase, startedAt: toTime(run.started_at), completedAt: toTime(run.completed_at) } : null);
const toHook = ({ manifest, events, last_run }) => ({ manifest: manifest ?? '', events: events ?? [], lastRun: toRun(last_run) });
parentPort.on('message', ({ id, kind, text }) => {
  try {
    const json = kind === 'payload' ? unpack(text) : text;
    const { version, info, manifest, hooks, config, chart } = JSON.parse(json);
    const { metadata, values, schema, templates, files } = chart ?? {};
    const { status, description, notes } = info ?? {};
    const content = { metadata, values, schema, templates: toDigest(templates), files: toDigest(files) };
    parentPort.postMessage({ id, release: { version, status: status ?? '', description: description ?? '', notes: notes ?? '', manifest: manifest ?? '', hooks: (hooks ?? []).map(toHook), definitions: toDefinitions(files), config, digest: sha256(json), chart: content } });
  } catch (error) {
    parentPort.postMessage({ id, error: 'a release of Helm could not be read: ' + (error.code === 'ERR_BUFFER_TOO_LARGE' ? 'it is too large' : error.name) });
  }
});
`;

/** Unpacks releases on a thread of its own, which starts with the first and is replaced when it dies. */
export class Decoder implements AsyncDisposable {
  readonly #waiting = new Map<number, Waiting>();
  #thread: Worker | undefined;
  #next = 0;

  /** Reads one release; an error says what is wrong and nothing of what stands in it. */
  decode(encoded: Encoded): Promise<DecodedRelease> {
    this.#thread ??= this.#start();
    const thread = this.#thread;
    thread.ref(); // only while something is read does it keep the process alive
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      thread.postMessage({ id, ...encoded });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread?.terminate();
  }

  #start(): Worker {
    const thread = new Worker(PROGRAM, { eval: true, execArgv: [] });
    const end = (error: Error) => {
      if (this.#thread !== thread) return;
      this.#thread = undefined;
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    };
    thread.on('message', (answer: Answer) => this.#hear(answer));
    thread.on('error', end);
    thread.on('exit', () => end(new Error('the thread that reads releases ended')));
    return thread;
  }

  #hear(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (this.#waiting.size === 0) this.#thread?.unref();
    if ('error' in answer) waiting?.reject(new Error(answer.error));
    else waiting?.resolve(answer.release);
  }
}
