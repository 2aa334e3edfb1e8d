import type { SentEvent } from '@/lib/contract/event-lines';
import { dataOf } from '@/lib/contract/event-lines';
import type { ObjectStatus, StatusEnd, StatusReference, WantedState } from '@/lib/contract/object-statuses';
import { MAX_REFERENCES, statusChange, statusEnd, statusesBody, statusGone, WAIT_STATES } from '@/lib/contract/object-statuses';
import { formatDuration } from '@/lib/std/duration';
import { formatCount } from '@/lib/words/figures';
import { showInLine } from '@/lib/words/show-hidden';
import type { Client } from './client';

/** What is waited for. */
export interface WaitRequest {
  readonly what:
    | { readonly kind: 'application'; readonly name: string }
    | { readonly kind: 'objects'; readonly references: readonly StatusReference[] };
  readonly namespace: string;
  readonly wanted: WantedState;
  readonly timeout: string;
}

/** How a wait ended: the sentence to end with, and the exit code. */
export interface WaitResult {
  readonly sentence: string;
  readonly code: 0 | 1 | 124;
}

const CODES = { reached: 0, failed: 1, ended: 1, timeout: 124 } as const satisfies Record<StatusEnd['outcome'], number>;

/** Waits, and prints a line for each object that is not as wanted at first, and for each change. */
export async function wait(client: Client, request: WaitRequest, print: (line: string) => void): Promise<WaitResult> {
  const { what, namespace, wanted, timeout } = request;
  const query = `watch&for=${wanted}&timeout=${encodeURIComponent(timeout)}`;
  const lines = createLines(wanted, (line) => print(showInLine(line)));
  const leaving = new AbortController();
  const follow = async (path: string, body?: object): Promise<StatusEnd> => {
    for await (const event of client.stream(path, { signal: leaving.signal, ...(body === undefined ? {} : { body }) })) {
      if (event.event === 'end') return dataOf(event, statusEnd);
      lines.take(event);
    }
    throw new Error('the server closed the connection before the wait ended; try again');
  };
  const of =
    what.kind === 'application'
      ? [follow(`/api/v1/namespaces/${encodeURIComponent(namespace)}/applications/${encodeURIComponent(what.name)}/status?${query}`)]
      : inPieces(what.references).map((objects) => follow(`/api/v1/status?${query}`, { objects, namespace }));
  const end = await worstOf(of).finally(() => leaving.abort());
  const name = what.kind === 'application' ? `application.core.oam.dev/${what.name}` : describeCount(what.references.length);
  return { sentence: showInLine(toSentence(name, wanted, end)), code: CODES[end.outcome] };
}

/** The state of a text that a person wrote; throws a sentence. */
export function parseWanted(text: string): WantedState {
  const wanted = WAIT_STATES.find((state) => state === text);
  if (wanted === undefined) throw new Error(`--for needs ${WAIT_STATES.join(' or ')}, found ${text}`);
  return wanted;
}

/** The first that did not reach what was wanted ends the wait for all. */
async function worstOf(ends: readonly Promise<StatusEnd>[]): Promise<StatusEnd> {
  const raised = ends.map((end) => end.then((told) => (told.outcome === 'reached' ? told : Promise.reject(new NotReached(told)))));
  try {
    const [first] = await Promise.all(raised);
    if (first === undefined) throw new Error('there is nothing to wait for');
    return first;
  } catch (error) {
    if (error instanceof NotReached) return error.end;
    throw error;
  }
}

class NotReached extends Error {
  readonly end: StatusEnd;
  constructor(end: StatusEnd) {
    super(end.sentence);
    this.end = end;
  }
}

function inPieces(references: readonly StatusReference[]): readonly (readonly StatusReference[])[] {
  const pieces: StatusReference[][] = [];
  for (let at = 0; at < references.length; at += MAX_REFERENCES) pieces.push(references.slice(at, at + MAX_REFERENCES));
  return pieces;
}

const HOW = { poll: 'polled', get: 'read', cache: 'as of' } as const;

/** Prints what is new about an object, as kubectl names it. */
function createLines(wanted: WantedState, print: (line: string) => void) {
  const printed = new Map<string, string>();
  const done = wanted === 'current' ? 'Current' : 'NotFound';
  const notify = (object: ObjectStatus, isFirst: boolean) => {
    const name = nameOf(object);
    const line = `${name} ${object.status}${object.message === '' ? '' : `: ${object.message}`}${object.rule === null ? '' : ` [${object.rule}]`}`;
    const key = `${object.ns ?? ''} ${name}`;
    if (printed.get(key) === line) return;
    printed.set(key, line);
    if (!isFirst || object.status !== done) print(`${line}${formatAge(object)}`);
  };
  return {
    take(event: SentEvent) {
      if (event.event === 'statuses') for (const object of dataOf(event, statusesBody).objects) notify(object, true);
      if (event.event === 'change') notify(dataOf(event, statusChange).object, false);
      if (event.event === 'gone') print(`${nameOf(dataOf(event, statusGone))} is no longer part of it`);
    },
  };
}

/** Nothing while it is watched: then what is said is so now. */
function formatAge({ source, ageSeconds }: ObjectStatus): string {
  if (source === null || source === 'watch' || ageSeconds === null) return '';
  return ` (${HOW[source]} ${formatDuration(ageSeconds * 1000)} ago)`;
}

/** As kubectl names objects: `deployment.apps/web`, `configmap/settings`. */
function nameOf({ group, kind, name }: Pick<ObjectStatus, 'group' | 'kind' | 'name'>): string {
  return `${kind.toLowerCase()}${group === '' ? '' : `.${group}`}/${name}`;
}

function describeCount(count: number): string {
  return formatCount(count, 'object');
}

function toSentence(name: string, wanted: WantedState, { outcome, message, sentence }: StatusEnd): string {
  switch (outcome) {
    case 'reached':
      return `${name} ${wanted}`;
    case 'failed':
      return `error: ${name} failed: ${message}`;
    case 'timeout':
      return `error: timed out waiting for ${name} to be ${wanted}: ${message}`;
    case 'ended':
      return `error: ${sentence}`;
  }
}
