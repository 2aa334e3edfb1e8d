import type { Operation } from 'fast-json-patch';
import jsonPatch from 'fast-json-patch';
import { isFields } from '@/lib/kube/fields';
import { KubeApiError } from '@/server/kube';
import { badRequest } from '../api/failures';
import type { Draft } from '../kinds/draft';
import { clone } from '../schemas/decode';

const OPERATIONS = new Set(['add', 'remove', 'replace', 'move', 'copy', 'test']);
const MAX_OPERATIONS = 10_000;

/** RFC 6902 on an object of our own. */
export function applyJsonPatch(object: Draft, body: unknown): Draft {
  if (!Array.isArray(body)) {
    const found = isFields(body) ? 'object' : typeof body;
    throw badRequest(`error decoding patch: json: cannot unmarshal ${found} into Go value of type []handlers.jsonPatchOp`);
  }
  if (body.length > MAX_OPERATIONS)
    throw badRequest(`The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${body.length}`);
  try {
    let patched: unknown = object;
    for (const operation of body) patched = applyOne(patched, operation);
    if (isFields(patched)) return patched as Draft; // plain JSON, ours
  } catch (error) {
    if (error instanceof KubeApiError) throw error;
  }
  throw refused();
}

function applyOne(object: unknown, operation: unknown): unknown {
  if (!isFields(operation) || typeof operation.op !== 'string' || !OPERATIONS.has(operation.op) || typeof operation.path !== 'string')
    throw refused();
  if (operation.path === '' && operation.op !== 'replace' && operation.op !== 'test') throw refused(); // only these take the whole
  // The API server's library lets `replace` add what is not there.
  const op = operation.op === 'replace' && !isThere(object, operation.path) ? 'add' : operation.op;
  // The library copies by way of a text, in which numbers lose digits.
  if (op === 'copy' && typeof operation.from === 'string') {
    const value = clone(jsonPatch.getValueByPointer(object, operation.from) as unknown);
    return jsonPatch.applyOperation(object, { op: 'add', path: operation.path, value }, true, true, true).newDocument;
  }
  return jsonPatch.applyOperation(object, { ...operation, op } as Operation, true, true, true).newDocument;
}

function isThere(object: unknown, path: string): boolean {
  return path === '' || jsonPatch.getValueByPointer(object, path) !== undefined;
}

function refused(): KubeApiError {
  return new KubeApiError({
    code: 422,
    reason: 'Invalid',
    message: 'the server rejected our request due to an error in our request',
    details: {},
  });
}
