import { createHash } from 'node:crypto';
import { stringify } from 'yaml';
import type { Fields } from '@/lib/kube/fields';
import { toStableJson } from '@/lib/std/stable-json';

const MOST_KNOWN = 2000;

/** Digests of values, each taken once: large values take long to be written as YAML, and are mostly what they were a pass ago. */
export class ValuesDigests {
  readonly #known = new Map<string, string>();

  of(values: Fields): string {
    const key = createHash('sha256').update(toStableJson(values)).digest('hex');
    const digest = this.#known.get(key) ?? digestValues(values);
    this.#known.set(key, digest);
    if (this.#known.size > MOST_KNOWN) this.#known.delete(this.#known.keys().next().value ?? '');
    return digest;
  }
}

/** SHA-256 of values as YAML with sorted keys: tells whether they are those of the last attempt, and nothing else of them. */
export function digestValues(values: Fields): string {
  return createHash('sha256')
    .update(stringify(values, { sortMapEntries: true, lineWidth: 0 }))
    .digest('hex');
}
