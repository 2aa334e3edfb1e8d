import type { z } from 'zod';
import type { AppError } from '@/lib/contract/app-error';
import type { ErrorCode } from '@/lib/contract/error-code';
import type { ErrorBody } from '@/lib/contract/pages/answers';
import type { Refused } from '@/lib/kube/explain-issue';
import { explainIssue, formatPath, toStep } from '@/lib/kube/explain-issue';

/** The one place where a code becomes a status. */
export const STATUS_OF = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  rejected: 409,
  stale: 412,
  'too-large': 413,
  'too-many': 429,
  unavailable: 503,
  internal: 500,
} as const satisfies Record<ErrorCode, number>;

/** The body of a failed request. */
export function toErrorBody({ code, message, details }: AppError): ErrorBody {
  return { error: { code, message, ...(details === undefined ? {} : { details: { ...details } }) } };
}

const RETRY_AFTER_SECONDS = 10;

/** When to try again, where somebody asked for too much: as the limit says, else a moment later. */
export function retryAfterOf({ code, details }: AppError): Record<string, string> {
  if (code !== 'too-many') return {};
  const seconds = details?.retryAfterSeconds;
  return { 'retry-after': String(typeof seconds === 'number' ? seconds : RETRY_AFTER_SECONDS) };
}

/** What is wrong with an input, a clause per field. */
export function describeIssues(error: z.ZodError, refused: Refused): string {
  return error.issues.map((issue) => `${formatPath(issue.path.map(toStep))} ${explainIssue(issue, refused)}`.trimStart()).join('; ');
}
