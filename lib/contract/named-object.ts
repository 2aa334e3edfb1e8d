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

/** What names an object in what a client sends, its namespace aside. */
export const objectIdentity = {
  apiVersion: z
    .string()
    .max(200)
    .regex(/^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?v[a-z0-9]+$/, 'must be an apiVersion such as v1 or apps/v1'),
  kind: z
    .string()
    .max(100)
    .regex(/^[A-Za-z][A-Za-z0-9]*$/, 'must be a kind such as Deployment'),
  // Names of some kinds hold colons; none holds a slash, a percent sign or only dots.
  name: z
    .string()
    .min(1)
    .max(253)
    .regex(/^(?!\.{1,2}$)[^/%]+$/, 'must be the name of an object'),
};
