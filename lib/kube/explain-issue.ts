import type { z } from 'zod';
import { isFields, readField } from './fields';
import { maskForReading } from './mask';

/** One step of a path as zod tells it: a number in a list, else a name. */
export const toStep = (step: PropertyKey): string | number => (typeof step === 'number' ? step : String(step));

/** A path as people of the field write it: `spec.control.gates[0].atPercent`. */
export function formatPath(path: readonly (string | number)[]): string {
  return path.map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at === 0 ? '' : '.'}${step}`)).join('');
}

/** What was read: the value, the schema that refuses it, and how it is called and shown where the field does not say. */
export interface Refused {
  readonly value: unknown;
  readonly schema: z.ZodType;
  /** What the value is, such as `a webservice`. */
  readonly what?: string | undefined;
  /** How what was found, secrets masked, is shown; as JSON, unless told otherwise. */
  readonly show?: ((value: unknown) => string) | undefined;
}

/** Messages that come from the library, and not from whoever wrote the schema. */
const OF_LIBRARY = /^(?:Too (?:small|big)|Invalid |Unrecognized )/;

/** What is wrong with a value that a schema refuses, to stand after the name of the field: what was wanted, and what was found. */
export function explainIssue(issue: z.core.$ZodIssue, { value, schema, what = 'it', show = showJson }: Refused): string {
  if (issue.code === 'unrecognized_keys') {
    const known = issue.path.length === 0 ? knownMembers(schema) : [];
    const wanted = known.length === 0 ? '' : `; ${what} has ${known.join(', ')}`;
    return `has ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}, which is unknown here${wanted}`;
  }
  const [ofKey] = issue.code === 'invalid_key' ? issue.issues : [];
  // What is wrong is the name of the member and not what stands under it.
  if (ofKey !== undefined) return explainIssue({ ...ofKey, path: [] }, { value: String(issue.path.at(-1)), schema, what, show });
  const wanted = OF_LIBRARY.test(issue.message) ? wantedBy(issue) : issue.message;
  if (wanted.includes(', found ')) return wanted;
  // Masked as a whole: what stands at the path does not say by itself that it is a Secret's, or a sensitive variable's.
  return `${wanted}, found ${show(readField(maskForReading(value).value, ...issue.path.map(toStep)))}`;
}

function wantedBy(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${nameOf(issue.expected)}`;
    case 'invalid_value':
      return `must be ${issue.values.map((one) => JSON.stringify(one)).join(' or ')}`;
    case 'too_small':
      return `must ${amount(issue.origin)} at least ${issue.minimum}${unit(issue.origin, issue.minimum)}`;
    case 'too_big':
      return `must ${amount(issue.origin)} at most ${issue.maximum}${unit(issue.origin, issue.maximum)}`;
    default:
      return issue.message;
  }
}

const NAMES: Readonly<Record<string, string>> = {
  array: 'a list',
  object: 'an object',
  record: 'an object',
  int: 'a whole number',
  boolean: 'true or false',
};
const nameOf = (type: string) => NAMES[type] ?? `a ${type}`;

const UNITS: Readonly<Record<string, string>> = { string: 'character', array: 'member' };
const amount = (origin: string) => (origin in UNITS ? 'have' : 'be');
const unit = (origin: string, count: number | bigint) => (origin in UNITS ? ` ${UNITS[origin]}${Number(count) === 1 ? '' : 's'}` : '');

/** What a value is, and nothing of what is in it: for answers about what may be a password. */
export function showKind(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === 'string' ? `a string of ${value.length} character${value.length === 1 ? '' : 's'}` : 'an object';
}

function knownMembers(schema: z.ZodType): readonly string[] {
  return 'shape' in schema && isFields(schema.shape) ? Object.keys(schema.shape) : [];
}

function showJson(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
