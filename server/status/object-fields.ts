import { isFields } from '@/lib/kube/fields';
import { ComputeError } from './result';

/**
 * Two families of access. Lenient: a wrong type counts as absent (rules of kinds). Strict: it is an error (generic rules).
 * Mixing them up is the mistake to make here.
 */

const INT64_LIMIT = 2 ** 63;

// The paths of the rules are few, and each is looked up for every object of a poll.
const KNOWN_PATHS = new Map<string, readonly string[]>();
const MAX_PATHS = 1000;

function stepsOf(path: string): readonly string[] {
  const known = KNOWN_PATHS.get(path);
  if (known !== undefined) return known;
  const steps = path.split('.');
  if (KNOWN_PATHS.size < MAX_PATHS) KNOWN_PATHS.set(path, steps);
  return steps;
}

/** The path as kinds' rules see it: any step that is no map, and null, count as absent. */
function lookUp(object: unknown, path: string): unknown {
  let at: unknown = object;
  for (const step of stepsOf(path)) {
    if (!isFields(at)) return undefined;
    at = at[step];
  }
  return at;
}

/** An integer; numbers with a fraction and texts of digits are the default too. */
export function intOr(object: unknown, path: string, fallback: number): number {
  const value = lookUp(object, path);
  return isInt(value) ? value : fallback;
}

export function stringOr(object: unknown, path: string, fallback: string): string {
  const value = lookUp(object, path);
  return typeof value === 'string' ? value : fallback;
}

export function booleanOr(object: unknown, path: string, fallback: boolean): boolean {
  const value = lookUp(object, path);
  return typeof value === 'boolean' ? value : fallback;
}

/** The path as strict access sees it: undefined where it ends early, but a leaf that is null is found. */
function requirePath(object: unknown, path: string): unknown {
  let at: unknown = object;
  for (const step of stepsOf(path)) {
    if (at === null || at === undefined) return undefined;
    if (!isFields(at)) throw wrongType(path, `${JSON.stringify(at)} is not a map`);
    at = Object.hasOwn(at, step) ? at[step] : undefined;
  }
  return at;
}

/** An integer that may be absent; present and of another type is an error. */
export function strictInt(object: unknown, path: string): number | undefined {
  const found = requirePath(object, path);
  if (found === undefined || isInt(found)) return found;
  throw wrongType(path, `${JSON.stringify(found)} is not an integer`);
}

/** An integer, written as a number or as a text of digits; anything else counts as absent. */
export function looseInt(object: unknown, path: string): number | undefined {
  const found = lookUp(object, path);
  if (typeof found === 'string') return /^-?\d+$/.test(found) ? Number(found) : undefined;
  return isInt(found) ? found : undefined;
}

/** A text that may be absent; present and of another type is an error. */
export function strictString(object: unknown, path: string): string | undefined {
  const found = requirePath(object, path);
  if (found === undefined || typeof found === 'string') return found;
  throw wrongType(path, `${JSON.stringify(found)} is not a string`);
}

/** A list that may be absent; present and of another type is an error. */
export function strictList(object: unknown, path: string): readonly unknown[] {
  const found = requirePath(object, path);
  if (found === undefined) return [];
  if (Array.isArray(found)) return found;
  throw wrongType(path, `${JSON.stringify(found)} is not a list`);
}

function isInt(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < INT64_LIMIT;
}

function wrongType(path: string, sentence: string): ComputeError {
  return new ComputeError(`looking up ${path} from resource: ${sentence}`);
}
