import { parse as parseYaml } from 'yaml';
import { isFields, readField, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { PatchBody, PatchType } from '@/server/kube';
import type { WriteFlags } from '../api/context';
import type { DeleteFlags } from '../api/delete';
import { badRequest, unsupportedMediaType } from '../api/failures';
import type { ListFlags } from '../api/read';
import type { WatchFlags } from '../api/watch';
import type { HttpRequest } from './handler';

const PATCH_TYPES: Readonly<Record<string, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
};
const ACCEPTED = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';

const mediaTypeOf = (request: HttpRequest, fallback: string) => (request.headers['content-type'] ?? fallback).split(';')[0]?.trim() ?? '';

/** The object in a body, JSON or YAML. */
export function readBody(request: HttpRequest, kind: string): KubeObject {
  const type = mediaTypeOf(request, 'application/json');
  if (type !== 'application/json' && type !== 'application/yaml') {
    throw unsupportedMediaType(`the body of the request was in an unknown format - accepted media types include: ${ACCEPTED}`);
  }
  const refuse = (why: string) => badRequest(`the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; ${why}`);
  let body: unknown;
  try {
    body = type === 'application/yaml' ? parseYaml(request.body, { maxAliasCount: 100 }) : JSON.parse(request.body);
  } catch (error) {
    throw refuse(`json parse error: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isFields(body)) throw refuse('json parse error: the body is no object');
  const { metadata } = body;
  return { ...body, metadata: isFields(metadata) ? metadata : {} } as KubeObject; // decoded against its schema further in
}

/** The patch in a body, by its media type. */
export function readPatch(request: HttpRequest): PatchBody {
  const type = PATCH_TYPES[mediaTypeOf(request, '')];
  if (type === undefined) throw unsupportedMediaType('415: Unsupported Media Type', {});
  if (type === 'apply') return { type, body: readConfiguration(request.body) };
  try {
    return { type, body: JSON.parse(request.body) };
  } catch {
    throw badRequest('error decoding patch: unexpected end of JSON input');
  }
}

// JSON is YAML, and read faster as what it is.
function readConfiguration(text: string): unknown {
  try {
    return text.startsWith('{') ? JSON.parse(text) : parseYaml(text, { maxAliasCount: 100 });
  } catch (error) {
    throw badRequest(`error decoding YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
}

export function readWriteFlags(query: URLSearchParams): WriteFlags {
  const wanted = query.get('fieldValidation');
  const force = query.get('force');
  return {
    dryRun: query.getAll('dryRun').includes('All'),
    fieldValidation: wanted === 'Ignore' || wanted === 'Strict' ? wanted : 'Warn',
    fieldManager: query.get('fieldManager') ?? '',
    ...(force === null ? {} : { force: force === 'true' || force === '1' }),
  };
}

export function readListFlags(query: URLSearchParams): ListFlags {
  const limit = query.get('limit');
  return {
    labelSelector: query.get('labelSelector') ?? undefined,
    fieldSelector: query.get('fieldSelector') ?? undefined,
    continue: query.get('continue') ?? undefined,
    resourceVersion: query.get('resourceVersion') ?? undefined,
    resourceVersionMatch: query.get('resourceVersionMatch') ?? undefined,
    limit: limit === null ? undefined : Number(limit),
  };
}

export function readWatchFlags(query: URLSearchParams): WatchFlags {
  const seconds = Number(query.get('timeoutSeconds') ?? 0);
  const initial = query.get('sendInitialEvents');
  return {
    ...readListFlags(query),
    sendInitialEvents: initial === null ? undefined : initial === 'true',
    allowWatchBookmarks: query.get('allowWatchBookmarks') === 'true',
    timeoutSeconds: seconds > 0 ? seconds : undefined,
  };
}

/** Options of a deletion, which clients send in the body or in the query. */
export function readDeleteFlags(request: HttpRequest, query: URLSearchParams): DeleteFlags {
  const body = request.body === '' ? {} : readBody(request, 'DeleteOptions');
  const grace = readField(body, 'gracePeriodSeconds') ?? query.get('gracePeriodSeconds') ?? undefined;
  const policy = readString(body, 'propagationPolicy') ?? query.get('propagationPolicy') ?? undefined;
  const uid = readString(body, 'preconditions', 'uid');
  const resourceVersion = readString(body, 'preconditions', 'resourceVersion');
  const dryRun = readField(body, 'dryRun');
  return {
    ...(grace === undefined ? {} : { gracePeriodSeconds: Number(grace) }),
    ...(policy === undefined ? {} : { propagationPolicy: policy as 'Orphan' }), // judged by the deletion
    preconditions: { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) },
    dryRun: query.getAll('dryRun').includes('All') || (Array.isArray(dryRun) && dryRun.includes('All')),
  };
}
