import { Worker } from 'node:worker_threads';
import { DISPATCH_MANAGER } from '@/lib/kube/applied-lists';
import { JsonDepth, MAX_READ_LEVELS } from '@/lib/kube/depth';
import { isFields } from '@/lib/kube/fields';
import { MARK, QUOTED_OR_LONG, SUSPECT, unmark } from '@/lib/std/exact-json';
import type { Log, Registry } from '@/server/platform';
import { Counter, realClock, yieldToEventLoop } from '@/server/platform';
import { parseBounded } from '../json-bodies';
import { parseJson } from './answers';
import { splitList } from './split-list';

const OFF_THREAD_BYTES = 1_000_000;
/** Of a list, in one turn. */
const COUNTED_BYTES = 1_000_000;
const OFF_THREAD = 'slipway_kube_lists_parsed_off_thread_total';
const ITEMS_PER_MESSAGE = 50;

/** A parsed list; items are as the server sent them, save managedFields when they were to be left out; those of objects that a dispatch wrote stay. */
export interface ParsedList {
  readonly envelope: Readonly<Record<string, unknown>>;
  readonly items: readonly unknown[];
}

/**
 * Parses lists without keeping the main thread: item by item with turns for others between, and very large ones on a thread of its own. A
 * thread costs twice the processor time, as what it made is taken apart and put together again on its way.
 */
export interface JsonParser extends AsyncDisposable {
  parseList(bytes: Buffer, what: string, options: ListOptions): Promise<ParsedList>;
}

interface ListOptions {
  readonly omitManagedFields: boolean;
}

/**
 * The worker's whole program, inline so that it survives bundling into one file. It answers in small messages, each only once the one
 * before was read: those that are there are read in one turn, which would block the main thread for as long as parsing would have.
 */
const PROGRAM = `
const { parentPort } = require('node:worker_threads');
const SUSPECT = ${SUSPECT};
const QUOTED_OR_LONG = ${QUOTED_OR_LONG};
const mark = (found) => (found.startsWith('"') ? found : ${JSON.stringify(JSON.stringify(MARK).slice(0, -1))} + found + '"');
const isDispatched = (fields) => Array.isArray(fields) && fields.some((entry) => entry?.manager === ${JSON.stringify(DISPATCH_MANAGER)});
const lists = new Map();
const notify = (id) => {
  const list = lists.get(id);
  if (list === undefined) return;
  const items = list.items.slice(list.at, list.at + list.size);
  list.at += list.size;
  if (items.length > 0) return parentPort.postMessage({ id, items, marked: list.marked });
  lists.delete(id);
  parentPort.postMessage({ id, envelope: list.envelope });
};
parentPort.on('message', ({ id, bytes, omit, size }) => {
  if (bytes === undefined) return notify(id);
  try {
    const text = Buffer.from(bytes).toString('utf8');
    const marked = SUSPECT.test(text);
    const { items: found, ...envelope } = JSON.parse(marked ? text.replace(QUOTED_OR_LONG, mark) : text);
    const items = found ?? [];
    if (omit) for (const item of items) if (item.metadata && !isDispatched(item.metadata.managedFields)) delete item.metadata.managedFields;
    lists.set(id, { items, envelope, marked, size, at: 0 });
    notify(id);
  } catch (error) {
    parentPort.postMessage({ id, error: String(error) });
  }
});
`;

interface Pending {
  readonly items: unknown[];
  resolve(list: ParsedList): void;
  reject(error: Error): void;
}

type Message =
  | { readonly id: number; readonly items: unknown[]; readonly marked: boolean }
  | { readonly id: number; readonly envelope: Record<string, unknown> }
  | { readonly id: number; readonly error: string };

