import { z } from 'zod';

/** What every failed request answers. */
export const errorBody = z.object({
  error: z.object({ code: z.string(), message: z.string(), details: z.record(z.string(), z.unknown()).optional() }),
});
export type ErrorBody = z.infer<typeof errorBody>;

/** What an accepted command answers. */
export const acceptedBody = z.object({
  accepted: z.object({ kind: z.string(), ns: z.string().nullable(), name: z.string(), uid: z.string().nullable() }),
});
