import { isFields } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { WatchEvent } from '../cluster';
import { KubeApiError, KubeTransportError } from '../errors';
import { parseBounded } from '../json-bodies';
import { toApiStatus } from './answers';

const NEWLINE = 0x0a;

/** Splits a stream of bytes into whole lines; bytes after the last newline are a line that was cut. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>, what: string): AsyncGenerator<string> {
  let begun: Uint8Array[] = [];
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const piece = chunk.subarray(from, end);
      const line = begun.length === 0 ? piece : Buffer.concat([...begun, piece]);
      begun = [];
      from = end + 1;
      if (line.length > 0) yield Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString('utf8');
    }
    if (from < chunk.length) begun.push(chunk.subarray(from));
  }
  if (begun.length > 0) throw new KubeTransportError(`${what} broke off within a line`);
}

/** Reads one line of a watch; an ERROR event is thrown as the API's error. */
export function parseWatchLine(line: string, what: string): WatchEvent {
  let event: unknown;
  try {
    event = parseBounded(line);
  } catch (error) {
    throw new KubeTransportError(`${what} sent a line that is not valid JSON`, { cause: error });
  }
  if (!isFields(event) || !isFields(event.object)) throw new KubeTransportError(`${what} sent a line that is not an event`);
  switch (event.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
    case 'BOOKMARK':
      if (!isFields(event.object.metadata)) throw new KubeTransportError(`${what} sent an event without an object`);
      return { type: event.type, object: event.object as unknown as KubeObject }; // has kind and metadata; the rest is read by field readers
    case 'ERROR':
      throw new KubeApiError(toApiStatus(event.object));
    default:
      throw new KubeTransportError(`${what} sent an event of unknown type ${JSON.stringify(event.type)}`);
  }
}
