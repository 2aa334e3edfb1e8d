import { z } from 'zod';

/** An object as every row names it. */
export const namedObject = z.object({
  /** kind.group/namespace/name, of the core group without the dot. */
  id: z.string(),
  apiVersion: z.string(),
  kind: z.string(),
  ns: z.string().nullable(),
  name: z.string(),
});
export type NamedObject = z.infer<typeof namedObject>;
