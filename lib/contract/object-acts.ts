import { z } from 'zod';
import { namedObject, objectIdentity } from './named-object';
import { objectPath } from './requests';

/** What a person may do to any object here. */
export const OBJECT_VERBS = ['restart', 'scale', 'delete'] as const;
export type ObjectVerb = (typeof OBJECT_VERBS)[number];

/** Objects that one act is done to at most. */
export const MAX_TARGETS = 100;
const MAX_REPLICAS = 10_000;

/** An object as somebody saw it: another one of the same name is another one. */
const actTarget = z.strictObject({ ...objectIdentity, ns: objectPath.shape.ns.optional(), uid: z.string().min(1).max(100) });
export type ActTarget = z.infer<typeof actTarget>;

/** An act on one object or several: first what it does, then exactly that. */
export const objectActRequest = z
  .strictObject({
    verb: z.enum(OBJECT_VERBS),
    targets: z.array(actTarget).min(1).max(MAX_TARGETS).readonly(),
    /** Of scale alone. */
    replicas: z.number().int().min(0).max(MAX_REPLICAS).optional(),
    reason: z.string().trim().max(500).optional(),
    /** Tells what it would do, and does nothing. */
    dryRun: z.literal(true).optional(),
    /** Digest of what was shown. */
    plan: z.string().max(100).optional(),
  })
  .refine(({ verb, replicas }) => (verb === 'scale') === (replicas !== undefined), 'replicas are required for scale, and for nothing else')
  .refine(({ dryRun, plan }) => dryRun === true || plan !== undefined, 'must have dryRun, or the plan of a preview');
export type ObjectActRequest = z.infer<typeof objectActRequest>;

/** What an act does to one object, or why it is not done to it. */
export const actRow = namedObject.extend({ uid: z.string(), refused: z.string().nullable(), consequences: z.array(z.string()) });
export type ActRow = z.infer<typeof actRow>;

/** What an act does, object by object: those that are refused first. */
export const objectActPlan = z.object({ plan: z.string(), verb: z.enum(OBJECT_VERBS), rows: z.array(actRow), allowed: z.number() });
export type ObjectActPlan = z.infer<typeof objectActPlan>;

/** What was done, and what was not after all. */
export const objectActDone = z.object({ done: z.number(), failed: z.array(namedObject.extend({ sentence: z.string() })) });
export type ObjectActDone = z.infer<typeof objectActDone>;

/** What a person may be able to do to one object: the verbs of several, and to write it anew. */
export const OBJECT_ACTS = ['edit', ...OBJECT_VERBS] as const;
export type ObjectAct = (typeof OBJECT_ACTS)[number];

/** Why the person may not do something to an object, verb by verb; null where they may. */
export const objectRights = z.record(z.enum(OBJECT_ACTS), z.string().nullable());
export type ObjectRights = z.infer<typeof objectRights>;
