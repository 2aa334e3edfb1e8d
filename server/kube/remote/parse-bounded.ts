import { AppError } from '@/lib/contract/app-error';
import { markLong, parseExact, unmark } from '@/lib/std/exact-json';
import { JsonDepth, MAX_READ_LEVELS } from '@/lib/std/json-depth';

/** What stands in place of what was not read: nothing that holds it is ever written, since it would be taken away. */
class Unread {
  toJSON(): never {
    throw new AppError(
      'invalid',
      `it is nested deeper than ${MAX_READ_LEVELS} levels, which are not read, so it is neither shown nor written as a whole`,
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
