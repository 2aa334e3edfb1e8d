import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { isFields, readField, readList, readNumber, readString } from '@/lib/kube/fields';
import type { ApiStatus, StatusCause } from '../errors';
import { KubeApiError, KubeTransportError } from '../errors';
import { parseBounded } from '../json-bodies';

const gunzipBytes = promisify(gunzip);

/** The first value of a header. */
export function headerOf(answer: Pick<Dispatcher.ResponseData, 'headers'>, name: string): string | undefined {
  const value = answer.headers[name];
  return Array.isArray(value) ? value[0] : (value ?? undefined);
}

/** Reads a body to its end and unpacks it. */
export async function readBytes(answer: Dispatcher.ResponseData, what: string): Promise<Buffer> {
  try {
    const packed = Buffer.from(await answer.body.arrayBuffer());
    return headerOf(answer, 'content-encoding') === 'gzip' ? await gunzipBytes(packed) : packed;
  } catch (error) {
    throw new KubeTransportError(`the answer to ${what} broke off`, { cause: error });
  }
}

/** Parses a body that must be JSON. */
export function parseJson(bytes: Buffer, what: string): unknown {
  try {
    return parseBounded(bytes.toString('utf8'));
  } catch (error) {
    throw new KubeTransportError(`the answer to ${what} is not valid JSON`, { cause: error });
  }
}

/** Seconds of a Retry-After header; dates are not used by API servers. */
export function retryAfterOf(answer: Pick<Dispatcher.ResponseData, 'headers'>): number | undefined {
  const text = headerOf(answer, 'retry-after');
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** The error of an answer that is no success. Whatever is no Status (a proxy's page) gets one in its place. */
export async function readFailure(answer: Dispatcher.ResponseData, what: string): Promise<KubeApiError> {
  const text = (await readBytes(answer, what)).toString('utf8');
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined; // said by something that is no API server; its words go into the message
  }
  const retryAfterSeconds = retryAfterOf(answer);
  if (isFields(body) && body.kind === 'Status') return new KubeApiError(toApiStatus(body, answer.statusCode, retryAfterSeconds));
  const reason = REASONS[answer.statusCode] ?? (answer.statusCode >= 500 ? 'InternalError' : 'Unknown');
  const excerpt = text.slice(0, 200).replace(/\s+/g, ' ').trim();
  return new KubeApiError({
    code: answer.statusCode,
    reason,
    message: `${what} was answered ${answer.statusCode}${excerpt === '' ? '' : `: ${excerpt}`}`,
    ...(retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } }),
  });
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** Reads a Status object. */
export function toApiStatus(body: unknown, fallbackCode = 500, retryAfterSeconds?: number): ApiStatus {
  const details = readField(body, 'details');
  const wait = readNumber(details, 'retryAfterSeconds') ?? retryAfterSeconds;
  const texts = Object.fromEntries(
    (['name', 'group', 'kind', 'uid'] as const).flatMap((member) => {
      const value = readString(details, member);
      return value === undefined ? [] : [[member, value]];
    }),
  );
  const causes = readList(details, 'causes').map(toCause);
  const read = { ...texts, ...(causes.length > 0 ? { causes } : {}), ...(wait === undefined ? {} : { retryAfterSeconds: wait }) };
  return {
    code: readNumber(body, 'code') ?? fallbackCode,
    reason: readString(body, 'reason') ?? '',
    message: readString(body, 'message') ?? '',
    ...(Object.keys(read).length > 0 ? { details: read } : {}),
  };
}

function toCause(cause: unknown): StatusCause {
  return Object.fromEntries(
    (['reason', 'message', 'field'] as const).flatMap((member) => {
      const value = readString(cause, member);
      return value === undefined ? [] : [[member, value]];
    }),
  );
}

/** The texts of Warning headers (`299 - "text"`). */
export function warningsOf(answer: Pick<Dispatcher.ResponseData, 'headers'>): readonly string[] {
  const value = answer.headers.warning;
  const lines = value === undefined ? [] : Array.isArray(value) ? value : [value];
  return lines.flatMap((line) =>
    [...line.matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)].map((found) => (found[1] ?? '').replace(/\\(.)/g, '$1')),
  );
}
