import { isAppError } from '@/lib/contract/app-error';

/** One cause of a Status, naming a field. */
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** The Status object of the API server, as far as it is used. */
export interface ApiStatus {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details?: {
    readonly name?: string;
    readonly group?: string;
    readonly kind?: string;
    readonly uid?: string;
    readonly causes?: readonly StatusCause[];
    readonly retryAfterSeconds?: number;
  };
}

const API_BRAND = Symbol.for('slipway/kube-api-error');
const PATH_BRAND = Symbol.for('slipway/unknown-path-error');
const TRANSPORT_BRAND = Symbol.for('slipway/kube-transport-error');

/** The API server answered, and the answer is no success. */
export class KubeApiError extends Error {
  readonly [API_BRAND] = true;
  readonly status: ApiStatus;

  constructor(status: ApiStatus, options?: { readonly cause?: unknown }) {
    const told = withoutEcho(status);
    super(told.message, options);
    this.name = 'KubeApiError';
    this.status = told;
  }
}

// A patch that does not fit is quoted whole, and with it the object that it was laid over: all values of a Secret among them.
const ECHO = /(\bpatch: Invalid value: )"(?:[^"\\]|\\.)*"/g;
const withoutEcho = (status: ApiStatus): ApiStatus => {
  const { details, message } = status;
  const clean = (text: string) => text.replace(ECHO, '$1(not repeated)');
  const causes = details?.causes?.map((cause) => {
    const { message: said } = cause;
    return said === undefined || cause.field !== 'patch'
      ? cause
      : { ...cause, message: said.replace(/^(Invalid value: )"(?:[^"\\]|\\.)*"/, '$1(not repeated)') };
  });
  return { ...status, message: clean(message), ...(causes === undefined ? {} : { details: { ...details, causes } }) };
};

/** No answer: connection refused or cut, time-out, an answer that is no JSON. */
export class KubeTransportError extends Error {
  readonly [TRANSPORT_BRAND] = true;

  constructor(sentence: string, options?: { readonly cause?: unknown }) {
    super(sentence, options);
    this.name = 'KubeTransportError';
  }
}

/** The API server knows no such path, which says nothing of any object: the kind may be served at another version, or something else may have answered. */
export class UnknownPathError extends KubeApiError {
  readonly [PATH_BRAND] = true;
}

/** The API server serves no such kind, or not at this version. */
export class NoMatchError extends Error {
  readonly type: { readonly apiVersion: string; readonly kind: string };
  /** The apiVersions that the kind is served at instead. */
  readonly servedAs: readonly string[];

  constructor(type: { readonly apiVersion: string; readonly kind: string }, servedAs: readonly string[] = []) {
    const instead = servedAs.length === 0 ? '' : `: the cluster does not serve that version, only ${servedAs.join(', ')}`;
    super(`no matches for kind "${type.kind}" in version "${type.apiVersion}"${instead}`);
    this.name = 'NoMatchError';
    this.type = type;
    this.servedAs = servedAs;
  }
}

/** The group of a kind could not be asked, so nobody knows whether the kind exists. */
export class DiscoveryFailedError extends Error {
  constructor(group: string, options?: { readonly cause?: unknown }) {
    const why = options?.cause instanceof Error ? `: ${options.cause.message}` : '';
    super(`the API group "${group}" could not be discovered${why}`, options);
    this.name = 'DiscoveryFailedError';
  }
}

/** The Status of an answer, when the error is one; looks through causes. */
export function getApiStatus(error: unknown): ApiStatus | undefined {
  for (let at = error; typeof at === 'object' && at !== null; at = (at as { cause?: unknown }).cause) {
    if (API_BRAND in at) return (at as KubeApiError).status;
  }
  return undefined;
}

/** True when no answer came, as opposed to an answer that is no success. */
export const isTransportFailure = hasBrand(TRANSPORT_BRAND);

