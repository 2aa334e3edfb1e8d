import { isFields, readString } from '@/lib/kube/fields';
import { groupOf, versionOf } from '@/lib/kube/object';
import { KubeApiError } from '@/server/kube';
import type { Draft } from '../kinds/draft';
import { within } from '../kinds/draft';
import type { Resource } from '../kinds/resource';
import { apiVersionOf } from '../kinds/resource';
import { rulesOf } from '../kinds/rules/table';
import { schemaNameOf } from '../schemas/built-in';
import { clone, decodeObject, MistypedError } from '../schemas/decode';
import type { Call, WriteFlags } from './context';
import { badRequest, invalid, invalidValue } from './failures';

const SCHEME = '"pkg/runtime/scheme.go:111"'; // where the original keeps them

/** The body is no object of the resource; `why` is what a patch that made it so is told. */
export class UndecodableError extends KubeApiError {
  readonly why: string;

  constructor({ kind, version }: Pick<Resource, 'kind' | 'version'>, why: string, found = { kind, version }) {
    const message = `${found.kind} in version "${found.version}" cannot be handled as a ${kind}: ${why}`;
    super({ code: 400, reason: 'BadRequest', message });
    this.why = why;
  }
}

/** Reads a body as an object of the resource: a copy that belongs to us, with unknown fields gone and defaults in place. */
export function decodeBody(resource: Resource, body: unknown, call: Call, flags: WriteFlags): Draft {
  if (!isFields(body)) throw new UndecodableError(resource, 'the body is not an object');
  const apiVersion = readString(body, 'apiVersion') ?? apiVersionOf(resource);
  const kind = readString(body, 'kind') ?? resource.kind;
  if (kind !== resource.kind || apiVersion !== apiVersionOf(resource)) throw foreign(resource, apiVersion, kind);
  const { managedFields, ...metadata } = isFields(body.metadata) ? body.metadata : {};
  const typed = { ...body, apiVersion, kind, ...(managedFields === undefined ? {} : { metadata }) };
  const { object, unknown } = resource.custom ? decodeCustom(resource, typed) : decodeBuiltIn(resource, typed);
  refuseUnknown(resource, unknown, call, flags);
  // Read where owners are settled, and most often those of the object itself: not copied.
  if (managedFields !== undefined && managedFields !== null) metadataOf(object).managedFields = managedFields;
  return object;
}

function foreign(resource: Resource, apiVersion: string, kind: string): KubeApiError {
  if (resource.custom) {
    if (apiVersion === apiVersionOf(resource))
      return invalid({ ...resource, kind }, '', [invalidValue('kind', kind, `must be ${resource.kind}`)]);
    return badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${apiVersionOf(resource)})`);
  }
  const version = versionOf(apiVersion);
  const to = `${resource.group === '' ? 'core' : resource.group}.${resource.kind}`;
  const isKnown = schemaNameOf(groupOf(apiVersion), version, kind) !== undefined;
  const why = isKnown
    ? `converting (${version}.${kind}) to (${to}): unknown conversion`
    : `no kind "${kind}" is registered for version "${apiVersion}" in scheme ${SCHEME}`;
  return new UndecodableError(resource, why, { kind, version });
}

function decodeBuiltIn(resource: Resource, body: Draft): { readonly object: Draft; readonly unknown: readonly string[] } {
  const decoded = guarded(resource, () =>
    decodeObject(body, schemaNameOf(resource.group, resource.version, resource.kind) ?? '', resource.kind),
  );
  rulesOf(resource.storage).defaults?.(decoded.object);
  return decoded;
}

function decodeCustom(resource: Resource, body: Draft): { readonly object: Draft; readonly unknown: readonly string[] } {
  const object = clone(body) as Draft;
  const { metadata } = object;
  const meta = guarded(resource, () => decodeObject(metadata ?? {}, 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', 'ObjectMeta'));
  object.metadata = meta.object;
  const unknown = [...(resource.custom?.complete(object) ?? []), ...meta.unknown.map((path) => `metadata.${path}`)];
  return { object, unknown };
}

function guarded<Result>(resource: Resource, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof MistypedError)) throw error;
    throw new UndecodableError(resource, error.message);
  }
}

function refuseUnknown(resource: Resource, unknown: readonly string[], call: Call, flags: WriteFlags): void {
  const told = unknown.map((path) => `unknown field "${path}"`);
  if (told.length === 0 || flags.fieldValidation === 'Ignore') return;
  if (flags.fieldValidation === 'Warn') {
    for (const text of told) call.warn(text);
    return;
  }
  throw new UndecodableError(resource, `strict decoding error: ${told.join(', ')}`);
}

/** The metadata of a draft, to write to. */
export function metadataOf(object: Draft): Draft {
  return within(object, 'metadata');
}
