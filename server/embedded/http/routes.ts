import type { KubeObject } from '@/lib/kube/object';
import { getApiStatus } from '@/server/kube';
import type { ApiContext, Call, Target } from '../api/context';
import { noSuchPath, notAcceptable, toStatusObject, wrongMethod } from '../api/failures';
import type { Requests } from '../api/requests';
import { apiVersionOf } from '../kinds/resource';
import { answerObject, jsonAnswer } from './answers';
import type { HttpAnswer, HttpHandler, HttpRequest } from './handler';
import { parseTarget } from './paths';
import { answerPodLog } from './pod-log';
import { readBody, readDeleteFlags, readListFlags, readPatch, readWatchFlags, readWriteFlags } from './read-request';
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

async function answerResource(exchange: Exchange): Promise<HttpAnswer> {
  const { requests, request, target, query, call, answer } = exchange;
  const { method } = request;
  const allowed = target.name === undefined ? METHODS_OF_COLLECTION : target.subresource === undefined ? METHODS_OF_OBJECT : undefined;
  if (allowed && !allowed.has(method)) throw wrongMethod();
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
  const object = await requests.get(call, target);
  if (target.subresource === 'log') return answerPodLog(object, query, context.clock.now());
  if (target.subresource !== undefined && target.subresource !== 'status' && target.subresource !== 'scale') throw noSuchPath();
  return answer(200, object);
}

const isWatch = (query: URLSearchParams) => ['1', 'true'].includes(query.get('watch') ?? '');

async function readCollection({ context, requests, request, target, query, call }: Exchange): Promise<HttpAnswer> {
  const { name, subresource: _none, ...whole } = target;
  if (isWatch(query)) {
    const flags = readWatchFlags(query);
    const named = name ? { ...flags, fieldSelector: `metadata.name=${name}` } : flags;
    return streamWatch({ context, requests, call, request, target: whole, flags: named });
  }
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

async function remove({ requests, request, target, query, call, answer }: Exchange): Promise<HttpAnswer> {
  const flags = readDeleteFlags(request, query);
  if (target.name !== undefined) return answer(200, await requests.delete(call, target, flags));
  const items = await requests.deleteCollection(call, target, { ...flags, ...readListFlags(query) });
  return answer(200, { kind: target.resource.listKind, apiVersion: apiVersionOf(target.resource), metadata: {}, items });
}
