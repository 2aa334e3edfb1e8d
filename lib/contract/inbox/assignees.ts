import { z } from 'zod';

/** By which decision something that waits goes on, and whom its policy asks for and keeps from it. */
export const decider = z.object({
  verb: z.string(),
  /** One of these groups; empty where the policy names none. */
  groups: z.array(z.string()),
  /** Further lists, where demands of several sources meet: one group of each of them as well. */
  andGroups: z.array(z.array(z.string())).optional(),
  /** Who has decided already, or may not because the change is theirs. */
  not: z.array(z.string()),
  /** True where the policy counts people, so that a service account counts only if one of the groups is its own (docs/decisions/0138-service-accounts-are-no-people.md). */
  people: z.boolean().optional(),
});

/** Who may act on it costs reviews of the cluster: they are made for so many of what waits, the most urgent. */
export const MOST_ASSIGNED = 60;

/** Who may act on what waits: the person who asks, or else who. */
export const assignee = z.object({
  mine: z.boolean(),
  /** `you`, groups, or somebody who may decide it. */
  waitsFor: z.string(),
  /** What waits, in a few words. */
  what: z.string(),
  /** As its row says it. */
  sentence: z.string(),
});
export type Assignee = z.infer<typeof assignee>;

const byRow = z.record(z.string(), assignee);

/** Assignees by the key of the inbox row; what is missing was not evaluated. `turns` is their name of before, for one release more. */
export const assignees = z.object({ assignees: byRow, turns: byRow.optional() });
export type Assignees = z.infer<typeof assignees>;
