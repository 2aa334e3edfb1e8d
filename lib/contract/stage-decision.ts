import { z } from 'zod';

/** What a person may decide about a rollout (or, for approve, about the garbage of an application). */
export const DECISION_VERBS = ['approve', 'advance', 'promote-full', 'pause', 'resume', 'abort', 'rollback', 'retry'] as const;
export type DecisionVerb = (typeof DECISION_VERBS)[number];

export const DECISION_PHASES = ['Pending', 'Accepted', 'Rejected', 'Expired'] as const;
export type DecisionPhase = (typeof DECISION_PHASES)[number];

/** Verbs that need a written reason. */
export const VERBS_WITH_REASON: readonly DecisionVerb[] = ['abort', 'rollback', 'promote-full'];
/** Verbs that count only while what the person saw still holds. */
export const VERBS_THAT_SAW: readonly DecisionVerb[] = ['approve', 'advance', 'promote-full', 'rollback', 'retry'];
/** Verbs that count while the record cannot be written: what stops is never refused, and is put on record when that is possible again. */
export const VERBS_WITHOUT_RECORD: readonly DecisionVerb[] = ['pause', 'abort'];
/** Verbs that name the stage they were decided for. */
export const VERBS_WITH_STAGE: readonly DecisionVerb[] = ['approve', 'advance'];

export const STAGE_DECISION_API_VERSION = 'slipway.dev/v1alpha1';

const namedObject = z.object({ name: z.string().min(1), uid: z.string().min(1) });

/** Digests of what the screen showed when the person decided. */
export const decisionSeen = z.object({
  /** Digest of uid, target, stage, phase and policy of the rollout. */
  rollout: z.string().optional(),
  /** Digest of the garbage plan (group, kind, namespace, name, uid and verdict of each object). */
  garbage: z.string().optional(),
  rehearsal: z.string().optional(),
});
export type DecisionSeen = z.infer<typeof decisionSeen>;

/** The spec of a StageDecision; immutable once created. Exactly one of rolloutRef and applicationRef is set. */
export const stageDecisionSpec = z.object({
  rolloutRef: namedObject.optional(),
  applicationRef: namedObject.optional(),
  verb: z.enum(DECISION_VERBS),
  /** The completed stage this was decided at, 0 before the first. */
  stage: z.number().int().min(0).optional(),
  /** The target revision it was decided for; for rollback the revision to go to. */
  revision: z.string().optional(),
  reason: z.string().max(2000).optional(),
  actor: z.object({ user: z.string().min(1), groups: z.array(z.string()).optional() }),
  seen: decisionSeen.optional(),
  expiresAt: z.string().optional(),
  /** Names what may go although a safety rule holds it: object keys (`kind/namespace/name`), or a count. */
  garbage: z.object({ objects: z.array(z.string()).optional(), count: z.number().int().min(0).optional() }).optional(),
});
export type StageDecisionSpec = z.infer<typeof stageDecisionSpec>;
