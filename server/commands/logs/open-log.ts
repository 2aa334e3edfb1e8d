import { readString } from '@/lib/kube/fields';
import type { Cluster } from '@/server/kube';
import type { LogBuffer } from './log-buffer';
import { createLineReader } from './read-line';
import { LineSplitter } from './split-lines';

/** Which part of which log. */
export interface LogPart {
  readonly ns: string;
  readonly pod: string;
  readonly container: string;
  readonly previous: boolean;
  readonly follow: boolean;
  readonly tail: number | undefined;
  /** From then on, as RFC 3339 in whole seconds. */
  readonly since: string | undefined;
}

/** How reading came out. `refused` is the cluster's sentence and its code. */
export type ReadOutcome = { readonly kind: 'over' } | { readonly kind: 'refused'; readonly status: number; readonly sentence: string };

interface Into {
  readonly cluster: Cluster;
  readonly feed: LogBuffer;
  /** Number of the source. */
  readonly from: number;
  readonly signal: AbortSignal;
  /** Lines that were told before, when the same log was read until its connection broke. */
  readonly after: number;
  /** Called once the cluster has answered with a log. */
  readonly onOpen: () => void;
}

const MAX_SENTENCE = 4000;

/** Reads a log into a feed until it is over. It is read no faster than the feed is emptied, which the node feels in the end. */
export async function readLog(part: LogPart, { cluster, feed, from, signal, after, onOpen }: Into): Promise<ReadOutcome> {
  const answer = await cluster.request({ path: toPath(part), signal });
  if (answer.status !== 200) return { kind: 'refused', status: answer.status, sentence: await readSentence(answer.body, answer.status) };
  feed.turn('open');
  onOpen();
  const cutter = new LineSplitter();
  const read = createLineReader(from);
  let repeats = Number.isFinite(after);
  const push = (line: Parameters<typeof read>[0]) => {
    const placed = read(line);
    if (repeats && placed.order !== undefined && placed.order <= after) return;
    repeats = false;
    feed.push(placed);
  };
  for await (const piece of answer.body) {
    for (const line of cutter.take(piece)) {
      push(line);
      if (feed.isFull) await feed.room();
      if (signal.aborted) return { kind: 'over' };
    }
  }
  const rest = cutter.rest();
  if (rest !== undefined && !signal.aborted) push(rest);
  return { kind: 'over' };
}

function toPath({ ns, pod, container, previous, follow, tail, since }: LogPart): string {
  const query = new URLSearchParams({ container, timestamps: 'true' });
  if (previous) query.set('previous', 'true');
  if (follow) query.set('follow', 'true');
  if (tail !== undefined) query.set('tailLines', String(tail));
  if (since !== undefined) query.set('sinceTime', since);
  return `/api/v1/namespaces/${encodeURIComponent(ns)}/pods/${encodeURIComponent(pod)}/log?${query}`;
}

async function readSentence(body: AsyncIterable<Uint8Array>, status: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of body) {
    text += decoder.decode(piece, { stream: true });
    if (text.length > MAX_SENTENCE) break;
  }
  try {
    return readString(JSON.parse(text), 'message') ?? `the cluster answered ${status}`;
  } catch {
    return `the cluster answered ${status}`; // an answer of a proxy; its status tells
  }
}