/** True when it is the server that has trouble, whatever it was asked: it does not answer, has too much to do, or fails by itself. */
export function isServerError(error: unknown): boolean {
  const code = getApiStatus(error)?.code ?? 0;
  return code === 429 || code >= 500 || isTransportFailure(error);
}

/** How long the server asks to be left alone; 0 where it does not say. */
export function retryAfterMs(error: unknown): number {
  return (getApiStatus(error)?.details?.retryAfterSeconds ?? 0) * 1000;
}

const isUnknownPath = hasBrand(PATH_BRAND);

function hasBrand(brand: symbol) {
  return (error: unknown): boolean => {
    for (let at = error; typeof at === 'object' && at !== null; at = (at as { cause?: unknown }).cause) {
      if (brand in at) return true;
    }
    return false;
  };
}

const hasReason = (reason: string) => (error: unknown) => getApiStatus(error)?.reason === reason;

export const isAlreadyExists = hasReason('AlreadyExists');
export const isBadRequest = hasReason('BadRequest');
export const isConflict = hasReason('Conflict');
export const isForbidden = hasReason('Forbidden');
export const isInvalid = hasReason('Invalid');

/**
 * True where the API server does not let us act as somebody, whatever they may do themselves. From 1.36 on it tells the way that it tried first:
 * `cannot impersonate-on:user-info:create resource "roles"`.
 */
export function isImpersonationRefused(error: unknown): boolean {
  return isForbidden(error) && /cannot impersonate(?:(?:-on)?:[\w:-]+)? resource/.test(getApiStatus(error)?.message ?? '');
}

/** True when the server will not let us follow a kind: no right to it, or no watch of it at all. Asking again changes nothing until somebody grants it. */
export function isReadRefused(error: unknown): boolean {
  return [403, 405, 501].includes(getApiStatus(error)?.code ?? 0);
}

const hasReasonNotFound = hasReason('NotFound');

/** True when the server says that there is no such object; that it knows no such path is another thing. */
export function isNotFound(error: unknown): boolean {
  return hasReasonNotFound(error) && !isUnknownPath(error);
}

const CONTENT_CODES: ReadonlySet<number> = new Set([400, 413, 422]);

/** Refused before it was sent; looks through causes. */
function isInvalidHere(error: unknown): boolean {
  for (let at = error; typeof at === 'object' && at !== null; at = (at as { cause?: unknown }).cause) {
    if (isAppError(at) && at.code === 'invalid') return true;
  }
  return false;
}

/** True when what was written was refused for what it says: the same will be refused again until somebody changes it. */
export function isRefusedForContent(error: unknown): boolean {
  return CONTENT_CODES.has(getApiStatus(error)?.code ?? 0) || isInvalidHere(error);
}

/** The version asked for is older than what the server still knows: list again. */
export function isExpired(error: unknown): boolean {
  const status = getApiStatus(error);
  return status !== undefined && (status.code === 410 || status.reason === 'Expired' || status.reason === 'Gone');
}

/** True when no such kind is served at this version. */
export function isNoMatch(error: unknown): boolean {
  return error instanceof Error && error.name === 'NoMatchError';
}

/** True when the kind cannot be reached at this version: discovery says so, or the server does not know the path. */
export function isUnserved(error: unknown): boolean {
  return isNoMatch(error) || isUnknownPath(error);
}

/** What a request answers; undefined where it fails as was expected. */
export async function ignoreError<Answer>(expected: (error: unknown) => boolean, request: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await request;
  } catch (error) {
    if (expected(error)) return undefined;
    throw error;
  }
}

/** What a request for an object answers; undefined where there is no such object. */
export function ignoreNotFound<Answer>(request: Promise<Answer>): Promise<Answer | undefined> {
  return ignoreError(isNotFound, request);
}

/** True where somebody else changed the object first, or removed it. */
export function isConflictOrGone(error: unknown): boolean {
  return isConflict(error) || isNotFound(error);
}
