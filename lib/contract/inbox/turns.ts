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

/** Whose turn it is costs reviews of the cluster: it is looked at for so many of what waits, the most urgent. */
export const MOST_TURNS = 60;

/** Whose turn it is: that of the person who asks, or else whose. */
export const turn = z.object({
  mine: z.boolean(),
  /** `you`, groups, or somebody who may decide it. */
  waitsFor: z.string(),
  /** What waits, in a few words. */
  what: z.string(),
  /** As its row says it. */
  sentence: z.string(),
});
export type Turn = z.infer<typeof turn>;

/** Turns by the key of the inbox row. What is not in it was not looked at. */
export const turns = z.object({ turns: z.record(z.string(), turn) });
export type Turns = z.infer<typeof turns>;
