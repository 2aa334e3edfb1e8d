import { z } from 'zod';
import type { ListQuery } from '@/lib/contract/lists/list-query';
import { parseListQuery } from '@/lib/contract/lists/list-query';

/** Filter, order and page as requests name them. */
export const listQuery = z.strictObject({
  ns: z.string().optional(),
  q: z.string().optional(),
  health: z.string().optional(),
  labels: z.string().optional(),
  owner: z.string().optional(),
  drifted: z.string().optional(),
  sort: z.string().optional(),
  desc: z.string().optional(),
  page: z.string().optional(),
  size: z.string().optional(),
});

/** The same as a topic has it. */
export function toListQuery(query: z.output<typeof listQuery>): ListQuery {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return parseListQuery(new URLSearchParams(given));
}
