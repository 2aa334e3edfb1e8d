import type { KubeObject } from '@/lib/kube/object';
import { getApiStatus } from '@/server/kube';
import type { ApiContext, Call, Target } from '../api/context';
import { forbiddenField, invalidOptions, noSuchPath, notAcceptable, toStatusObject, wrongMethod } from '../api/failures';
import { parseVersion } from '../api/read';
import type { Requests } from '../api/requests';
import { withoutReason } from '../api/write';
import { apiVersionOf, findSubresource } from '../kinds/resource';
import { answerObject, jsonAnswer } from './answers';
import type { HttpAnswer, HttpHandler, HttpRequest } from './handler';
import { parseTarget } from './paths';
import { answerPodLog } from './pod/log';
import { connectRefusal, isPodConnect } from './pod/pod-connect';
import { isSet, readBody, readDeleteFlags, readListFlags, readPatch, readWatchFlags, readWriteFlags } from './read-request';
import { answerRoot } from './root-paths';
import { parseAccept } from './tables/accept';
import { toTable } from './tables/table';
import { streamWatch } from './watch-stream';

/** One request to a resource, and what it takes to answer it. */
interface Exchange {
  readonly context: ApiContext;
  readonly requests: Requests;
  readonly request: HttpRequest;
  readonly target: Target;
  readonly query: URLSearchParams;
  readonly call: Call;
  readonly answer: (status: number, object: KubeObject) => HttpAnswer;
}

/** Answers requests by path as the API server does. */
export function createHttpHandler(context: ApiContext, requests: Requests): HttpHandler {
  return async (request) => {
    try {
      const [path, query] = splitUrl(request.url);
      const target = parseTarget(context, path);
      if (target === undefined) return answerRoot(context, request, path);
      if (!parseAccept(request.headers.accept).isServed) throw notAcceptable();
      return await answerResource(toExchange({ context, requests, request, target, query: new URLSearchParams(query) }));
    } catch (error) {
      return toFailure(error);
    }
  };
}

function splitUrl(url: string): readonly [string, string] {
  const at = url.indexOf('?');
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
}

function toFailure(error: unknown): HttpAnswer {
  const status = getApiStatus(error);
  if (status === undefined) throw error;
  const object = toStatusObject(status);
  // A list that went on for too long is told how to go on all the same.
  const { continueToken } = error as { readonly continueToken?: string };
  const seconds = status.details?.retryAfterSeconds;
  const body = continueToken === undefined ? object : { ...object, metadata: { continue: continueToken } };
  return jsonAnswer(status.code, body, seconds === undefined ? {} : { 'retry-after': String(seconds) });
}

function toExchange(parts: Omit<Exchange, 'call' | 'answer'>): Exchange {
  const { context, request, target, query } = parts;
  const warnings: string[] = [];
  return {
    ...parts,
    call: { caller: request.caller, warn: (text) => warnings.push(text), agent: agentOf(request) },
    answer: (status, object) => answerObject(context, request, target, { status, object, warnings, query }),
  };
}

const LONGEST_AGENT = 128;

// The program as its User-Agent begins, without what cannot be printed.
function agentOf({ headers }: HttpRequest): string {
  const [name = ''] = (headers['user-agent'] ?? '').split('/');
  return name.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '').slice(0, LONGEST_AGENT);
}

const METHODS_OF_COLLECTION = new Set(['GET', 'POST', 'DELETE']);
const METHODS_OF_OBJECT = new Set(['GET', 'PUT', 'PATCH', 'DELETE']);

function methodsOf({ resource, name, subresource }: Target): ReadonlySet<string> {
  if (name === undefined) return METHODS_OF_COLLECTION;
  if (subresource === undefined) return METHODS_OF_OBJECT;
  const verbs = findSubresource(resource, subresource)?.verbs;
  return verbs === undefined ? new Set([...METHODS_OF_OBJECT, 'POST']) : new Set(verbs.map((verb) => METHOD_OF_VERB[verb] ?? ''));
}

