import { AppError } from '@/lib/contract/app-error';
import { readString } from '@/lib/kube/fields';
import { maskSecrets } from '@/lib/kube/mask';
import { findExact, stringifyPlain } from '@/lib/std/exact-json';

/**
 * The text of what is to be written. A whole number beyond 2^53 came from the cluster and was set by somebody else; whatever would write it
 * back, or merge over it, is refused by path rather than trusted to have kept each digit on its way; by its value as well, unless that is one
 * that nobody is to read.
 */
export function serializeExactly(body: unknown, what: string): string {
  return stringifyPlain(body, (path, found) => {
    // A patch does not say what it is of, and may be of a Secret.
    const seen = readString(body, 'kind') === undefined ? undefined : findExact(maskSecrets(body).value);
    const sentence =
      seen?.path === path
        ? `${what} would write ${path}, which is ${found}: whole numbers beyond 2^53 are shown but never written`
        : `${what} would write ${path}, which is a whole number beyond 2^53 and never written`;
    return new AppError('invalid', sentence, { details: { field: path } });
  });
}
