import { z } from 'zod';
import { condition } from './application-rows';
import { FLUX_RELEASE } from './flux-kind';
import { decider } from './inbox/assignees';
import { listed } from './lists/listed';
import { objectAddress } from './release-comparison';
import { RELEASE_VERBS } from './release-decision';
import { keptGate } from './release-gate';
import { RELEASE_KIND_NAMES } from './release-kind';
import { RELEASE_STATES } from './release-state';
import { timelineEntry } from './rollout-rows';
import { DECISION_PHASES } from './stage-decision';
import { engineMode, oldEngineMode } from './system-rows';

const releaseKindName = z.enum(RELEASE_KIND_NAMES);

const state = z.enum(RELEASE_STATES);
const chart = z.object({ name: z.string(), version: z.string(), appVersion: z.string().nullable() }).nullable();

/** A commit as git tells it. */
const commitView = z.object({ commit: z.string(), subject: z.string(), author: z.string(), at: z.string() });

/** What chart sync did last, and which loop. */
const lastAct = z.object({
  at: z.string(),
  /** The loop, in words. */
  by: z.string().nullable(),
  outcome: z.string(),
  revision: z.string().nullable(),
  storedRevision: z.number().nullable(),
  /** The people whose decision it was. */
  users: z.array(z.string()),
});

const drift = z.object({ state: z.enum(['none', 'drifted', 'unknown']), sentence: z.string() });

/** One line of the table of releases: a resource that declares one. */
export const releaseRow = z.object({
  /** `namespace/kind/name`, as in the address of its page. */
  key: z.string(),
  ns: z.string(),
  kind: z.enum([...RELEASE_KIND_NAMES, FLUX_RELEASE]),
  name: z.string(),
  state,
  sentence: z.string(),
  /** The release of Helm that it declares. */
  release: z.object({ namespace: z.string(), name: z.string() }),
  chart,
  /** Commit or chart version that is released, or was attempted last. */
  revision: z.string().nullable(),
  /** The newest commit up to that revision that touched the chart; null for a chart that is pulled, and where that is not known. */
  commit: commitView.nullable(),
  lastAct: lastAct.nullable(),
  drift,
  /** What keeps every loop from looking at it; null where nothing does. */
  waits: z.string().nullable(),
  nextCheckAt: z.string().nullable(),
  /** Of a release that Flux drives: how often it looks, and whether its resource tells it not to. */
  flux: z.object({ interval: z.string().nullable(), suspended: z.boolean() }).nullable(),
  /** The commit that waits for people's approval; null where none does. */
  approval: z.string().nullable(),
  /** That commit; absent where it is an archive, and where an approval is void and nothing waits. */
  approvalCommit: z.string().optional(),
  /** Since when it waits, where that is known. */
  approvalSince: z.string().optional(),
  /** Whom that commit waits for. */
  decider: decider.optional(),
  /** That the branch of its chart is gone upstream, in words; absent where it is not known to be. */
  goneBranch: z.string().optional(),
  /** @deprecated An older name of `goneBranch`, for one release more. */
  lostBranch: z.string().optional(),
  /** That its branch does not contain the commit any more that it is at; absent where it does. */
  goneCommit: z.string().optional(),
  /** When it began to fail as it does; absent where it does not. */
  failedAt: z.string().optional(),
  ...listed,
});
export type ReleaseRow = z.infer<typeof releaseRow>;

/** One reconcile of a release by a loop, or several that came to the same. */
export const reconcileView = z.object({
  key: z.string(),
  at: z.string(),
  since: z.string(),
  times: z.number(),
  by: z.string(),
  outcome: z.string(),
  revision: z.string().nullable(),
  rule: z.string().nullable(),
  /** What was compared by that rule, and what it decided; null where the outcome says everything. */
  why: z.string().nullable(),
  error: z.string().nullable(),
});
export type ReconcileView = z.infer<typeof reconcileView>;

/** What holds a release where it is, by whose decision. */
const holdView = z.object({
  decision: z.string(),
  by: z.string(),
  at: z.string(),
  verb: z.enum(['hold', 'rollback']),
  reason: z.string().nullable(),
  revision: z.number().nullable(),
});

/** The work of Helm on a release. */
const workView = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('elsewhere') }),
  z.object({
    kind: z.literal('here'),
    command: z.string(),
    isWaiting: z.boolean(),
    since: z.string(),
    until: z.string().nullable(),
    /** The signal that ended it; null where none did, or nobody saw it. */
    killedBy: z.string().nullable(),
    /** Whether an earlier process of the server began it. */
    isInherited: z.boolean(),
    line: z.string().nullable(),
  }),
]);
export type WorkView = z.infer<typeof workView>;

/** What keeps commits from a release until people approve them. */
const gateView = keptGate.extend({
  /** What is demanded, in words. */
  sentence: z.string(),
  /** Who approved what waits so far. */
  approvers: z.array(z.string()),
  /** @deprecated An older name of `approvers`, for one release more. */
  supporters: z.array(z.string()).optional(),
  /** The same with what is missing, in words; an older server tells it as a list alone. */
  given: z.string().optional(),
  /** What a decision that demands less names; null where no less is asked for. */
  loosening: z.string().nullable(),
  /** What would be demanded then, in words. */
  looser: z.string().nullable(),
});
export type GateView = z.infer<typeof gateView>;

