import { isFields, readField, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { PatchBody, PatchType } from '@/server/kube';
import type { WriteFlags } from '../api/context';
import type { DeleteFlags } from '../api/delete';
import type { FieldError } from '../api/failures';
import { badRequest, invalidOptions, notSupported, unsupportedMediaType } from '../api/failures';
import type { ListFlags } from '../api/read';
import type { WatchFlags } from '../api/watch';
import type { HttpRequest } from './handler';
import { parseText } from './parse-body';

const PATCH_TYPES: ReadonlyMap<string, PatchType> = new Map([
  ['application/json-patch+json', 'json'],
  ['application/merge-patch+json', 'merge'],
  ['application/strategic-merge-patch+json', 'strategic'],
  ['application/apply-patch+yaml', 'apply'],
]);
const ACCEPTED = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';

const mediaTypeOf = (request: HttpRequest, fallback: string) => (request.headers['content-type'] ?? fallback).split(';')[0]?.trim() ?? '';

/** The object in a body, JSON or YAML. */
export function readBody(request: HttpRequest, kind: string): KubeObject {
  const type = mediaTypeOf(request, 'application/json');
  if (type !== 'application/json' && type !== 'application/yaml') {
    throw unsupportedMediaType(`the body of the request was in an unknown format - accepted media types include: ${ACCEPTED}`);
  }
  const refuse = (why: string) =>
    badRequest(`the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; ${why}`);
  let body: unknown;
  try {
    body = parseText(request.body, type === 'application/yaml' ? 'yaml' : 'json');
  } catch (error) {
    throw refuse(`json parse error: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isFields(body)) throw refuse('json parse error: the body is not an object');
  for (const member of ['apiVersion', 'kind']) {
    const found = body[member];
    if (found !== undefined && found !== null && typeof found !== 'string') throw refuse(`json parse error: ${member} is not a string`);
  }
  return { ...body, metadata: body.metadata ?? {} } as KubeObject; // decoded against its schema further in
}

/** The patch in a body, by its media type. */
export function readPatch(request: HttpRequest): PatchBody {
  const type = PATCH_TYPES.get(mediaTypeOf(request, ''));
  if (type === undefined) throw unsupportedMediaType('415: Unsupported Media Type', {});
  if (type === 'apply') return { type, body: readConfiguration(request.body) };
  try {
    return { type, body: parseText(request.body, 'json') };
  } catch (error) {
    throw badRequest(`error decoding patch: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function readConfiguration(text: string): unknown {
  try {
    return parseText(text, 'yaml');
  } catch (error) {
    throw badRequest(`error decoding YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const VALIDATIONS = ['', 'Ignore', 'Strict', 'Warn'];

/** Options of a write, which stand in the query. */
export function readWriteFlags(kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions', query: URLSearchParams): WriteFlags {
  const wanted = query.get('fieldValidation') ?? '';
  const force = query.get('force');
  const errors: FieldError[] = [...dryRunErrors(query)];
  if (!VALIDATIONS.includes(wanted)) errors.push(notSupported('fieldValidation', wanted, VALIDATIONS));
  if (errors.length > 0) throw invalidOptions(kind, errors);
  return {
    dryRun: query.getAll('dryRun').includes('All'),
    fieldValidation: wanted === 'Ignore' || wanted === 'Strict' ? wanted : 'Warn',
    fieldManager: query.get('fieldManager') ?? '',
    ...(force === null ? {} : { force: isSet(query, 'force') }),
  };
}

function dryRunErrors(query: URLSearchParams): readonly FieldError[] {
  const said = query.getAll('dryRun').filter((word) => word !== '');
  return said.every((word) => word === 'All') ? [] : [notSupported('dryRun', said, ['All'])];
}

/** Options of a list, which stand in the query. */
export function readListFlags(query: URLSearchParams): ListFlags {
  readWholeNumber(query, 'timeoutSeconds');
  return {
    labelSelector: query.get('labelSelector') ?? undefined,
    fieldSelector: query.get('fieldSelector') ?? undefined,
    continue: query.get('continue') ?? undefined,
    resourceVersion: query.get('resourceVersion') ?? undefined,
    resourceVersionMatch: query.get('resourceVersionMatch') ?? undefined,
    limit: readWholeNumber(query, 'limit'),
  };
}

/** Whether a flag is in the query; whatever is neither `false` nor `0` sets it. */
export function isSet(query: URLSearchParams, name: string): boolean {
  const said = query.get(name);
  return said !== null && said !== '0' && said.toLowerCase() !== 'false';
}

/** Options of a watch, which stand in the query. */
export function readWatchFlags(query: URLSearchParams): WatchFlags {
  const seconds = readWholeNumber(query, 'timeoutSeconds') ?? 0;
  const initial = query.get('sendInitialEvents');
  return {
    ...readListFlags(query),
    sendInitialEvents: initial === null ? undefined : isSet(query, 'sendInitialEvents'),
    allowWatchBookmarks: isSet(query, 'allowWatchBookmarks'),
    timeoutSeconds: seconds > 0 ? seconds : undefined,
  };
}

/** Options of a deletion, which clients send in the body or in the query. */
export function readDeleteFlags(request: HttpRequest, query: URLSearchParams): DeleteFlags {
  const body = request.body === '' ? {} : readBody(request, 'DeleteOptions');
  const inQuery = readWholeNumber(query, 'gracePeriodSeconds');
  const grace = readField(body, 'gracePeriodSeconds') ?? inQuery;
  if (grace !== undefined && !Number.isInteger(grace)) {
    const found = Array.isArray(grace) ? 'array' : typeof grace;
    throw badRequest(`json: cannot unmarshal ${found} into Go struct field DeleteOptions.gracePeriodSeconds of type int64`);
  }
  const errors = dryRunErrors(query);
  if (errors.length > 0) throw invalidOptions('DeleteOptions', errors);
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

const LARGEST = 2n ** 63n - 1n;

/** A whole number in the query, as Go reads an int64. */
export function readWholeNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  const refuse = (why: string) => badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}`);
  if (!/^[+-]?\d+$/.test(text)) throw refuse('invalid syntax');
  const value = BigInt(text.replace(/^\+/, ''));
  if (value > LARGEST || value < -LARGEST - 1n) throw refuse('value out of range');
  return Number(value);
}
