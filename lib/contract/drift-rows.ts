import { z } from 'zod';
import { namedObject, objectIdentity } from './named-object';

/** How a field differs from what the revision wants. */
const driftKind = z.enum(['changed', 'removed', 'added', 'reordered']);
/** The policy because of which nobody puts it back. */
const keptBy = z.enum(['apply-once', 'read-only']).nullable();

/** A field of an object that drifted, without its values: those are read as the person who looks. */
export const driftedField = z.object({ path: z.string(), kind: driftKind, kept: keptBy });

/** An object that is not as the newest revision wants it. */
export const driftedObject = namedObject.extend({
  component: z.string().nullable(),
  /**
   * gone: it is listed and not in the cluster. left: it differs only where a policy says that nobody puts it back. refused: the cluster does not
   * take it as a revision wants it that is not applied. terminating: nor does it, and it is being deleted, so that it is created as wanted then.
   */
  state: z.enum(['differs', 'gone', 'left', 'refused', 'terminating']),
  /** Why it is refused, in the cluster's words, or until when it is deleted; absent otherwise. */
  why: z.string().optional(),
  /** The first of them. */
  fields: z.array(driftedField),
  fieldCount: z.number(),
});
export type DriftedObject = z.infer<typeof driftedObject>;

/** Whether and when what drifted is put back, in a sentence. */
export const driftRepair = z.object({
  when: z.enum(['soon', 'waits', 'never']),
  why: z.string(),
  /** True where it waits because the last try to apply failed. */
  failing: z.boolean().optional(),
});
export type DriftRepair = z.infer<typeof driftRepair>;

/** What an application has otherwise than its newest revision wants it. */
export const driftView = z.object({
  /** applying: the revision is not applied yet, so nothing can be said. unknown: `why` says what is missing. */
  state: z.enum(['compared', 'applying', 'unknown']),
  why: z.string(),
  revision: z.string().nullable(),
  /** Revisions that a rollout serves beside it, of which what they alone have is compared too; absent without any. */
  beside: z.array(z.string()).optional(),
  compared: z.number(),
  /** Objects that differ and are to be put back. */
  drifted: z.number(),
  /** Objects that differ only where a policy leaves it so. */
  left: z.number(),
  /** Objects of which nobody knows how they are now. */
  unknown: z.number(),
  repair: driftRepair,
  /** The first of them: those that are to be put back, then those that are left. */
  objects: z.array(driftedObject),
});
export type DriftView = z.infer<typeof driftView>;

/** Who set a field, as the API server notes it; `since` is that manager's last write, so the field was set then or before. */
export const fieldSetter = z.object({
  manager: z.string(),
  operation: z.string(),
  subresource: z.string().nullable(),
  since: z.string().nullable(),
});

/** One field close up. Values are texts; null where there is none, or where it is hidden. */
export const objectDriftField = z.object({
  path: z.string(),
  kind: driftKind,
  kept: keptBy,
  desired: z.string().nullable(),
  live: z.string().nullable(),
  hidden: z.enum(['secret', 'record']).nullable(),
  setBy: fieldSetter.nullable(),
  /** Lines of the two texts at which it stands, from 1. */
  desiredLine: z.number().nullable(),
  liveLine: z.number().nullable(),
  /** @deprecated Older names of `desired`, `live` and their lines, for one release more. */
  wanted: z.string().nullish(),
  found: z.string().nullish(),
  wantedLine: z.number().nullish(),
  foundLine: z.number().nullish(),
});
export type ObjectDriftField = z.infer<typeof objectDriftField>;

/** An object that no change brings to what is wanted: only its deletion and a new one do. */
export const replacement = z.object({
  /** The cluster's own sentence why it cannot be changed. */
  why: z.string(),
  uid: z.string(),
  /** What goes or suffers with the deletion, a sentence each. */
  blast: z.array(z.string()),
  /** Other objects that the cluster refuses of the same revision: nothing of it is created before these are replaced or corrected too. */
  waitsFor: z.array(z.string()),
  /** Why it may not be replaced here; null when it may. */
  refused: z.string().nullable(),
});
export type Replacement = z.infer<typeof replacement>;

/** One object as the revision wants it beside how it is, read live. */
export const objectDrift = z.object({
  state: z.literal('compared'),
  at: z.string(),
  revision: z.string(),
  /** False where the last try to apply the revision failed: what differs is what it would change. */
  isApplied: z.boolean(),
  exists: z.boolean(),
  /** Until when it is held while it is being deleted; null while it is not. */
  terminating: z.string().nullable(),
  /** False where the server notes nobody who set a field. */
  hasManagedFields: z.boolean(),
  fields: z.array(objectDriftField),
  /** YAML of what is desired, and of the same with what is live; without the values of Secrets. */
  desired: z.string(),
  live: z.string().nullable(),
  /** @deprecated Older names of `hasManagedFields`, `desired` and `live`, for one release more. */
  notesManagers: z.boolean().optional(),
  wanted: z.string().optional(),
  found: z.string().nullish(),
  /** Who set fields of it, and for each line of `live` the place of who set what stands there; null where nobody is noted. */
  owners: z.array(fieldSetter).default([]),
  lineOwners: z.array(z.number().nullable()).default([]),
  repair: driftRepair,
  /** Set where the cluster refuses to change it to what is wanted, as tried without effect for the one who looks. */
  replacement: replacement.nullable(),
});
export type ObjectDrift = z.infer<typeof objectDrift>;

/** One object of which nothing is wanted now, and why: a row may be older than what its application wants by the time it is opened. */
const uncomparedDrift = z.object({ state: z.literal('uncompared'), at: z.string(), why: z.string() });

/** What reading the drift of one object answers. */
export const driftAnswer = z.discriminatedUnion('state', [objectDrift, uncomparedDrift]);
export type DriftAnswer = z.infer<typeof driftAnswer>;

/** Asks that an object be put back to what the revision wants, also where a policy leaves it. */
export const revertRequest = z.object({
  ...objectIdentity,
  ns: z.string().max(253).optional(),
  /** The paths that the person saw; another set is refused. */
  seen: z.array(z.string()).max(500),
});
export type RevertRequest = z.infer<typeof revertRequest>;

/** Asks that an object be deleted and made anew; what was seen must still hold. */
export const replaceRequest = revertRequest.extend({
  uid: z.string().max(100),
  blast: z.array(z.string().max(5000)).max(500),
  waitsFor: z.array(z.string().max(600)).max(100).default([]),
});
export type ReplaceRequest = z.infer<typeof replaceRequest>;

/** What the cluster refuses of a revision that could not be applied, tried out without effect at this moment. */
export const refusedObjects = z.object({
  /** Null where the last try to apply the newest revision did not fail. */
  revision: z.string().nullable(),
  /** The first of them, as far as whoever asks may see them. */
  objects: z.array(driftedObject),
  /** How many more there are. */
  more: z.number(),
});
export type RefusedObjects = z.infer<typeof refusedObjects>;
