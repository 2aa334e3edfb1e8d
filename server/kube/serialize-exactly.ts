import { AppError } from '@/lib/contract/app-error';
import { stringifyPlain } from '@/lib/std/exact-json';

/**
 * The text of what is to be written. A whole number beyond 2^53 came from the cluster and was set by somebody else; whatever would write it
 * back, or merge over it, is refused by path and value rather than trusted to have kept each digit on its way.
 */
export function serializeExactly(body: unknown, what: string): string {
  return stringifyPlain(body, (path, found) => {
    const sentence = `${what} would write ${path}, which is ${found}: whole numbers beyond 2^53 are shown and never written`;
    return new AppError('invalid', sentence, { details: { field: path } });
  });
}
