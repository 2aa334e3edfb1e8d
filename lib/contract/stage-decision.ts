import { z } from 'zod';

/** What a person may decide about a rollout (or, for approve, about the garbage of an application). */
export const DECISION_VERBS = ['approve', 'advance', 'promote-full', 'pause', 'resume', 'abort', 'rollback', 'retry', 'loosen'] as const;
export type DecisionVerb = (typeof DECISION_VERBS)[number];

interface VerbTraits {
  /** Wants a written reason. */
  readonly wantsReason?: true;
  /** Counts only while what the person saw still holds. */
  readonly restsOnSeen?: true;
  /** Names the stage it was decided for. */
  readonly namesStage?: true;
  /** Leads on, past a gate or to the end: approvals bind it, and what the end deletes is a part of it. */
  readonly leadsOn?: true;
  /** Counts while the record cannot be written: what stops is never refused, and is put on record when that is possible again. */
  readonly needsNoRecord?: true;
  /** Lets through what a gate or a policy holds. */
  readonly passesGate?: true;
  /** Leaves the plan of the rollout as it is. */
  readonly keepsPlan?: true;
}

const VERBS: Readonly<Record<DecisionVerb, VerbTraits>> = {
  approve: { passesGate: true, restsOnSeen: true, namesStage: true, leadsOn: true, keepsPlan: true },
  advance: { passesGate: true, restsOnSeen: true, namesStage: true, leadsOn: true, keepsPlan: true },
  'promote-full': { passesGate: true, wantsReason: true, restsOnSeen: true, leadsOn: true },
  pause: { needsNoRecord: true, keepsPlan: true },
  resume: { keepsPlan: true },
  abort: { wantsReason: true, needsNoRecord: true },
  rollback: { wantsReason: true, restsOnSeen: true, keepsPlan: true },
  retry: { restsOnSeen: true },
  loosen: { passesGate: true, wantsReason: true, restsOnSeen: true },
};

/** True for a verb of which this holds. */
export function verbIs(verb: DecisionVerb, trait: keyof VerbTraits): boolean {
  return VERBS[verb][trait] === true;
}

export const DECISION_PHASES = ['Pending', 'Accepted', 'Rejected', 'Expired'] as const;
export type DecisionPhase = (typeof DECISION_PHASES)[number];

export const STAGE_DECISION_API_VERSION = 'slipway.dev/v1alpha1';

const namedObject = z.object({ name: z.string().min(1), uid: z.string().min(1) });

/** Digests of what the screen showed when the person decided. */
export const decisionPreconditions = z.object({
  /** Digest of uid, target, attempt, stage, phase and policy of the rollout. */
  rollout: z.string().optional(),
  /** Digest of the garbage plan: group, kind, namespace, name, uid and verdict of each object, and rules for what they own. */
  garbage: z.string().optional(),
  /** Digest of the terms in force and of the looser ones that a policy asks for. */
  policy: z.string().optional(),
  rehearsal: z.string().optional(),
  /** Of a rollback: digest of the plan of what it does to every object, and the state of the application that it was worked out on. */
  plan: z.string().optional(),
  application: z.object({ uid: z.string().min(1), generation: z.number().int().min(1) }).optional(),
});
export type DecisionPreconditions = z.infer<typeof decisionPreconditions>;

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
  seen: decisionPreconditions.optional(),
  expiresAt: z.string().optional(),
  /** Names what may go although a safety rule holds it: object keys (`kind/namespace/name`), or a count. */
  garbage: z.object({ objects: z.array(z.string()).optional(), count: z.number().int().min(0).optional() }).optional(),
});
export type StageDecisionSpec = z.infer<typeof stageDecisionSpec>;
