import type { Dispatcher } from 'undici';
import { isFields, readNumber, readString } from '@/lib/kube/fields';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import type { Cluster, CollectionAddress, Discovery, ListOptions, ListPage, Person, WatchEvent, WatchOptions } from '../cluster';
import { KubeApiError, KubeTransportError } from '../errors';
import { headerOf, readBytes } from './answers';
import type { Exchange } from './exchange';
import type { JsonParser } from './json-parser';
import { collectionPath, describeCall } from './paths';
import type { Transport } from './transport';
import { parseWatchLine, readLines } from './watch-lines';

const PAGE = 500;
const METADATA = 'g=meta.k8s.io;v=v1';
/** Kinds of what is answered in place of an object of which only metadata was wanted. */
const PARTIAL = 'PartialObjectMetadata';

export interface CollectionParts {
  readonly transport: Transport;
  readonly exchange: Exchange;
  readonly discovery: Discovery;
  readonly parser: JsonParser;
  readonly person: Person | undefined;
}

/** The verbs that read whole collections: list in pages, watch as a stream. */
export function createCollections({ transport, exchange, discovery, parser, person }: CollectionParts): Pick<Cluster, 'list' | 'watch'> {
  async function* list(of: CollectionAddress, options: ListOptions = {}): AsyncGenerator<ListPage> {
    const what = describeCall('list', of, of.namespace);
    const resource = await discovery.resolve(of, options.signal);
    let token = options.continue;
    do {
      const page = await readPage(what, of, collectionPath(resource, of.namespace, pageQuery(options, token)), options);
      token = page.continue;
      yield page;
    } while (token !== undefined);
  }

  async function readPage(what: string, of: TypeRef, path: string, options: ListOptions): Promise<ListPage> {
    const accept = options.metadataOnly ? `application/json;as=${PARTIAL}List;${METADATA}` : undefined;
    const answer = await exchange.send({ what, verb: 'list', method: 'GET', path, accept, signal: options.signal, agent: options.agent });
    const bytes = await readBytes(answer, what);
    const { envelope, items } = await parser.parseList(bytes, what, { omitManagedFields: options.omitManagedFields ?? false });
    options.signal?.throwIfAborted();
    const at = placeOf(envelope);
    if (at === undefined) throw new KubeTransportError(`the answer to ${what} is not a list`);
    return { items: items.map((item) => toItem(item, of)), ...at };
  }

  async function* watch(of: CollectionAddress, options: WatchOptions = {}): AsyncGenerator<WatchEvent> {
    const what = describeCall('watch', of, of.namespace);
    let answer: Dispatcher.ResponseData | undefined;
    try {
      const resource = await discovery.resolve(of, options.signal);
      answer = await transport.send({ what, person, ...watchCall(collectionPath(resource, of.namespace, watchQuery(options)), options) });
      if (answer.statusCode !== 200) throw await exchange.fail(answer, what);
      if (!/json/.test(headerOf(answer, 'content-type') ?? '')) throw new KubeTransportError(`the answer to ${what} is not JSON`);
      options.onOpen?.();
      for await (const line of readLines(answer.body, what)) {
        const event = parseWatchLine(line, what);
        yield options.metadataOnly ? { ...event, object: toItem(event.object, of) } : event;
      }
    } catch (error) {
      if (options.signal?.aborted) return; // the end that was asked for
      throw asBrokenStream(error, what);
    } finally {
      answer?.body.on('error', ignore).destroy();
    }
  }

  return { list, watch };
}

const ignore = () => undefined;

function asBrokenStream(error: unknown, what: string): unknown {
  if (!(error instanceof Error) || error instanceof KubeApiError || error instanceof KubeTransportError) return error;
  const cut = 'code' in error || error.name === 'AbortError' || error.message === 'terminated';
  return cut ? new KubeTransportError(`${what} broke off: ${error.message}`, { cause: error }) : error;
}

/** Where a page of a list stands in the whole; undefined for what is no list. */
function placeOf(envelope: unknown): Omit<ListPage, 'items'> | undefined {
  const resourceVersion = readString(envelope, 'metadata', 'resourceVersion');
  const next = readString(envelope, 'metadata', 'continue');
  const remaining = readNumber(envelope, 'metadata', 'remainingItemCount');
  if (resourceVersion === undefined) return undefined;
  return { resourceVersion, ...(next ? { continue: next } : {}), ...(remaining === undefined ? {} : { remainingItemCount: remaining }) };
}

function pageQuery({ limit = PAGE, ...options }: ListOptions, token: string | undefined) {
  const { labelSelector, fieldSelector, resourceVersion, resourceVersionMatch } = options;
  // With a token the version is in the token; the server refuses both.
  const version = token === undefined ? { resourceVersion, resourceVersionMatch } : { continue: token };
  return { limit, labelSelector, fieldSelector, ...version };
}

/** A watch: a stream, which nobody but its reader begins anew. */
function watchCall(path: string, { metadataOnly, signal, agent }: WatchOptions) {
  const accept = metadataOnly ? `application/json;as=${PARTIAL};${METADATA}` : 'application/json';
  const headers = { accept, 'accept-encoding': 'identity' };
  return { verb: 'watch', method: 'GET', path, headers, signal, agent, lane: 'stream', repeatable: false } as const;
}

function watchQuery(options: WatchOptions) {
  const { labelSelector, fieldSelector, resourceVersion, resourceVersionMatch, sendInitialEvents, allowWatchBookmarks, timeoutSeconds } =
    options;
  return {
    watch: true,
    labelSelector,
    fieldSelector,
    resourceVersion,
    resourceVersionMatch,
    sendInitialEvents,
    allowWatchBookmarks,
    timeoutSeconds,
  };
}

// Items of built-in lists carry no type of their own, metadata alone one that is not its object's.
function toItem(item: unknown, of: TypeRef): KubeObject {
  if (!isFields(item) || !isFields(item.metadata))
    throw new KubeTransportError(`a list of ${of.kind} holds something that is not an object`);
  return (typeof item.kind === 'string' && item.kind !== PARTIAL
    ? item
    : { ...item, apiVersion: of.apiVersion, kind: of.kind }) as unknown as KubeObject; // typed just above
}
