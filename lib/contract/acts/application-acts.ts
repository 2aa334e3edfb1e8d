import { z } from 'zod';

/** What is done to an application without changing what it asks for. */
export const APPLICATION_ACTS = ['refresh', 'suspend', 'resume'] as const;
export type ApplicationAct = (typeof APPLICATION_ACTS)[number];

/** An act on the application that was seen. */
export const applicationActRequest = z.strictObject({
  verb: z.enum(APPLICATION_ACTS),
  uid: z.string().min(1),
  reason: z.string().trim().max(500).optional(),
});
export type ApplicationActRequest = z.infer<typeof applicationActRequest>;

/** Who suspended an application, when and why, as far as its annotations say; the record tells who did. */
export const suspension = z.object({
  annotation: z.string(),
  by: z.string().nullable(),
  at: z.string().nullable(),
  reason: z.string().nullable(),
});
