import { z } from 'zod';

/** Keys of labels and owners that are told, and values of one key; the commonest of more. */
export const MAX_FACETS = 100;
export const MAX_FACET_VALUES = 20;

/** What the rows of a list can be filtered by. */
export const facets = z.object({
  key: z.string(),
  /** Rows that nothing owns. */
  unowned: z.number(),
  owners: z.array(z.object({ owner: z.string(), count: z.number() })),
  labels: z.array(z.object({ key: z.string(), count: z.number(), values: z.array(z.string()) })),
});
export type Facets = z.infer<typeof facets>;
