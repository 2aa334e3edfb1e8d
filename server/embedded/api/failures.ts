import type { KubeObject } from '@/lib/kube/object';
import { stringifyExact } from '@/lib/std/exact-json';
import type { ApiStatus, StatusCause } from '@/server/kube';
import { KubeApiError, UnknownPathError } from '@/server/kube';

/** What a failure needs to know of a resource to name it. */
export interface Named {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
}

/** One thing wrong with one field. */
export interface FieldError {
  readonly reason:
    | 'FieldValueRequired'
    | 'FieldValueInvalid'
    | 'FieldValueForbidden'
    | 'FieldValueNotSupported'
    | 'FieldValueDuplicate'
    | 'FieldValueTypeInvalid'
    | 'FieldValueTooLong'
    | 'FieldValueTooMany'
    | 'FieldValueNotFound'; // prettier-ignore
  readonly field: string;
  readonly message: string;
}

/** The field must be there. */
export const required = (field: string, detail = ''): FieldError => ({
  reason: 'FieldValueRequired',
  field,
  message: `Required value${detail === '' ? '' : `: ${detail}`}`,
});

/** The field has a value that it may not have. */
export const invalidValue = (field: string, value: unknown, detail: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field,
  message: `Invalid value: ${quote(value)}: ${detail}`,
});

/** The field may not be set, or not changed. */
export const forbiddenField = (field: string, detail: string): FieldError => ({
  reason: 'FieldValueForbidden',
  field,
  message: `Forbidden: ${detail}`,
});

/** The field has none of the values it may have. */
export const notSupported = (field: string, value: unknown, allowed: readonly string[]): FieldError => ({
  reason: 'FieldValueNotSupported',
  field,
  message: `Unsupported value: ${quote(value)}: supported values: ${allowed.map((word) => JSON.stringify(word)).join(', ')}`,
});

/** The entry occurs twice. */
export const duplicate = (field: string, value: unknown): FieldError => ({
  reason: 'FieldValueDuplicate',
  field,
  message: `Duplicate value: ${quote(value)}`,
});

function quote(value: unknown): string {
  return value === undefined ? 'null' : stringifyExact(value);
}

/** `deployments.apps` of a resource, as sentences name it. */
export const nameOfResource = ({ group, plural }: Pick<Named, 'group' | 'plural'>) => (group === '' ? plural : `${plural}.${group}`);

const fail = (code: number, reason: string, message: string, details?: ApiStatus['details']) =>
  new KubeApiError({ code, reason, message, ...(details ? { details } : {}) });

const detailsOf = (of: Named, name: string) => ({
  ...(name === '' ? {} : { name }),
  ...(of.group === '' ? {} : { group: of.group }),
  kind: of.plural,
});

export const notFound = (of: Named, name: string) =>
  fail(404, 'NotFound', `${nameOfResource(of)} "${name}" not found`, detailsOf(of, name));

export const alreadyExists = (of: Named, name: string) =>
  fail(409, 'AlreadyExists', `${nameOfResource(of)} "${name}" already exists`, detailsOf(of, name));

export const conflict = (of: Named, name: string, why: string) =>
  fail(409, 'Conflict', `Operation cannot be fulfilled on ${nameOfResource(of)} "${name}": ${why}`, detailsOf(of, name));

export const badRequest = (message: string) => fail(400, 'BadRequest', message);

export const forbidden = (of: Named, name: string, why: string, causes?: readonly StatusCause[]) =>
  fail(403, 'Forbidden', `${nameOfResource(of)}${name === '' ? '' : ` "${name}"`} is forbidden: ${why}`, {
    ...detailsOf(of, name),
    ...(causes ? { causes } : {}),
  });

export const unauthorized = () => fail(401, 'Unauthorized', 'Unauthorized');

export const methodNotAllowed = (of: Named, verb: string) =>
  fail(405, 'MethodNotAllowed', `${verb} is not supported on resources of kind "${nameOfResource(of)}"`, detailsOf(of, ''));

/** The path itself is unknown. */
export const noSuchPath = () =>
  new UnknownPathError({ code: 404, reason: 'NotFound', message: 'the server could not find the requested resource', details: {} });

export const expired = (message: string) => fail(410, 'Expired', message);

export const tooLargeVersion = (wanted: number, current: number) =>
  fail(504, 'Timeout', `Too large resource version: ${wanted}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });

export const unsupportedMediaType = (message: string, details?: ApiStatus['details']) =>
  fail(415, 'UnsupportedMediaType', message, details);

export const notAcceptable = () =>
  fail(
    406,
    'NotAcceptable',
    'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
  );

/** The path is known, the method is not for it. */
export const wrongMethod = () => fail(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});

export const tooLarge = (message: string) => fail(413, 'RequestEntityTooLarge', message);

export const internal = (message: string) => fail(500, 'InternalError', message);

/** The node of a pod cannot be reached; the API server gives no reason for it. */
export const nodeUnreachable = (why: string) => fail(500, '', `error dialing backend: ${why}`);

/** 422 with one cause per wrong field. */
export function invalid(of: Pick<Named, 'group' | 'kind'>, name: string, errors: readonly FieldError[]): KubeApiError {
  const sentences = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
  const said = sentences.length === 1 ? sentences[0] : `[${sentences.join(', ')}]`;
  const title = of.group === '' ? of.kind : `${of.kind}.${of.group}`;
  return fail(422, 'Invalid', `${title} "${name}" is invalid: ${said}`, {
    ...(name === '' ? {} : { name }),
    ...(of.group === '' ? {} : { group: of.group }),
    ...(of.kind === '' ? {} : { kind: of.kind }),
    causes: errors.map(({ reason, field, message }) => ({ reason, message, field })),
  });
}

/** Options of a list, watch or delete that contradict each other. */
export const invalidOptions = (kind: `${'List' | 'Delete' | 'Create' | 'Update' | 'Patch'}Options`, errors: readonly FieldError[]) =>
  invalid({ group: 'meta.k8s.io', kind }, '', errors);

/** The Status object that goes over the wire. */
export function toStatusObject(status: ApiStatus): KubeObject {
  const { code, reason, message, details } = status;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(reason === '' ? {} : { reason }),
    ...(details ? { details } : {}),
    code,
  };
}
