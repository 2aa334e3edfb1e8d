import { isFields } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { KubeApiError } from '@/server/kube';
import { toServed } from '../kinds/convert';
import type { Resource } from '../kinds/resource';
import { toKey } from '../kinds/resource';
import { keyOf } from '../storage/store';
import type { ApiContext, Target } from './context';
import type { FieldError } from './failures';
import { badRequest, expired, forbiddenField, invalidOptions, notFound, notSupported, tooLargeVersion } from './failures';
import { parseFieldSelector } from './field-selector';
import { parseLabelSelector } from './label-selector';

export interface ListFlags {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: string | undefined;
}

export interface Listed {
  readonly items: readonly KubeObject[];
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** The object of a target, as stored. */
export function readStored({ store }: ApiContext, { resource, namespace, name = '' }: Target): KubeObject {
  const found = store.get(resource.storage, toKey(resource, namespace, name));
  if (found === undefined) throw notFound(resource, name);
  return found;
}

/** The object of a target in the version asked for. */
export function readObject(context: ApiContext, target: Target): KubeObject {
  return toServed(target.resource, readStored(context, target));
}

/** Label and field selectors as one question. */
export function parseSelectors(
  resource: Resource,
  flags: Pick<ListFlags, 'labelSelector' | 'fieldSelector'>,
): (object: KubeObject) => boolean {
  const byLabels = parseLabelSelector(flags.labelSelector);
  const byFields = parseFieldSelector(resource, flags.fieldSelector);
  return (object) => byLabels(object.metadata.labels ?? {}) && byFields(object);
}

/** One page of a list. */
export function listObjects(context: ApiContext, { resource, namespace }: Target, flags: ListFlags): Listed {
  checkVersionFlags(flags);
  const matches = parseSelectors(resource, flags);
  const { version, start } = placeOf(context, flags);
  const all = context.store.listAt(resource.storage, resource.namespaced ? namespace : undefined, version);
  const limit = flags.limit === undefined || flags.limit <= 0 ? Number.POSITIVE_INFINITY : flags.limit;
  const found: KubeObject[] = [];
  let left = 0;
  for (const object of all) {
    if (start !== undefined && keyOf(object) < start) continue;
    if (!matches(object)) continue;
    if (found.length < limit) found.push(object);
    else left++;
  }
  const items = found.map((object) => toServed(resource, object));
  const last = found.at(-1);
  if (left === 0 || last === undefined) return { items, resourceVersion: String(version) };
  // A selector makes the rest uncountable for the real server, so it says nothing.
  const counted = flags.labelSelector || flags.fieldSelector ? {} : { remainingItemCount: left };
  return { items, resourceVersion: String(version), continue: toToken(version, `${keyOf(last)}\0`), ...counted };
}

function checkVersionFlags({ resourceVersion = '', resourceVersionMatch: match, continue: token }: ListFlags): void {
  const errors: FieldError[] = [];
  const field = 'resourceVersionMatch';
  if (match !== undefined && match !== '') {
    if (match !== 'Exact' && match !== 'NotOlderThan') errors.push(notSupported(field, match, ['Exact', 'NotOlderThan', '']));
    else if (resourceVersion === '')
      errors.push(forbiddenField(field, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
    else if (token) errors.push(forbiddenField(field, 'resourceVersionMatch is forbidden when continue is provided'));
    else if (match === 'Exact' && resourceVersion === '0')
      errors.push(forbiddenField(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  }
  if (errors.length > 0) throw invalidOptions('ListOptions', errors);
}

function placeOf({ store }: ApiContext, flags: ListFlags): { readonly version: number; readonly start?: string } {
  const { resourceVersion = '', resourceVersionMatch, limit = 0 } = flags;
  if (flags.continue) {
    if (resourceVersion !== '' && resourceVersion !== '0')
      throw badRequest('specifying resource version is not allowed when using continue');
    return fromToken(store.version, store.forgotten, flags.continue);
  }
  if (resourceVersion === '') return { version: store.version };
  const wanted = parseVersion(resourceVersion, (message) => badRequest(`invalid resource version: ${message}`));
  if (wanted > store.version) throw tooLargeVersion(wanted, store.version);
  const isExact = resourceVersionMatch === 'Exact' || (resourceVersionMatch !== 'NotOlderThan' && limit > 0 && wanted !== 0);
  if (!isExact) return { version: store.version };
  if (wanted < store.forgotten) throw expired('The resourceVersion for the provided list is too old.');
  return { version: wanted };
}

const LARGEST_VERSION = 2n ** 64n - 1n;

/** Reads a resourceVersion that a client sent. */
export function parseVersion(text: string, fail: (message: string) => Error): number {
  const isNumber = /^\d+$/.test(text);
  if (isNumber && BigInt(text) <= LARGEST_VERSION) return Number(text);
  const why = isNumber ? 'value out of range' : 'invalid syntax';
  throw fail(`resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}`);
}

function toToken(version: number, start: string): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: version, start })).toString('base64url');
}

function fromToken(current: number, forgotten: number, token: string): { readonly version: number; readonly start: string } {
  let read: unknown;
  try {
    read = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
  } catch {
    throw badRequest('invalid continue token: continue key is not valid: invalid character'); // the token is no JSON
  }
  const { v = '', rv, start } = isFields(read) ? read : {};
  if (v !== 'meta.k8s.io/v1')
    throw badRequest(`invalid continue token: continue key is not valid: server does not recognize this encoded version ${String(v)}`);
  if (typeof start !== 'string' || typeof rv !== 'number')
    throw badRequest('invalid continue token: continue key is not valid: encoded start key missing');
  if (rv === -1) return { version: current, start };
  if (rv >= forgotten) return { version: rv, start };
  const goOn = Buffer.from(JSON.stringify({ v, rv: -1, start })).toString('base64url');
  const message =
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';
  throw Object.assign(new KubeApiError({ code: 410, reason: 'Expired', message }), { continueToken: goOn });
}
