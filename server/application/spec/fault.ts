import type { z } from 'zod';
import { AppError } from '@/lib/contract/app-error';
import { isFields, readField } from '@/lib/kube/fields';
import { maskSecrets } from '@/lib/kube/mask';

/** Where a value stands, for sentences: the object, and the path to the value. */
export interface Place {
  /** `Application web in shop`. */
  readonly object: string;
  readonly path: readonly (string | number)[];
  /** What the value is, when the path does not say: `a webservice`. */
  readonly what?: string;
}

/** Parses a value; a value that does not fit is refused with a sentence naming object, field, what was found and what was wanted. */
export function parseAt<Schema extends z.ZodType>(schema: Schema, value: unknown, place: Place): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => refuse(place, explain(issue, value, schema, place), issue.path.map(toStep)));
  const [first = refuse(place, 'cannot be read')] = faults;
  // The first one is the sentence; whoever marks a text wants them all.
  const all = faults.map(({ message, details }) => ({ message, field: details?.field }));
  throw new AppError('invalid', first.message, { details: { ...first.details, all } });
}

/** An error that says which field of which object is wrong. */
export function refuse({ object, path }: Place, sentence: string, inside: readonly (string | number)[] = []): AppError {
  const field = formatPath([...path, ...inside]);
  return new AppError('invalid', `${object}: ${field} ${sentence}`, { details: { field } });
}

const toStep = (step: PropertyKey): string | number => (typeof step === 'number' ? step : String(step));

function formatPath(path: readonly (string | number)[]): string {
  return path.map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at === 0 ? '' : '.'}${step}`)).join('');
}

function explain(issue: z.core.$ZodIssue, value: unknown, schema: z.ZodType, { what }: Place): string {
  const found = show(readField(value, ...issue.path.map(toStep)));
  switch (issue.code) {
    case 'unrecognized_keys': {
      const known = issue.path.length === 0 ? knownMembers(schema) : [];
      const wanted = known.length === 0 ? '' : `; ${what ?? 'it'} has ${known.join(', ')}`;
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
