import { z } from 'zod';
import { changeCounts, changeRow } from '../change-rows';
import { acceptedBody } from '../pages/answers';

/** What becomes of the objects of an application that is deleted. */
export const DELETION_POLICIES = ['delete', 'keep'] as const;
export type DeletionPolicy = (typeof DELETION_POLICIES)[number];

/** Deletes an application: first what that does, then exactly that. */
export const deletionRequest = z
  .strictObject({
    /** uid of the application that was seen. */
    uid: z.string().min(1),
    objects: z.enum(DELETION_POLICIES),
    reason: z.string().trim().max(2000).optional(),
    /** Tells what it would do, and does nothing. */
    dryRun: z.literal(true).optional(),
    /** Digest of the plan that was seen. */
    plan: z.string().max(100).optional(),
  })
  .refine(({ dryRun, plan }) => dryRun === true || plan !== undefined, 'must have dryRun, or the plan of a preview');
export type DeletionRequest = z.infer<typeof deletionRequest>;

/** What deleting an application does. */
export const deletionPreview = changeCounts.extend({
  objects: z.enum(DELETION_POLICIES),
  changes: z.array(changeRow),
  /** What goes or happens besides, a sentence each. */
  consequences: z.array(z.string()),
  /** Why it would not be done at all. */
  refused: z.string().nullable(),
  /** Why nothing is deleted before it is approved. */
  waits: z.string().nullable(),
  /** True where whoever deletes approves that with it. */
  approves: z.boolean(),
  /** What the server may not do yet, and who gives it that by which command. */
  ungranted: z.string().optional(),
  /** Digest of the plan: exactly this is done, or nothing. */
  plan: z.string(),
});
export type DeletionPreview = z.infer<typeof deletionPreview>;

/** A deletion that has begun, and why nothing of it goes yet. */
export const deletionAccepted = acceptedBody.extend({ waits: z.string().nullable() });
export type DeletionAccepted = z.infer<typeof deletionAccepted>;
