import { createHash } from 'node:crypto';
import type { Fields } from '@/lib/kube/fields';
import { isFields, readString } from '@/lib/kube/fields';
import type { Owner } from '@/lib/kube/sensitive';
import { deepEqual } from '@/lib/std/deep-equal';

/** Where a value lies: in which Secret, under which key. */
export interface Reference {
  readonly name: string;
  readonly key: string;
}

/** The type of Secrets that hold values of applications; nothing else is read as one. */
export const VALUES_TYPE = 'slipway.dev/values';
const KEY_SIGNS = 16;
const MAX_READABLE = 100;

/** What stands in an application in place of a value: the form that containers know. */
export function toReference({ name, key }: Reference): Fields {
  return { valueFrom: { secretKeyRef: { name, key } } };
}

/** Reads what stands in place of a value; undefined for anything else, a reference to a Secret that is none of the application's values included. */
export function readReference(value: unknown, { name: application }: Owner): Reference | undefined {
  const reference = readAnyReference(value);
  return reference?.name.startsWith(valuesPrefix(application)) ? reference : undefined;
}

/** True for a reference, to whichever Secret, that has nothing beside it and nothing else in it. */
export function isBareReference(value: unknown): boolean {
  const reference = readAnyReference(value);
  return reference !== undefined && deepEqual(value, toReference(reference));
}

function readAnyReference(value: unknown): Reference | undefined {
  if (!isFields(value)) return undefined;
  const name = readString(value, 'valueFrom', 'secretKeyRef', 'name');
  const key = readString(value, 'valueFrom', 'secretKeyRef', 'key');
  return name === undefined || key === undefined ? undefined : { name, key };
}

/** What names of Secrets with values of an application begin with. */
export const valuesPrefix = (application: string) => `${application}-values-`;

/**
 * The key of a value, made of the place where it stands. A reference counts only there, so that whoever may change an application, and read no
 * Secret of it, cannot have a value put where they may read it.
 */
export function keyOf(place: readonly string[]): string {
  const readable = place
    .slice(1)
    .join('.')
    .replace(/[^-._a-zA-Z0-9]/g, '_');
  const sign = createHash('sha256').update(JSON.stringify(place)).digest('hex').slice(0, KEY_SIGNS);
  return `${readable.slice(0, MAX_READABLE)}.${sign}`;
}
