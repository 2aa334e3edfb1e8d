import { stringify } from 'yaml';
import type { KubeObject } from '@/lib/kube/object';
import type { ApiContext, Target } from '../api/context';
import type { HttpAnswer, HttpRequest } from './handler';
import { parseAccept } from './tables/accept';
import { toTable } from './tables/table';

/** A JSON answer. */
export function jsonAnswer(status: number, body: object, headers: Readonly<Record<string, string>> = {}): HttpAnswer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: `${JSON.stringify(body)}\n` };
}

interface Answered {
  readonly status: number;
  readonly object: KubeObject;
  readonly warnings: readonly string[];
  readonly query: URLSearchParams;
}

/** One object in the form that the client asked for. */
export function answerObject(context: ApiContext, request: HttpRequest, target: Target, { status, object, warnings, query }: Answered): HttpAnswer {
  const headers = warnings.length === 0 ? {} : { warning: warnings.map((text) => `299 - ${JSON.stringify(text)}`).join(', ') };
  const accept = parseAccept(request.headers.accept);
  const isOfKind = object.kind === target.resource.kind;
  if (accept.as === 'Table' && isOfKind) {
    const { resourceVersion = '' } = object.metadata;
    return jsonAnswer(status, toTable(context, target.resource, [object], { resourceVersion, includeObject: query.get('includeObject') }), headers);
  }
  if (accept.as === 'PartialObjectMetadata' && isOfKind) {
    return jsonAnswer(status, { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata }, headers);
  }
  if (accept.isYaml) return { status, headers: { 'content-type': 'application/yaml', ...headers }, body: stringify(object, { aliasDuplicateObjects: false }) };
  if (query.get('pretty') === 'true') return { ...jsonAnswer(status, object, headers), body: `${JSON.stringify(object, null, 2)}\n` };
  return jsonAnswer(status, object, headers);
}
