import { createHash } from 'node:crypto';
import { stringify } from 'yaml';
import type { Fields } from '@/lib/kube/fields';

/** SHA-256 of values as YAML with sorted keys: tells whether they are those of the last attempt, and nothing else of them. */
export function digestValues(values: Fields): string {
  return createHash('sha256')
    .update(stringify(values, { sortMapEntries: true, lineWidth: 0 }))
    .digest('hex');
}
