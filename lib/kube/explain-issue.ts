import type { z } from 'zod';
import { isFields, readField } from './fields';
import { maskSecrets } from './mask';

/** One step of a path as zod tells it: a number in a list, else a name. */
export const toStep = (step: PropertyKey): string | number => (typeof step === 'number' ? step : String(step));

/** A path as people of the field write it: `spec.control.gates[0].atPercent`. */
export function formatPath(path: readonly (string | number)[]): string {
  return path.map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at === 0 ? '' : '.'}${step}`)).join('');
}

/** What was read: the value, the schema that refuses it, and what the value is, such as `a webservice`, where the field does not say. */
export interface Refused {
  readonly value: unknown;
  readonly schema: z.ZodType;
  readonly what?: string | undefined;
}

/** What is wrong with a value that a schema refuses, to stand after the name of the field: what was wanted, and what was found; secrets masked. */
export function explainIssue(issue: z.core.$ZodIssue, { value, schema, what = 'it' }: Refused): string {
  const found = show(readField(value, ...issue.path.map(toStep)));
  switch (issue.code) {
    case 'unrecognized_keys': {
      const known = issue.path.length === 0 ? knownMembers(schema) : [];
      const wanted = known.length === 0 ? '' : `; ${what} has ${known.join(', ')}`;
      return `has ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}, which nothing here reads${wanted}`;
    }
    case 'invalid_type':
      return `must be ${article(issue.expected)}, found ${found}`;
    case 'invalid_value':
      return `must be ${issue.values.map((one) => JSON.stringify(one)).join(' or ')}, found ${found}`;
    case 'too_small':
      return `must be at least ${issue.minimum}, found ${found}`;
    case 'too_big':
      return `must be at most ${issue.maximum}, found ${found}`;
    default:
      return `${issue.message}, found ${found}`;
  }
}

function knownMembers(schema: z.ZodType): readonly string[] {
  return 'shape' in schema && isFields(schema.shape) ? Object.keys(schema.shape) : [];
}

const article = (type: string) => (/^[aeio]/.test(type) ? `an ${type}` : `a ${type}`);

function show(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  const text = JSON.stringify(maskSecrets(value).value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
