import { z } from 'zod';

/** What commits of a release want before it goes to them: so many people, each of them in a group of every list. */
export const demand = z.object({ required: z.number().int().min(0), groups: z.array(z.array(z.string())) });
export type Demand = Readonly<{ required: number; groups: readonly (readonly string[])[] }>;

/** The commit that a release is kept at, by whose approval. */
export const approvedCommit = z.object({ commit: z.string(), chart: z.string(), at: z.string(), by: z.array(z.string()) });

/** The newest commit that touched the chart and is not approved. */
export const waitingCommit = z.object({ commit: z.string(), chart: z.string(), subject: z.string(), author: z.string(), at: z.string() });

/** What engines keep of a gate, in the status of the decision that stands for it. */
export const keptGate = demand.extend({
  /** What annotations and settings demand, where that is less than what is in force. */
  wanted: demand.nullish(),
  approved: approvedCommit.nullish(),
  /** A commit that was approved, and that the branch does not contain any more. */
  lost: z.string().nullish(),
  waiting: waitingCommit.nullish(),
  /** When people last agreed to demand less. */
  loosenedAt: z.string().nullish(),
});
export type KeptGate = z.infer<typeof keptGate>;
