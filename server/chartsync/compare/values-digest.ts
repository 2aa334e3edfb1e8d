import { createHash } from 'node:crypto';
import type { Fields } from '@/lib/kube/fields';
import { toStableJson } from '@/lib/std/stable-json';

/** SHA-256 of values as YAML in its shortest form, which is JSON, with sorted keys: tells whether they are those of the last attempt, and nothing else of them. */
export function digestValues(values: Fields): string {
  return createHash('sha256').update(toStableJson(values)).digest('hex');
}
