import { z } from 'zod';

/** The namespaces that an answer is limited to, where its reader may not see all: how many, and the first by name. */
export const within = z.object({ count: z.number().int().min(0), names: z.array(z.string()) });
export type Within = z.infer<typeof within>;

/** Of a server with thousands, a few say what is meant. */
const NAMED = 5;

/** What an answer is limited to; undefined for whom nothing is hidden. */
export function toWithin(visibility: 'all' | readonly string[]): Within | undefined {
  if (visibility === 'all') return undefined;
  const names = [...new Set(visibility)].sort();
  return { count: names.length, names: names.slice(0, NAMED) };
}
