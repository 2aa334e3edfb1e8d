import type { GroupKind } from '../identifier';
import type { KindMapping } from './kind-mapper';

const RATE_LIMIT_TEXT = 'rate: Wait(n=1) would exceed context deadline';

/** True when the caller ended the work: its signal fired, or a request was aborted. A time-out of a socket or server is an ordinary error. */
export function isAbortLike(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted || (error instanceof Error && error.name === 'AbortError');
}

/** True when the client's own rate limiter refused to wait, since the deadline would come first. */
export function isRateLimited(error: unknown): boolean {
  let at = error;
  while (at instanceof Error && at.cause !== undefined) at = at.cause;
  return at instanceof Error && at.message === RATE_LIMIT_TEXT;
}

/** The kind was not listed, so nothing can be said about it. */
export class NotCachedError extends Error {
  constructor({ group, kind }: GroupKind, namespace: string, { version }: Pick<KindMapping, 'version'>) {
    super(`GVK ${group}/${version}, Kind=${kind} and Namespace ${namespace} not found in cache`);
    this.name = 'NotCachedError';
  }
}
