import { z } from 'zod';
import type { InboxCounts } from './inbox/inbox-query';
import { inboxCounts } from './inbox/inbox-query';
import type { Within } from './lists/within';
import { within } from './lists/within';
import type { ForwardAnswer, ForwardedAnswer, ForwardRequest } from './streams/forward';
import type { TerminalAnswer, TerminalRequest, TerminalSize } from './terminal';

/** Position in one process's stream of changes; another bootId means everything must be read again. */
export const seq = z.object({ bootId: z.string(), seq: z.number().int().min(0) });
export type Seq = z.infer<typeof seq>;

/** How the server came to know a row. */
export const KNOWLEDGE_SOURCES = ['watch', 'poll', 'cache'] as const;

/** How old and how reliable the data behind a topic is. */
export const freshness = z.object({
  observedAt: z.string(),
  source: z.enum(KNOWLEDGE_SOURCES),
  /** Set when the data may be out of date: since when, and a sentence why. */
  stale: z.object({ since: z.string(), reason: z.string() }).nullable(),
});
export type Freshness = z.infer<typeof freshness>;

/** A window of rows: the whole first answer, and the answer after a reset. A detail topic is a window of one row. */
export const snapshotOf = <Row extends z.ZodType>(row: Row) =>
  z.object({
    seq,
    freshness,
    total: z.number().int().min(0),
    order: z.array(z.string()),
    rows: z.array(row),
    counts: inboxCounts.optional(),
    within: within.optional(),
    slipwayWithin: within.optional(),
    olderWithin: within.optional(),
    fluxWithin: within.optional(),
  });

/** Changed rows of a window. Order and total are always whole; rows not in order any more are gone. */
export interface WindowDelta<Row> {
  readonly seq: Seq;
  readonly freshness: Freshness;
  readonly total: number;
  readonly order: readonly string[];
  readonly rows: readonly Row[];
  /** Of the inbox, how many there are of each sort on all pages. */
  readonly counts?: InboxCounts | undefined;
  /** Where the reader may see some namespaces only: which. Rows and counts are of these. */
  readonly within?: Within | undefined;
  /** Of releases, where the reader may see those that Slipway drives in fewer namespaces than those that Flux drives: which. */
  readonly slipwayWithin?: Within | undefined;
  /** Of releases, where the reader may see those of flux.weave.works in fewer namespaces than the others that Slipway drives: which. */
  readonly olderWithin?: Within | undefined;
  /** Of releases, where the reader may see those that Flux drives in some namespaces only, and others elsewhere: which. */
  readonly fluxWithin?: Within | undefined;
}

export interface WindowSnapshot<Row> extends WindowDelta<Row> {}

/** Every row names itself. */
export interface Keyed {
  readonly key: string;
}

/** Folds a delta into a held window. Deltas that are not newer, and of another boot, leave the held one as it is. */
export function foldWindow<Row extends Keyed>(held: WindowSnapshot<Row>, delta: WindowDelta<Row>): WindowSnapshot<Row> {
  if (delta.seq.bootId !== held.seq.bootId || delta.seq.seq <= held.seq.seq) return held;
  const changed = new Map(delta.rows.map((row) => [row.key, row]));
  const known = new Map(held.rows.map((row) => [row.key, row]));
  const rows = delta.order.flatMap((key) => changed.get(key) ?? known.get(key) ?? []);
  return { ...delta, rows };
}

/** Why a subscription was refused. */
export interface SubscribeRefusal {
  readonly kind: 'refused';
  readonly code: 'forbidden' | 'invalid' | 'unauthenticated' | 'not-found' | 'too-many';
  readonly message: string;
  /** The same as over HTTP. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

export type SubscribeAnswer =
  | { readonly kind: 'snapshot'; readonly snapshot: WindowSnapshot<Keyed> }
  /** The client's seq is still known: nothing missed, deltas follow. */
  | { readonly kind: 'resumed'; readonly delta: WindowDelta<Keyed> | null }
  | SubscribeRefusal;

/** What the server sends. */
export interface ServerEvents {
  rows: (topic: string, delta: WindowDelta<Keyed>) => void;
  /** The server no longer remembers what this client has: read the topic again. */
  reset: (topic: string) => void;
  /** The session ended or lost a right; where it lasts, and there was only no room for one more connection, the page may be loaded again. */
  ended: (reason: string, remedy?: 'reload') => void;
  /** What a terminal shows; the next comes once this was taken. */
  'terminal-output': (id: number, bytes: Uint8Array, taken: () => void) => void;
  'terminal-end': (id: number, sentence: string) => void;
  /** What a port of a pod sends; few pieces are under way at a time. */
  'forward-data': (stream: number, bytes: Uint8Array, taken: () => void) => void;
  /** One connection is over; the sentence says what was wrong, where something was. */
  'forward-closed': (stream: number, sentence: string | null) => void;
  'forward-end': (id: number, sentence: string) => void;
}

/** What a client sends: what it wants to see, what is typed into terminals, and what goes to forwarded ports. */
export interface ClientEvents {
  subscribe: (request: { topic: string; since?: Seq }, answer: (reply: SubscribeAnswer) => void) => void;
  unsubscribe: (topic: string) => void;
  'terminal-open': (request: TerminalRequest, answer: (reply: TerminalAnswer) => void) => void;
  'terminal-input': (id: number, text: string, taken: () => void) => void;
  'terminal-size': (id: number, size: TerminalSize) => void;
  'terminal-close': (id: number) => void;
  'forward-open': (request: ForwardRequest, answer: (reply: ForwardAnswer) => void) => void;
  'forward-connect': (id: number, port: number, answer: (reply: ForwardedAnswer) => void) => void;
  'forward-data': (stream: number, bytes: Uint8Array, taken: () => void) => void;
  'forward-close': (stream: number) => void;
}
