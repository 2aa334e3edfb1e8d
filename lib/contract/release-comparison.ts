import { z } from 'zod';
import { diffLine } from './change-rows';

/** How an object of a release is addressed; without a namespace where its kind has none. */
export const objectAddress = z.object({ apiVersion: z.string(), kind: z.string(), ns: z.string().nullable(), name: z.string() });

/** How two contents of a release differ: what Helm stored of it, or what a chart would make of it. */
export const contentComparison = z.object({
  /** How the values that people gave differ, those of Secrets masked. */
  values: z.array(diffLine),
  /** Also where all that differs is masked. */
  valuesDiffer: z.boolean(),
  /** Whether values are masked that do not stand in the resource. */
  hidesValues: z.boolean(),
  objects: z.array(
    objectAddress.extend({
      change: z.enum(['created', 'changed', 'deleted']),
      /** Null where one may not see the object; empty where only masked values differ. */
      diff: z.array(diffLine).nullable(),
    }),
  ),
  /** What the chart says to whoever installed the newer one. */
  notes: z.string().nullable(),
});
export type ContentComparison = z.infer<typeof contentComparison>;

/** How two stored revisions of a release differ. */
export const releaseComparison = contentComparison.extend({ from: z.number(), to: z.number() });
export type ReleaseComparison = z.infer<typeof releaseComparison>;

/** An object of a plan; without its name where that is another one at each rendering. */
export const planned = z.object({ apiVersion: z.string(), kind: z.string(), ns: z.string(), name: z.string().nullable() });

/** What differs each time a chart is rendered, and is promised by nobody: places of an object, or the object as a whole; null for places of one that one may not see. */
export const nondeterministic = z.array(planned.extend({ paths: z.array(z.string()).nullable() }));

/** How what Helm stored last differs from what the chart of a commit would make. */
export const commitComparison = contentComparison.extend({
  /** The newest stored revision; null where nothing is stored. */
  from: z.number().nullable(),
  commit: z.string(),
  /** The definitions in the crds folder of its chart that are not installed as the chart has them, by name, and that Helm would leave so. */
  definitions: z.array(z.string()).default([]),
  /** The objects whose name is another one each time. */
  nondeterministic: nondeterministic.default([]),
});
export type CommitComparison = z.infer<typeof commitComparison>;

/** A release seen three ways: the chart at its head, what Helm stored last, and what is live. */
export const threeWay = contentComparison.omit({ objects: true, notes: true }).extend({
  /** The newest stored revision; null where nothing is stored. */
  stored: z.number().nullable(),
  /** The commit or version that the chart is at now; `why` says why it was not rendered. */
  head: z.object({ revision: z.string().nullable(), why: z.string().nullable() }),
  objects: z.array(
    objectAddress.extend({
      /** What the chart at its head makes of what is stored; unknown where it was not rendered. */
      head: z.enum(['same', 'created', 'changed', 'deleted', 'unknown']),
      /** Null where one may not see the object; empty where nothing differs but masked values. */
      headDiff: z.array(diffLine).nullable(),
      /** What is live of what is stored; new: it is not stored, so nothing live is compared. hidden: one may not see the object. */
      live: z.enum(['same', 'differs', 'missing', 'new', 'unknown', 'hidden']),
      /** Why nobody knows. */
      why: z.string().nullable(),
      /** The first field that is not live as it is stored, how many there are, and who set the first. */
      first: z.string().nullable(),
      fields: z.number(),
      by: z.string().nullable(),
      liveDiff: z.array(diffLine).nullable(),
    }),
  ),
});
export type ThreeWay = z.infer<typeof threeWay>;

/** What one stored revision of a release holds. */
export const storedContent = z.object({
  revision: z.number(),
  /** The values that people gave, as YAML, those of Secrets masked; empty where nobody gave any. */
  values: z.string(),
  /** Whether values are masked that do not stand in the resource. */
  hidesValues: z.boolean(),
  /** In the order of the manifest, hooks left out. */
  objects: z.array(
    objectAddress.extend({
      /** As YAML; null where `why` says so: hidden: one may not see the object. long: more than is told at once. */
      text: z.string().nullable(),
      why: z.enum(['hidden', 'long']).nullable(),
    }),
  ),
  /** What the chart says to whoever installed it; empty where it says nothing, null where one may not read what Helm stored. */
  notes: z.string().nullable(),
});
export type StoredContent = z.infer<typeof storedContent>;

/** How far the approval of a commit has come, as whoever asks is told. */
const commitApproval = z.object({
  /** How many approvals it has of how many, whose, and who is missing. */
  sentence: z.string(),
  /** Why one more of whoever asks would not count now; null where it would. */
  why: z.string().nullable(),
});

/** A commit as it may be approved now. */
export const approvableCommit = commitApproval.extend({
  commit: z.string(),
  /** Its chart, which an approval of it sends: its content, and a digest of what was fetched for it; null where it has no chart. */
  chart: z.string().nullable(),
});
export type ApprovableCommit = z.infer<typeof approvableCommit>;

/** The newest commits that touched the chart of a release, newest first. */
export const releaseCommits = z.object({
  /** What the branch is at. */
  head: z.string(),
  commits: z.array(
    z.object({
      commit: z.string(),
      subject: z.string(),
      author: z.string(),
      at: z.string(),
      /** Whether the release was brought there, or past it; unknown where git cannot tell, as when history was rewritten. */
      state: z.enum(['taken', 'waiting', 'unknown']),
      /** Of one that a gate keeps from the release; absent where no gate does, and of what is released. */
      approval: commitApproval.optional(),
    }),
  ),
  /** Whether there are older ones. */
  more: z.boolean(),
  /** Why git cannot tell which of them the release was brought to; null where it can. */
  why: z.string().nullable(),
});
export type ReleaseCommits = z.infer<typeof releaseCommits>;
