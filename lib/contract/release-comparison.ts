import { z } from 'zod';
import { diffLine } from './change-rows';

/** How two stored revisions of a release differ. */
export const releaseComparison = z.object({
  from: z.number(),
  to: z.number(),
  /** How the values that people gave differ, those of Secrets masked. */
  values: z.array(diffLine),
  /** Also where all that differs is masked. */
  valuesDiffer: z.boolean(),
  /** Whether values are masked that do not stand in the resource. */
  hidesValues: z.boolean(),
  objects: z.array(
    z.object({
      apiVersion: z.string(),
      kind: z.string(),
      ns: z.string().nullable(),
      name: z.string(),
      change: z.enum(['created', 'changed', 'deleted']),
      /** Null where one may not see the object; empty where only masked values differ. */
      diff: z.array(diffLine).nullable(),
    }),
  ),
  /** What the chart says to whoever installed the newer one. */
  notes: z.string().nullable(),
});
export type ReleaseComparison = z.infer<typeof releaseComparison>;
