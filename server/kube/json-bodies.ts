import { AppError } from '@/lib/contract/app-error';
import { JsonDepth, MAX_READ_LEVELS } from '@/lib/kube/depth';
import { readString } from '@/lib/kube/fields';
import { maskSecrets } from '@/lib/kube/mask';
import { findExact, markLong, parseExact, stringifyPlain, unmark } from '@/lib/std/exact-json';

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

/** What stands in place of what was not read: nothing that holds it is ever written, since it would be taken away. */
class Unread {
  toJSON(): never {
    throw new AppError(
      'invalid',
      `it is nested deeper than ${MAX_READ_LEVELS} levels; what lies deeper is not read, so it cannot be shown or written as a whole`,
    );
  }
}
const UNREAD = Object.freeze(new Unread());

/** Reads JSON as `parseExact` does; what lies deeper than the levels that are read is left out, and cannot be written back. */
export function parseBounded(text: string): unknown {
  if (!new JsonDepth(MAX_READ_LEVELS).take(text)) return parseExact(text);
  const value: unknown = JSON.parse(markLong(text));
  cutBelow(value, MAX_READ_LEVELS);
  return unmark(value);
}

function cutBelow(value: unknown, levels: number): void {
  let level = [value].filter(isNesting);
  for (let depth = 1; depth < levels; depth++) level = level.flatMap((one) => Object.values(one).filter(isNesting));
  for (const one of level) for (const [key, member] of Object.entries(one)) if (isNesting(member)) one[key] = UNREAD;
}

const isNesting = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
