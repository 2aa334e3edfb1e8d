import { z } from 'zod';

/** A policy as an application lists it. */
export const policySchema = z.strictObject({
  name: z.string().optional(),
  type: z.string(),
  properties: z.record(z.string(), z.unknown()).optional(),
});
