import { z } from 'zod';

/** What every row tells of its object, so that lists are filtered by it: its labels, and what owns it (`lib/kube/labels/object-owner.ts`). */
export const listed = {
  labels: z.record(z.string(), z.string()),
  owner: z.string().nullable(),
};
