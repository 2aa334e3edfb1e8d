import { z } from 'zod';
import { condition } from './application-rows';
import { health } from './health';
import { namedObject } from './named-object';
import { objectRights } from './object-acts';

/** Objects that one page of a table holds, and that one read looks through for a name or an owner. */
export const TABLE_PAGE = 100;
export const MAX_SCANNED = 5000;
export const MAX_EVENTS = 200;

/** A kind as the cluster serves it. */
export const kindRow = z.object({
  /** `core` stands for the group without a name. */
  group: z.string(),
  version: z.string(),
  kind: z.string(),
  plural: z.string(),
  namespaced: z.boolean(),
  shortNames: z.array(z.string()),
});
export type KindRow = z.infer<typeof kindRow>;

/** The kinds that somebody may list, in a namespace or, where none is named, in all of them. */
export const kindsPage = z.object({
  kinds: z.array(kindRow),
  /** Kinds that are served and may not be listed there. */
  refused: z.array(kindRow),
  /** True where the cluster cannot tell all that it allows. */
  incomplete: z.boolean(),
});
export type KindsPage = z.infer<typeof kindsPage>;

export const tableColumn = z.object({
  name: z.string(),
  type: z.string(),
  description: z.string(),
  /** 0 is always shown, anything above only where there is room. */
  priority: z.number(),
});

export const tableRow = z.object({
  key: z.string(),
  ns: z.string().nullable(),
  name: z.string(),
  uid: z.string().nullable(),
  createdAt: z.string().nullable(),
  /** Whom it belongs to, as lists are filtered by it. */
  owner: z.string().nullable(),
  deleting: z.boolean(),
  cells: z.array(z.string()),
});
export type TableRow = z.infer<typeof tableRow>;

/** Objects of a kind as the API server prints them. */
export const objectTable = z.object({
  of: kindRow,
  columns: z.array(tableColumn),
  rows: z.array(tableRow),
  /** What asks for the next page; null on the last one. */
  next: z.string().nullable(),
  /** How many more there are after this page, where the cluster says so. */
  remaining: z.number().nullable(),
  /** How many objects were read, where a search for a name or an owner ended before the list did. `looked` is its older name. */
  scanned: z.number().nullable(),
  looked: z.number().nullable().optional(),
  readAt: z.string(),
});
export type ObjectTable = z.infer<typeof objectTable>;

/** What happened to an object, as often as it did. */
export const objectEvent = z.object({
  key: z.string(),
  /** When it was seen last and first. */
  at: z.string(),
  since: z.string(),
  type: z.string(),
  reason: z.string(),
  message: z.string(),
  count: z.number(),
  /** True while whoever reports it keeps counting. */
  series: z.boolean(),
  /** Who reported it. */
  by: z.string(),
  about: namedObject.omit({ id: true }),
});
export type ObjectEvent = z.infer<typeof objectEvent>;

/** The newest events of an object and of what it owns. */
export const objectEvents = z.object({
  events: z.array(objectEvent),
  /** Older ones that are not sent. */
  cut: z.number(),
  /** Namespaces whose events may not be read, a sentence each. */
  left: z.array(z.string()),
  at: z.string(),
});
export type ObjectEvents = z.infer<typeof objectEvents>;
export const eventsEnd = z.object({ sentence: z.string() });
/** The events of a stream by name: `events` each time they differ, at last `end`. */
export const EVENT_STREAM = { events: objectEvents, end: eventsEnd } as const;

/** An object above or below another one. */
export const relatedObject = namedObject.extend({
  uid: z.string().nullable(),
  /** 1 is just above or below. */
  depth: z.number(),
  controller: z.boolean(),
  /** gone: nobody is there by this uid. hidden: it may not be read. */
  state: z.enum(['there', 'gone', 'hidden']),
  health: health.nullable(),
  message: z.string(),
});
export type RelatedObject = z.infer<typeof relatedObject>;

/** What one manager set on an object. */
export const managerFields = z.object({
  manager: z.string(),
  operation: z.string(),
  subresource: z.string().nullable(),
  at: z.string().nullable(),
  fields: z.array(z.string()),
  /** Fields that are not named. */
  more: z.number(),
});
export type ManagerFields = z.infer<typeof managerFields>;

/** One object, read as the person, with what is known around it. */
export const objectDetail = z.object({
  of: kindRow,
  uid: z.string(),
  resourceVersion: z.string(),
  ns: z.string().nullable(),
  name: z.string(),
  createdAt: z.string().nullable(),
  deletingSince: z.string().nullable(),
  finalizers: z.array(z.string()),
  labels: z.record(z.string(), z.string()),
  manifest: z.string(),
  masked: z.boolean(),
  health,
  message: z.string(),
  rule: z.string().nullable(),
  conditions: z.array(condition),
  owners: z.array(relatedObject),
  owned: z.array(relatedObject),
  /** Owned ones that are not named, and kinds of owned ones that may not be read. */
  ownedMore: z.number(),
  ownedHidden: z.array(z.string()),
  managers: z.array(managerFields),
  applications: z.array(z.object({ ns: z.string(), name: z.string() })),
  /** Why the person may not do something to it, verb by verb. */
  acts: objectRights,
  readAt: z.string(),
});
export type ObjectDetail = z.infer<typeof objectDetail>;

/** Objects found by a part of their name. */
export const foundObjects = z.object({ objects: z.array(namedObject.extend({ health })) });
