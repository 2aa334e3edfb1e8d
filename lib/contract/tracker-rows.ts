import { z } from 'zod';
import { health } from './health';
import { listed } from './lists/listed';
import { namedObject } from './named-object';

export const GARBAGE_VERDICTS = ['deleted', 'held', 'handed-over', 'kept', 'new', 'gone'] as const;

/** States of a tracker in the life of its application. */
export const TRACKER_STATES = ['current', 'target', 'unapplied', 'previous', 'rejected', 'stray', 'terminating', 'unreadable'] as const;

/** One line of the table of trackers. */
export const trackerRow = z.object({
  key: z.string(),
  name: z.string(),
  application: z.string().nullable(),
  ns: z.string().nullable(),
  revision: z.string().nullable(),
  state: z.enum(TRACKER_STATES),
  objects: z.number(),
  owned: z.number(),
  /** Objects that it still owns and that the newest revision does not have: they wait to be collected. */
  waiting: z.number(),
  createdAt: z.string().nullable(),
  /** Why it cannot be relied on; empty for one that can. */
  message: z.string(),
  ...listed,
});
export type TrackerRow = z.infer<typeof trackerRow>;

/** Whether the application that a stray object names is still there. */
export const STRAY_STATES = ['gone', 'there'] as const;

/** An object that carries the labels of an application and that no tracker lists: nothing will ever collect it. */
export const strayRow = namedObject.omit({ id: true }).extend({
  key: z.string(),
  /** The application that it names. */
  application: z.string(),
  applicationNs: z.string().nullable(),
  state: z.enum(STRAY_STATES),
  createdAt: z.string().nullable(),
  why: z.string(),
  /** What takes it away, for whoever is sure; null where its name has invisible characters. */
  command: z.string().nullable(),
});
export type StrayRow = z.infer<typeof strayRow>;

/** An object a tracker lists, and who owns it now. */
export const ledgerEntry = namedObject.extend({
  component: z.string().nullable(),
  exists: z.boolean(),
  ownedBy: z.string().nullable(),
  ownedByThis: z.boolean(),
  /** What the collection that waits does with it; null while nothing waits. `fate` is its name of before, for one release more. */
  verdict: z.enum(GARBAGE_VERDICTS).nullable(),
  fate: z.enum(GARBAGE_VERDICTS).nullable().optional(),
  health,
  message: z.string(),
});
export type LedgerEntry = z.infer<typeof ledgerEntry>;

export const trackerDetail = z.object({
  key: z.string(),
  name: z.string(),
  application: z.string().nullable(),
  ns: z.string().nullable(),
  revision: z.string().nullable(),
  state: trackerRow.shape.state,
  message: z.string(),
  entries: z.array(ledgerEntry),
  /** Objects that name this tracker as owner although it does not list them. */
  unlisted: z.array(namedObject.omit({ id: true })),
  /** Other trackers of the same application, newest first. */
  siblings: z.array(z.object({ name: z.string(), revision: z.string().nullable(), state: trackerRow.shape.state })),
  createdAt: z.string().nullable(),
});
export type TrackerDetail = z.infer<typeof trackerDetail>;

const counted = { of: z.string(), count: z.number(), names: z.array(z.string()) };
/** One consequence of a deletion beyond the object itself. */
export const blastItem = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('dependents'), ...counted }),
  z.object({ kind: z.literal('volume'), name: z.string(), policy: z.string() }),
  /** Pods that mount a claim. */
  z.object({ kind: z.literal('users'), ...counted }),
  /** Claims that a StatefulSet made: whether they are deleted with it. `fate` is the older name of `outcome`. */
  z.object({ kind: z.literal('claims'), ...counted, outcome: z.enum(['kept', 'deleted']), fate: z.enum(['stay', 'go']).optional() }),
  /** With `partial` there may be more: why not all of them are known. */
  z.object({ kind: z.literal('instances'), ...counted, partial: z.string().optional() }),
  z.object({ kind: z.literal('contents'), ...counted }),
  z.object({ kind: z.literal('endpoints'), service: z.string() }),
  z.object({ kind: z.literal('tracker'), name: z.string() }),
  z.object({ kind: z.literal('finalizers'), names: z.array(z.string()) }),
  z.object({ kind: z.literal('unknown'), of: z.string(), why: z.string() }),
]);
export type BlastItem = z.infer<typeof blastItem>;

/** What collecting one tracker against another does to one object, and why. */
export const garbageRow = namedObject.extend({
  uid: z.string().nullable(),
  verdict: z.enum(GARBAGE_VERDICTS),
  why: z.string(),
  /** What goes or suffers with it: dependents, endpoints, volumes. */
  blast: z.array(z.string()),
  /** The same as data. */
  radius: z.array(blastItem).optional(),
});
export type GarbageRow = z.infer<typeof garbageRow>;

/** The preview of a collection; what is shown is exactly what is done. */
export const garbageView = z.object({
  from: z.string(),
  to: z.string(),
  digest: z.string(),
  counts: z.record(z.enum(GARBAGE_VERDICTS), z.number()),
  rows: z.array(garbageRow),
  /** Set when the plan would not be executed as it stands: why. */
  refused: z.string().nullable(),
});
export type GarbageView = z.infer<typeof garbageView>;
