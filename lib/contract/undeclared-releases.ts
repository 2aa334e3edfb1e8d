import { z } from 'zod';

/** Where Helm keeps releases in a cluster. Those in ConfigMaps are seen, and not read. */
export const HELM_STORAGES = ['secrets', 'configmaps'] as const;

/** The releases that Helm keeps and no resource declares: shown, and driven by nobody. */
export const undeclaredReleases = z.object({
  releases: z.array(
    z.object({
      ns: z.string(),
      name: z.string(),
      /** The newest one that is stored. */
      revision: z.number(),
      /** What Helm says of it, in its own words. */
      status: z.string(),
      storedAt: z.string().nullable(),
      storage: z.enum(HELM_STORAGES),
    }),
  ),
  /** Why there may be others: what could not be read. */
  why: z.string().nullable(),
});
export type UndeclaredReleases = z.infer<typeof undeclaredReleases>;
