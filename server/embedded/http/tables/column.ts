import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { parseInstant } from '@/lib/std/instant';
import { toAge } from './duration-text';

/** What a cell holds. */
export type Cell = string | number | boolean | null;

/** One column of a kind's table. Those of priority 1 are shown by `-o wide` only. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly priority?: number;
  readonly description?: string;
  readonly read: (object: KubeObject, now: Instant) => Cell;
}

export const NAME: Column = { name: 'Name', type: 'string', format: 'name', read: ({ metadata }) => metadata.name ?? '' };
export const AGE: Column = { name: 'Age', type: 'string', read: ({ metadata }, now) => sinceText(metadata.creationTimestamp, now) };

/** A column of text; some built-in kinds declare their counters so, too. */
export const text = (name: string, read: Column['read'], priority = 0): Column => ({ name, type: 'string', priority, read });
export const count = (name: string, read: Column['read'], priority = 0): Column => ({ name, type: 'integer', priority, read });

/** How long ago a time was. */
export function sinceText(time: unknown, now: Instant): string {
  const at = parseInstant(time);
  return at === undefined ? '<unknown>' : toAge(now - at);
}
