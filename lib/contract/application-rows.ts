import { z } from 'zod';
import { suspension } from './acts/application-acts';
import { driftView } from './drift-rows';
import { activity, health } from './health';
import { decider } from './inbox/assignees';
import { listed } from './lists/listed';
import { objectCounts } from './tree-rows';

/** One line of the table of applications. */
export const applicationRow = z.object({
  key: z.string(),
  ns: z.string(),
  name: z.string(),
  health,
  activity,
  /** Why the application itself waits for a person, whatever its rollout does; null while it does not. */
  waits: z.string().nullable(),
  /** Who lets it go on then. */
  decider: decider.optional(),
  message: z.string(),
  revision: z.string().nullable(),
  /** During a rollout: where it goes. */
  target: z.string().nullable(),
  stage: z.object({ index: z.number(), count: z.number() }).nullable(),
  components: z.number(),
  objects: z.number(),
  /** Objects that are not as the newest revision wants them, and are to be put back. */
  drifted: z.number(),
  /** Objects that differ only where a policy leaves it so. */
  left: z.number(),
  images: z.array(z.string()),
  updatedAt: z.string().nullable(),
  ...listed,
});
export type ApplicationRow = z.infer<typeof applicationRow>;

/** What a condition says of its object, by the polarity of its name: `Drifted` False is good. */
export const CONDITION_STATES = ['good', 'failed', 'under-way', 'odd', 'none'] as const;

export const condition = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.string(),
  message: z.string(),
  at: z.string().nullable(),
  state: z.enum(CONDITION_STATES),
});

export const revisionRow = z.object({
  name: z.string(),
  number: z.number(),
  createdAt: z.string().nullable(),
  images: z.array(z.string()),
  tracker: z.string().nullable(),
  /** unapplied: it is the newest, and the last try to apply it failed. */
  state: z.enum(['current', 'target', 'unapplied', 'previous', 'rejected', 'superseded']),
});
export type RevisionRow = z.infer<typeof revisionRow>;

/** What can be changed without an editor: one component's image and its scale. */
export const componentView = z.object({
  name: z.string(),
  type: z.string(),
  image: z.string().nullable(),
  replicas: z.number().nullable(),
  traits: z.array(z.string()),
  rolledOut: z.boolean(),
});
export type ComponentView = z.infer<typeof componentView>;

export const applicationDetail = z.object({
  key: z.string(),
  ns: z.string(),
  name: z.string(),
  uid: z.string(),
  generation: z.number(),
  health,
  activity,
  message: z.string(),
  deleting: z.boolean(),
  /** What keeps its engine from reconciling it; null while nothing does. */
  suspended: suspension.nullable(),
  rollout: z.object({ ns: z.string(), name: z.string() }).nullable(),
  /** After an abort: one line on who was sent back and why; null otherwise. */
  notice: z.string().nullable(),
  conditions: z.array(condition),
  components: z.array(componentView),
  policies: z.array(z.object({ type: z.string(), summary: z.string() })),
  revisions: z.array(revisionRow),
  objects: objectCounts,
  trackers: z.array(z.string()),
  drift: driftView,
});
export type ApplicationDetail = z.infer<typeof applicationDetail>;