const METHOD_OF_VERB: Readonly<Record<string, string>> = { get: 'GET', create: 'POST', update: 'PUT', patch: 'PATCH', delete: 'DELETE' };

async function answerResource(exchange: Exchange): Promise<HttpAnswer> {
  const { requests, request, target, query, call, answer } = exchange;
  const { method } = request;
  if (!methodsOf(target).has(method)) throw wrongMethod();
  if (isPodConnect(target.subresource)) {
    throw connectRefusal(await requests.connect(call, target, method === 'GET' ? 'get' : 'create'), target.subresource, {
      headers: request.headers,
      query,
    });
  }
  const body = () => readBody(request, target.resource.kind);
  switch (method) {
    case 'GET':
      return target.name === undefined || isWatch(query) ? readCollection(exchange) : readOne(exchange);
    case 'POST':
      return answer(201, await requests.create(call, target, body(), readWriteFlags('CreateOptions', query)));
    case 'PUT':
      return answer(200, await requests.update(call, target, body(), readWriteFlags('UpdateOptions', query)));
    case 'PATCH':
      return patch(exchange);
    case 'DELETE':
      return remove(exchange);
    default:
      throw wrongMethod();
  }
}

async function patch({ requests, request, target, query, call, answer }: Exchange): Promise<HttpAnswer> {
  let isNew = false;
  const created = () => {
    isNew = true;
  };
  const object = await requests.patch({ ...call, created }, target, readPatch(request), readWriteFlags('PatchOptions', query));
  return answer(isNew ? 201 : 200, object);
}

async function readOne({ context, requests, call, target, query, answer }: Exchange): Promise<HttpAnswer> {
  const since = query.get('resourceVersion') ?? '';
  if (since !== '') parseVersion(since, withoutReason);
  const object = await requests.get(call, target);
  if (target.subresource === 'log') return answerPodLog(object, query, context);
  if (target.subresource !== undefined && target.subresource !== 'status' && target.subresource !== 'scale') throw noSuchPath();
  return answer(200, object);
}

const isWatch = (query: URLSearchParams) => isSet(query, 'watch');

async function readCollection({ context, requests, request, target, query, call }: Exchange): Promise<HttpAnswer> {
  const { name, subresource: _none, ...whole } = target;
  if (isWatch(query)) {
    const flags = readWatchFlags(query);
    const named = name ? { ...flags, fieldSelector: `metadata.name=${name}` } : flags;
    return streamWatch({ context, requests, call, request, target: whole, flags: named });
  }
  if (isSet(query, 'sendInitialEvents'))
    throw invalidOptions('ListOptions', [forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list')]);
  const { items, ...meta } = await requests.list(call, whole, readListFlags(query));
  const { resource } = target;
  const { as } = parseAccept(request.headers.accept);
  if (as === 'Table') return jsonAnswer(200, toTable(context, resource, items, { ...meta, includeObject: query.get('includeObject') }));
  if (as === 'PartialObjectMetadataList') {
    const partial = items.map(({ metadata }) => ({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata }));
    return jsonAnswer(200, { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata: meta, items: partial });
  }
  // Items of a built-in list say no kind of their own, those of custom resources do.
  const told = resource.custom ? items : items.map(({ kind: _kind, apiVersion: _apiVersion, ...rest }) => rest);
  return jsonAnswer(200, { kind: resource.listKind, apiVersion: apiVersionOf(resource), metadata: meta, items: told });
}

async function remove({ context, requests, request, target, query, call, answer }: Exchange): Promise<HttpAnswer> {
  const flags = readDeleteFlags(request, query);
  if (target.name !== undefined) return answer(200, await requests.delete(call, target, flags));
  const items = await requests.deleteCollection(call, target, { ...flags, ...readListFlags(query) });
  const metadata = { resourceVersion: String(context.store.version) };
  return answer(200, { kind: target.resource.listKind, apiVersion: apiVersionOf(target.resource), metadata, items });
}
