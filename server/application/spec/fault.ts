import type { z } from 'zod';
import { AppError } from '@/lib/contract/app-error';
import { explainIssue, formatPath, toStep } from '@/lib/kube/explain-issue';

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
  const faults = parsed.error.issues.map((issue) =>
    refuse(place, explainIssue(issue, { value, schema, what: place.what }), issue.path.map(toStep)),
  );
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