/** A parser whose thread starts with the first large list. A thread that dies is replaced; its lists are parsed here. */
export function createJsonParser(log: Log, metrics?: Registry): JsonParser {
  const pending = new Map<number, Pending>();
  let worker: Worker | undefined;
  let nextId = 0;
  const count = createCount(metrics);

  function hear(message: Message): void {
    const waiting = pending.get(message.id);
    if (waiting === undefined) return;
    if ('items' in message) {
      for (const item of message.items) waiting.items.push(message.marked ? unmark(item) : item);
      // The next, please, in a turn of its own: messages of several lists that come while these are read would be read in this one.
      realClock.schedule(0, () => worker?.postMessage({ id: message.id }));
      return;
    }
    pending.delete(message.id);
    if (pending.size === 0) worker?.unref();
    if ('error' in message) waiting.reject(new Error(message.error));
    else waiting.resolve({ envelope: message.envelope, items: waiting.items });
  }

  function start(): Worker {
    const started = new Worker(PROGRAM, { eval: true, execArgv: [] });
    const onEnd = (error: Error) => {
      if (worker !== started) return;
      worker = undefined;
      for (const [id, waiting] of pending) {
        pending.delete(id);
        waiting.reject(error);
      }
    };
    started.on('message', hear);
    started.on('error', onEnd);
    started.on('exit', () => onEnd(new Error('the parsing thread ended')));
    return started;
  }

  function parseElsewhere(bytes: Buffer, omitManagedFields: boolean): Promise<ParsedList> {
    worker ??= start();
    const thread = worker;
    thread.ref(); // only while a list is under way does the thread keep the process alive
    const id = nextId++;
    count();
    return new Promise((resolve, reject) => {
      pending.set(id, { items: [], resolve, reject });
      thread.postMessage({ id, bytes, omit: omitManagedFields, size: ITEMS_PER_MESSAGE });
    });
  }

  return {
    async parseList(bytes, what, options) {
      if (bytes.byteLength <= OFF_THREAD_BYTES || (await isTooDeep(bytes))) return parseInPieces(bytes, what, options);
      try {
        return await parseElsewhere(bytes, options.omitManagedFields);
      } catch (error) {
        log.warn({ what, error: String(error) }, 'a list could not be parsed off the main thread');
        return parseInPieces(bytes, what, options);
      }
    },
    async [Symbol.asyncDispose]() {
      await worker?.terminate();
    },
  };
}

/** What is cut of a list could not be told from one thread to the other. */
async function isTooDeep(bytes: Buffer): Promise<boolean> {
  const depth = new JsonDepth(MAX_READ_LEVELS);
  for (let from = 0; from < bytes.byteLength; from += COUNTED_BYTES) {
    if (depth.take(bytes.subarray(from, from + COUNTED_BYTES).toString('latin1'))) return true;
    await yieldToEventLoop(realClock);
  }
  return false;
}

function createCount(registry: Registry | undefined): () => void {
  if (registry === undefined) return () => undefined;
  registry.removeSingleMetric(OFF_THREAD); // a second cluster of this process takes the name over
  const counter = new Counter({
    name: OFF_THREAD,
    help: 'Lists so large that they were parsed on a thread of their own.',
    registers: [registry],
  });
  return () => counter.inc();
}

async function parseInPieces(bytes: Buffer, what: string, { omitManagedFields }: ListOptions): Promise<ParsedList> {
  const cut = splitList(bytes, omitManagedFields);
  const items: unknown[] = [];
  try {
    let next = cut.next();
    for (; !next.done; next = cut.next()) {
      items.push(parseBounded(next.value));
      await yieldToEventLoop(realClock);
    }
    if (next.value !== undefined) return { envelope: toList(parseBounded(next.value)).envelope, items };
  } catch {
    // No JSON: parsed as a whole it is refused with the reason.
  }
  return toList(parseJson(bytes, what));
}

function toList(body: unknown): ParsedList {
  const { items, ...envelope } = isFields(body) ? body : {};
  return { envelope, items: Array.isArray(items) ? items : [] };
}
