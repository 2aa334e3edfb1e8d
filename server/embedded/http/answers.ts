import type { KubeObject } from '@/lib/kube/object';
import { stringifyExact } from '@/lib/std/exact-json';
import { writeYaml } from '@/lib/std/yaml/write-yaml';
import type { ApiContext, Target } from '../api/context';
import type { HttpAnswer, HttpRequest } from './handler';
import { parseAccept } from './tables/accept';
import { toTable } from './tables/table';

/** A JSON answer. */
export function jsonAnswer(status: number, body: object, headers: Readonly<Record<string, string>> = {}): HttpAnswer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: `${stringifyExact(body)}\n` };
}

interface Answered {
  readonly status: number;
  readonly object: KubeObject;
  readonly warnings: readonly string[];
  readonly query: URLSearchParams;
}

/** One object in the form that the client asked for. */
export function answerObject(
  context: ApiContext,
  request: HttpRequest,
  target: Target,
  { status, object, warnings, query }: Answered,
): HttpAnswer {
  const headers = warnings.length === 0 ? {} : { warning: toWarningHeader(warnings) };
  const accept = parseAccept(request.headers.accept);
  const isOfKind = object.kind === target.resource.kind;
  if (accept.as === 'Table' && isOfKind) {
    const { resourceVersion = '' } = object.metadata;
    return jsonAnswer(
      status,
      toTable(context, target.resource, [object], { resourceVersion, includeObject: query.get('includeObject') }),
      headers,
    );
  }
  if (accept.as === 'PartialObjectMetadata' && isOfKind) {
    return jsonAnswer(status, { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata }, headers);
  }
  if (accept.isYaml)
    return {
      status,
      headers: { 'content-type': 'application/yaml', ...headers },
      body: writeYaml(object, { aliasDuplicateObjects: false }),
    };
  if (query.get('pretty') === 'true') return { ...jsonAnswer(status, object, headers), body: `${stringifyExact(object, 2)}\n` };
  return jsonAnswer(status, object, headers);
}

const MAX_CHARACTERS = 4096;
const LONGEST_WHEN_CUT = 256;

// All in one line: what cannot be printed is left out, what is no Latin goes as the bytes of its UTF-8, and what is too much is cut short.
function toWarningHeader(warnings: readonly string[]): string {
  const texts = [...new Set(warnings.map((text) => text.replace(/\p{Cc}/gu, '')))].map((text) => [...text]);
  const isTooMuch = texts.reduce((sum, { length }) => sum + length, 0) > MAX_CHARACTERS;
  const items: string[] = [];
  let written = 0;
  for (const text of texts) {
    const kept = isTooMuch ? text.slice(0, LONGEST_WHEN_CUT) : text;
    if (written >= MAX_CHARACTERS) break;
    written += kept.length;
    items.push(`299 - "${kept.join('').replace(/["\\]/g, '\\$&')}"`);
  }
  return Buffer.from(items.join(', '), 'utf8').toString('latin1');
}
