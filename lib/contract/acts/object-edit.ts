import { z } from 'zod';
import { diffLine } from '../change-rows';
import { objectIdentity } from '../named-object';
import { objectPath } from '../requests';

/** An object as people edit it, and which state of it that is. */
export const editableObject = z.object({
  /** YAML without status, and without what the server alone writes; what nobody is to read is masked. */
  text: z.string(),
  masked: z.boolean(),
  uid: z.string(),
  /** Names this very state; its status may move on. */
  state: z.string(),
});
export type EditableObject = z.infer<typeof editableObject>;

/** An object written anew on the state that was seen: first what would change, then exactly that. */
export const objectEditRequest = z
  .strictObject({
    ...objectIdentity,
    ns: objectPath.shape.ns.optional(),
    manifest: z.string().min(1).max(1_500_000),
    seen: z.strictObject({ uid: z.string().min(1).max(100), state: z.string().min(1).max(100) }),
    reason: z.string().trim().max(500).optional(),
    /** Has the cluster try it, and changes nothing. */
    dryRun: z.literal(true).optional(),
    /** Digest of what was shown. */
    plan: z.string().max(100).optional(),
  })
  .refine(({ dryRun, plan }) => dryRun === true || plan !== undefined, 'must have dryRun, or the plan of a preview');
export type ObjectEditRequest = z.infer<typeof objectEditRequest>;

/** What writing an object anew would change, as the cluster tried it. */
export const objectEditPreview = z.object({
  /** Line by line, without values of Secrets; empty where nothing changes. */
  lines: z.array(diffLine),
  /** The fields that change. */
  fields: z.array(z.string()),
  /** Those that somebody set, by who set them last. */
  owners: z.array(z.object({ manager: z.string(), operation: z.string(), at: z.string().nullable(), fields: z.array(z.string()) })),
  /** Fields that were written and that the cluster leaves as they are. */
  ignored: z.array(z.string()),
  /** Who may set it back, a sentence each. */
  warnings: z.array(z.string()),
  plan: z.string(),
});
export type ObjectEditPreview = z.infer<typeof objectEditPreview>;