/** One thing a person may do now, with its consequences before the click. */
export const releaseAction = z.object({
  verb: z.enum(RELEASE_VERBS),
  /** Why it is not possible now; null where it is. */
  why: z.string().nullable(),
  consequences: z.array(z.string()),
  needsReason: z.boolean(),
});
export type ReleaseAction = z.infer<typeof releaseAction>;

const releaseDecisionView = z.object({
  key: z.string(),
  verb: z.enum(RELEASE_VERBS),
  user: z.string(),
  revision: z.number().nullable(),
  commit: z.string().nullable(),
  /** Of an approval of a chart that is pulled: the SHA-256 of the archive. */
  digest: z.string().nullable(),
  /** Of an approval: the chart that was seen, which another approval of the same names. */
  chart: z.string().nullish(),
  reason: z.string().nullable(),
  phase: z.enum(DECISION_PHASES),
  message: z.string(),
  createdAt: z.string(),
});
export type ReleaseDecisionView = z.infer<typeof releaseDecisionView>;

export const releaseDetail = releaseRow.extend({
  kind: releaseKindName,
  uid: z.string(),
  generation: z.number(),
  apiVersion: z.string(),
  /** That its resource is being deleted; an older server does not tell. */
  deleting: z.boolean().optional(),
  /** Whether our engine drives it. */
  engine: engineMode,
  /** @deprecated An older name of `engine`, for one release more. */
  standing: oldEngineMode.optional(),
  /** That its revision was attempted and is not released; false also where nobody knows. */
  onlyAttempted: z.boolean(),
  /** What Helm's storage says of the newest revision. */
  stored: z.string().nullable(),
  /** The number of that revision. */
  storedRevision: z.number().nullable(),
  /** Where the chart comes from, without credentials; a null address is that of the server's own repository. */
  origin: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('git'), url: z.string().nullable(), ref: z.string().nullable(), path: z.string() }),
    z.object({ kind: z.literal('repository'), url: z.string(), name: z.string(), version: z.string() }),
  ]),
  /** As whom Helm runs: a ServiceAccount of the resource's namespace, or null for the server; and whether the resource names it. */
  actsAs: z.object({ account: z.string().nullable(), named: z.boolean() }),
  /** Why the last look did not upgrade it, by rule and evidence, or that it did. */
  upgrade: z.string(),
  /** Why a change that somebody previewed is not released; null where none waits. */
  outdatedPlan: z.string().nullable(),
  /** @deprecated An older name of `outdatedPlan`, for one release more. */
  planMoved: z.string().nullish(),
  hold: holdView.nullable(),
  /** The other resource that declares the release, for which Helm does not uninstall it when this one is deleted. */
  keptBy: z.string().nullable(),
  /** What the git server calls after a push, and the Secret whose key `webhook` signs that; null where no Secret is named. */
  webhook: z.object({ path: z.string(), secret: z.object({ namespace: z.string(), name: z.string() }) }).nullable(),
  gate: gateView.nullable(),
  /** What Helm does to it, or did last; of another replica that is not known. */
  work: workView.nullable(),
  actions: z.array(releaseAction),
  /** What people decided about it, newest first. */
  decisions: z.array(releaseDecisionView),
  conditions: z.array(condition),
  /** What the loops of the replica that answers did, newest first. */
  reconciles: z.array(reconcileView),
  /** @deprecated An older name of `reconciles`, for one release more. */
  looks: z.array(reconcileView).optional(),
  /** What is on record of it, newest first. */
  timeline: z.array(timelineEntry),
});
export type ReleaseDetail = z.infer<typeof releaseDetail>;

/** What rights are told of: what may be decided, and the change and the deletion of the resource. */
export const RELEASE_RIGHTS = [...RELEASE_VERBS, 'edit', 'uninstall'] as const;

/** What the signed-in person may do about one release, verb by verb; null means allowed, else the sentence. */
export const releaseRights = z.record(z.enum(RELEASE_RIGHTS), z.string().nullable());
export type ReleaseRights = z.infer<typeof releaseRights>;

/** What going back to a stored revision does to each object. */
export const rollbackPreview = z.object({
  /** The newest stored revision, and the one that is gone back to. */
  from: z.number(),
  to: z.number(),
  objects: z.array(objectAddress.extend({ change: z.enum(['created', 'changed', 'deleted', 'same']) })),
});
export type RollbackPreview = z.infer<typeof rollbackPreview>;

/** What made a stored revision, as the record tells. */
const revisionCause = z.object({
  at: z.string(),
  /** The loop, in words. */
  by: z.string(),
  outcome: z.string(),
  commit: commitView.nullable(),
  /** The people who decided or changed what led to it, and how. */
  users: z.array(z.string()),
  verb: z.enum([...RELEASE_VERBS, 'edit']).nullable(),
  reason: z.string().nullable(),
});
export type RevisionCause = z.infer<typeof revisionCause>;

/** The stored revisions of a release, newest first. */
export const releaseHistory = z.object({
  revisions: z.array(
    z.object({
      revision: z.number(),
      status: z.string(),
      storedAt: z.string().nullable(),
      chart: z.string().nullable(),
      chartVersion: z.string().nullable(),
      appVersion: z.string().nullable(),
      description: z.string().nullable(),
      /** Null where the record tells nothing: Helm was called by hand, or long ago. */
      cause: revisionCause.nullable(),
      /** @deprecated An older name of `cause`, for one release more. */
      behind: revisionCause.nullish(),
    }),
  ),
});
export type ReleaseHistory = z.infer<typeof releaseHistory>;
