import { isFields } from '@/lib/kube/fields';
import { badRequest } from '../api/failures';
import type { Draft } from '../kinds/draft';
import { clone } from '../schemas/decode';

/** RFC 7386: members are merged, null removes, anything else replaces. */
export function applyMergePatch(object: Draft, body: unknown): Draft {
  if (body === null) throw badRequest('Invalid JSON Patch');
  if (!isFields(body)) {
    const found = Array.isArray(body) ? 'array' : typeof body;
    throw badRequest(`error decoding patch: json: cannot unmarshal ${found} into Go value of type map[string]interface {}`);
  }
  return merge(object, body) as Draft;
}

function merge(into: unknown, patch: unknown): unknown {
  if (!isFields(patch)) return clone(patch);
  const merged: Draft = isFields(into) ? { ...into } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (key === '__proto__') continue;
    if (value === null) delete merged[key];
    else merged[key] = merge(merged[key], value);
  }
  return merged;
}
