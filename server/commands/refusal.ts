import { AppError, isAppError, messageOf } from '@/lib/contract/app-error';
import type { ErrorCode } from '@/lib/contract/error-code';
import { getApiStatus, isNoMatch, isTransportFailure } from '@/server/kube';

const BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'invalid',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not-found',
  405: 'rejected',
  409: 'conflict',
  410: 'conflict',
  413: 'too-large',
  422: 'invalid',
  429: 'too-many',
};

const MAX_CAUSES = 3;

/** Any failure as one that callers may see: refusals of the cluster keep its sentence, surprises keep theirs to the log. */
export function toAppError(error: unknown): AppError {
  if (isAppError(error)) return error;
  const status = getApiStatus(error);
  if (status !== undefined) {
    const code = BY_STATUS[status.code] ?? (status.code >= 500 ? 'unavailable' : 'rejected');
    return new AppError(code, `The cluster answered: ${status.message}`, { cause: error, details: { reason: status.reason } });
  }
  if (isTransportFailure(error)) return new AppError('unavailable', `The cluster does not answer: ${messageOf(error)}`, { cause: error });
  if (isNoMatch(error)) return new AppError('not-found', `The cluster does not know this kind: ${messageOf(error)}`, { cause: error });
  return new AppError('internal', 'Something failed inside the server; its log says what.', { cause: error });
}

/** The fields at fault and what is wrong with them. What the API server adds is left out: values such as whole pod templates, and differences line by line. */
export function explainInvalid(error: unknown): string {
  const causes = getApiStatus(error)?.details?.causes ?? [];
  if (causes.length === 0) return toAppError(error).message;
  return causes
    .slice(0, MAX_CAUSES)
    .map(({ field, message = '' }) => `${field ? `${field}: ` : ''}${wordsOf(message)}`)
    .join('; ');
}

function wordsOf(message: string): string {
  const [words = ''] = message.replace(/^(Invalid value|Duplicate value): [\s\S]*: /, '').split('\n', 1);
  return words.trim();
}
