import { z } from 'zod';

/** What commits of a release want before it goes to them: so many people, each of them in a group of every list. */
export const gatePolicy = z.object({ required: z.number().int().min(0), groups: z.array(z.array(z.string())) });
export type GatePolicy = Readonly<{ required: number; groups: readonly (readonly string[])[] }>;

/** A chart that the one of a commit depends on, as it was fetched: its version, and SHA-256 of its archive. */
const dependency = z.object({ name: z.string(), version: z.string(), digest: z.string() });

/** The commit that a release is kept at, by whose approval, and with which dependencies, where some were fetched. `chart` is its content as git names it, and a digest of them. */
export const approvedCommit = z.object({
  commit: z.string(),
  chart: z.string(),
  at: z.string(),
  by: z.array(z.string()),
  dependencies: z.array(dependency).nullish(),
});

/** The newest commit that touched the chart and is not approved. */
export const waitingCommit = z.object({
  commit: z.string(),
  chart: z.string(),
  subject: z.string(),
  author: z.string(),
  at: z.string(),
  /** When the engine found that it waits. */
  since: z.string().optional(),
  dependencies: z.array(dependency).nullish(),
});

/** An archive of a chart that is pulled: the version that it was found as, and its SHA-256. */
const archive = z.object({ revision: z.string(), digest: z.string() });
export type Archive = z.infer<typeof archive>;

/** The archive that a release may be at, since when, and by whose approval: by nobody's where its resource was changed to it. */
const currentArchive = archive.extend({ at: z.string(), by: z.array(z.string()) });

/** The same of the archives of a chart that is pulled: which one the release may be at, and which one waits. */
const archiveGate = z.object({
  current: currentArchive.nullish(),
  waiting: archive.extend({ at: z.string() }).nullish(),
});

/** What engines keep of a gate, in the status of the decision that stands for it. */
export const keptGate = gatePolicy.extend({
  /** What annotations and settings demand, where that is less than what is in force, and since when: who agreed to it before agrees to no later one. */
  wanted: gatePolicy.extend({ since: z.string().optional() }).nullish(),
  approved: approvedCommit.nullish(),
  /** A commit that was approved, and that the branch lost before the release was at it: its approval is void. */
  lost: z.string().nullish(),
  /** The commit that the release is at, where the branch does not contain it any more: it stays there until another is approved. */
  gone: z.string().nullish(),
  waiting: waitingCommit.nullish(),
  /** Of a chart that is pulled, which has no commits. */
  archive: archiveGate.nullish(),
  /** When people last agreed to demand less. */
  loosenedAt: z.string().nullish(),
});
export type KeptGate = z.infer<typeof keptGate>;

/** What waits for approval, whatever the chart comes from; undefined where nothing does. */
export function awaitedApproval(gate: Pick<KeptGate, 'waiting' | 'archive'> | null | undefined): { readonly id: string } | undefined {
  const id = gate?.waiting?.commit ?? gate?.archive?.waiting?.digest;
  return id === undefined ? undefined : { id };
}
