import { KubeApiError } from '@/server/kube';
import type { ApiContext } from '../api/context';
import { noSuchPath } from '../api/failures';
import { VERSION } from '../schemas/built-in';
import { jsonAnswer } from './answers';
import { aggregated, coreVersions, groupList, oneGroup, resourceList } from './discovery-documents';
import type { HttpAnswer, HttpRequest } from './handler';
import { answerOpenApi } from './openapi/documents';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Answers paths that are no resources: probes, version, discovery, schemas. */
export function answerRoot(context: ApiContext, request: HttpRequest, path: string): HttpAnswer {
  allow(context, request, path);
  if (request.method !== 'GET' && request.method !== 'HEAD') throw noSuchPath();
  const plain = path.length > 1 ? path.replace(/\/$/, '') : path;
  if (/^\/(healthz|livez|readyz)(\/.*)?$/.test(plain))
    return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: 'ok' };
  if (plain.startsWith('/openapi/')) return answerOpenApi(context, request, plain);
  const found = documentOf(context, request, plain);
  if (found === undefined) throw noSuchPath();
  return found;
}

function allow({ rights }: ApiContext, { caller, method }: HttpRequest, path: string): void {
  const verb = { GET: 'get', HEAD: 'head', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' }[method] ?? method.toLowerCase();
  if (rights.reasonFor(caller, { verb, path }) !== undefined) return;
  const message = `forbidden: User "${caller.user}" cannot ${verb} path "${path}"`;
  throw new KubeApiError({ code: 403, reason: 'Forbidden', message, details: {} });
}

function documentOf({ registry }: ApiContext, request: HttpRequest, path: string): HttpAnswer | undefined {
  if (path === '/version')
    return jsonAnswer(200, {
      ...VERSION,
      gitCommit: '',
      gitTreeState: 'clean',
      buildDate: '',
      goVersion: '',
      compiler: '',
      platform: 'slipway/embedded',
    });
  if (path === '/')
    return jsonAnswer(200, {
      paths: ['/api', '/api/v1', '/apis', '/healthz', '/livez', '/openapi/v2', '/openapi/v3', '/readyz', '/version'],
    });
  if (path === '/api' || path === '/apis') {
    const isCore = path === '/api';
    if (request.headers.accept?.includes('APIGroupDiscoveryList') && request.headers.accept.includes('v=v2;')) {
      return jsonAnswer(200, aggregated(registry, isCore), { 'content-type': AGGREGATED });
    }
    return jsonAnswer(200, isCore ? coreVersions() : groupList(registry));
  }
  const [, root, group, version, ...rest] = path.split('/');
  if (rest.length > 0) return undefined;
  const document =
    root === 'api' && version === undefined
      ? resourceList(registry, '', group ?? '')
      : root === 'apis'
        ? inGroup(registry, group ?? '', version)
        : undefined;
  return document && jsonAnswer(200, document);
} // prettier-ignore

function inGroup(registry: ApiContext['registry'], group: string, version: string | undefined): object | undefined {
  return version === undefined ? oneGroup(registry, group) : resourceList(registry, group, version);
}
