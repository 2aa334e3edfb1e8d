import { Worker } from 'node:worker_threads';
import { AppError } from '@/lib/contract/app-error';

/** The versions of each chart of an index that was JSON, as JSON text of their own: as much of each as is asked for. */
export type JsonIndex = ReadonlyMap<string, string>;

type Answer = { readonly charts: JsonIndex } | { readonly fault: string };

/** Of one chart: far more than any has. */
export const MAX_VERSIONS = 20_000;

/** The parser of JSON takes several times the text. */
const LIMITS = { maxOldGenerationSizeMb: 512 };

const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const toVersion = ({ version, urls, digest }) => ({ version, urls: Array.isArray(urls) ? urls.slice(0, 1) : [], digest });
const isObject = (value) => typeof value === 'object' && value !== null;
const toAnswer = () => {
  const { entries } = JSON.parse(workerData) ?? {};
  const lists = Object.entries(entries ?? {}).filter(([, versions]) => Array.isArray(versions));
  return { charts: new Map(lists.map(([name, versions]) => [name, JSON.stringify(versions.filter(isObject).slice(0, ${MAX_VERSIONS + 1}).map(toVersion))])) };
};
try {
  parentPort.postMessage(toAnswer());
} catch (error) {
  parentPort.postMessage({ fault: String(error.message) });
}
`;

/** Reads an index that is JSON, on a thread of its own: one of many megabytes would keep everybody waiting. `refuse` makes an error of what the parser says of a text that is none. */
export async function readJsonIndex(text: string, refuse: (fault: string) => AppError, signal: AbortSignal): Promise<JsonIndex> {
  signal.throwIfAborted();
  const thread = new Worker(PROGRAM, { eval: true, execArgv: [], resourceLimits: LIMITS, workerData: text });
  const tooMuch = () => new AppError('too-large', 'the index of the repository is JSON that takes too much memory to read');
  let end: () => void = () => undefined;
  try {
    const answer = await new Promise<Answer>((resolve, reject) => {
      end = () => reject(signal.reason);
      signal.addEventListener('abort', end, { once: true });
      thread.on('message', resolve);
      thread.on('error', () => reject(tooMuch()));
      thread.on('exit', () => reject(tooMuch()));
    });
    if ('fault' in answer) throw refuse(answer.fault);
    return answer.charts;
  } finally {
    signal.removeEventListener('abort', end);
    await thread.terminate();
  }
}
