import { z } from 'zod';
import { activity, health } from './health';
import { decider } from './inbox/assignees';
import { listed } from './lists/listed';
import { DECISION_PHASES, DECISION_VERBS } from './stage-decision';
import { engineMode, oldEngineMode } from './system-rows';

/** One line of the table of rollouts. */
export const rolloutRow = z.object({
  key: z.string(),
  ns: z.string(),
  name: z.string(),
  phase: z.enum(['Healthy', 'Progressing', 'Paused', 'Degraded']),
  activity,
  health,
  sentence: z.string(),
  strategy: z.string(),
  from: z.string().nullable(),
  to: z.string(),
  stage: z.object({ index: z.number(), count: z.number() }),
  percent: z.number(),
  /** Who is awaited. */
  awaits: z.enum(['person', 'pods', 'time', 'nobody']),
  /** Of what waits for a person. */
  decider: decider.optional(),
  startedAt: z.string().nullable(),
  ...listed,
});
export type RolloutRow = z.infer<typeof rolloutRow>;

/** Bounds and figures of a revision at one moment. Null means not set or not known. */
export const scaleSample = z.object({
  at: z.string(),
  stageMin: z.number().nullable(),
  stageMax: z.number().nullable(),
  desired: z.number().nullable(),
  actual: z.number().nullable(),
});
export type ScaleSample = z.infer<typeof scaleSample>;

/** What scales a revision by load, within bounds that its rollout gives it. */
export const revisionScaler = z.object({
  name: z.string(),
  min: z.number(),
  max: z.number(),
  /** It follows its metrics, holds its bounds without any, or sleeps while there are no replicas. */
  state: z.enum(['scaling', 'holding', 'asleep']),
  /** Why it only holds its bounds. */
  message: z.string().nullable(),
});
export type RevisionScaler = z.infer<typeof revisionScaler>;

export const revisionScale = z.object({
  revision: z.string(),
  role: z.enum(['old', 'new', 'stay']),
  ownMin: z.number().nullable(),
  ownMax: z.number().nullable(),
  stageMin: z.number().nullable(),
  stageMax: z.number().nullable(),
  desired: z.number().nullable(),
  actual: z.number().nullable(),
  target: z.number().nullable(),
  terminating: z.number().nullable(),
  /** Which bound is in force now. */
  inForce: z.enum(['own', 'stage', 'parked']),
  /** Absent or null where the rollout alone counts. */
  scaler: revisionScaler.nullish(),
  percentPlanned: z.number().nullable(),
  /** Share of the ready pods of all revisions; no router is driven, so this is what is known of traffic. Null while there is none. */
  percentByPods: z.number().nullable(),
  /** True for the revision that an abort sends back. */
  isRejected: z.boolean(),
  image: z.string().nullable(),
  samples: z.array(scaleSample),
});
export type RevisionScale = z.infer<typeof revisionScale>;

/** How exact a count is: where an autoscaler counts, only the bound that a stage moves is known. */
export const exactness = z.enum(['exactly', 'atLeast', 'atMost']);

/** One revision in a stage: what is planned of it, and what was there when the stage ended, or is now. */
export const stageEntry = z.object({
  revision: z.string(),
  direction: z.enum(['up', 'down', 'stay']),
  percent: z.number().nullable(),
  replicas: z.number().nullable(),
  exact: exactness,
  observed: z.object({ percent: z.number().nullable(), replicas: z.number() }).nullable(),
});

export const STAGE_STATES = ['done', 'current', 'planned', 'failed', 'skipped'] as const;
const gate = z.enum(['none', 'closed', 'open']);

/** Who went past a gate, by which verb, and when it was behind; nobody where it opened by itself. */
const gatePassed = z.object({ at: z.string(), by: z.array(z.object({ user: z.string(), verb: z.enum(DECISION_VERBS), at: z.string() })) });
export type GatePassedView = z.infer<typeof gatePassed>;

/** A stage of the rail, forward to the target or back after an abort. */
export const stageView = z.object({
  /** 1-based within its way. */
  index: z.number(),
  way: z.enum(['forward', 'back']),
  state: z.enum(STAGE_STATES),
  /** Gate after this stage, if the policy has one. */
  gate,
  gatePassed: gatePassed.nullish(),
  /** Percent of the target once it is reached. */
  percent: z.number(),
  entries: z.array(stageEntry),
  startedAt: z.string().nullable(),
  finishedAt: z.string().nullable(),
});
export type StageView = z.infer<typeof stageView>;

/** One way to a target, and back where it was aborted. */
export const attemptView = z.object({
  key: z.string(),
  kind: z.enum(['rollout', 'retry', 'rollback']),
  from: z.array(z.string()),
  to: z.string(),
  outcome: z.enum(['under-way', 'completed', 'aborted', 'superseded']),
  /** Gate before the first stage. */
  firstGate: gate,
  firstGatePassed: gatePassed.nullish(),
  stages: z.array(stageView),
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
});
export type AttemptView = z.infer<typeof attemptView>;

/** One thing a person may do now, with its consequences before the click. */
export const actionView = z.object({
  verb: z.enum(DECISION_VERBS),
  allowed: z.boolean(),
  /** Why it is not possible now, or the person may not. */
  why: z.string().nullable(),
  /** What exactly happens, a sentence each. */
  consequences: z.array(z.string()),
  /** Replicas now, once the next stage is reached, and at the end; empty where none change or it is not allowed. */
  replicas: z.array(z.object({ revision: z.string(), now: z.number(), next: z.number(), end: z.number(), exact: exactness })),
  /** The most replicas of all revisions together on the way; null where none change. */
  peak: z.number().nullable(),
  needsReason: z.boolean(),
  /** What to send back so that only what was seen is decided. */
  stage: z.number().nullable(),
  revision: z.string().nullable(),
  seen: z.object({ rollout: z.string().nullable(), garbage: z.string().nullable(), policy: z.string().nullable() }),
});
export type ActionView = z.infer<typeof actionView>;

export const decisionView = z.object({
  key: z.string(),
  name: z.string(),
  verb: z.enum(DECISION_VERBS),
  user: z.string(),
  stage: z.number().nullable(),
  revision: z.string().nullable(),
  reason: z.string().nullable(),
  phase: z.enum(DECISION_PHASES),
  message: z.string(),
  createdAt: z.string(),
});
export type DecisionView = z.infer<typeof decisionView>;

export const timelineEntry = z.object({ key: z.string(), at: z.string(), actor: z.string(), action: z.string(), message: z.string() });
export type TimelineEntry = z.infer<typeof timelineEntry>;

const tighteningUndo = z.object({ by: z.string(), until: z.string() }).nullable();

export const rolloutDetail = z.object({
  key: z.string(),
  ns: z.string(),
  name: z.string(),
  uid: z.string(),
  application: z.string().nullable(),
  phase: z.enum(['Healthy', 'Progressing', 'Paused', 'Degraded']),
  activity,
  health,
  strategy: z.string(),
  ratio: z.number(),
  /** Whether our engine drives it. */
  engine: engineMode,
  /** @deprecated An older name of `engine`, for one release more. */
  standing: oldEngineMode.optional(),
  from: z.string().nullable(),
  to: z.string(),
  /** Why it waits: the sentence, and every clause with its state. */
  wait: z.object({ sentence: z.string(), clauses: z.array(z.object({ text: z.string(), met: z.boolean() })) }),
  /** The present attempt first, then earlier ones that are kept. Empty before the first target. */
  attempts: z.array(attemptView),
  /** 1-based: the stage under way, or the last that was reached; 0 before the first. */
  currentStage: z.number(),
  stageCount: z.number(),
  /** True once it was sent to the end at once: the stage under way is the last one. */
  promoted: z.boolean(),
  stageCountEstimated: z.boolean(),
  /** When the stage under way is to be reached; null once it is. */
  deadline: z.string().nullable(),
  revisions: z.array(revisionScale),
  /** What divides traffic. */
  trafficBy: z.literal('pods'),
  /** Who was sent back and why, until when it still serves; null but for an abort. */
  abort: z
    .object({
      rejected: z.string(),
      stable: z.array(z.string()),
      reason: z.string(),
      at: z.string().nullable(),
      /** True once the stable side carries everything again. */
      isReturned: z.boolean(),
      /** Until when the rejected revision is kept although the stable side is ready; null without a delay. */
      keptUntil: z.string().nullable(),
    })
    .nullable(),
  actions: z.array(actionView),
  approvals: z.object({
    required: z.number(),
    groups: z.array(z.string()),
    /** Who requested the change; null where it is unknown. `asker`: its older name, for one release more. */
    requester: z.string().nullable().default(null),
    asker: z.string().nullable().optional(),
    /** Whether they may approve it themselves. */
    requesterMayApprove: z.boolean().default(true),
    given: z.array(z.object({ user: z.string(), at: z.string() })),
    /** Who wants to go past the gate without approving it; it takes as many people as an approval. */
    votes: z.array(z.object({ verb: z.string(), user: z.string(), at: z.string() })),
  }),
  /** Who may undo a tightening of the policy by applying the former one, and until when; `takeBack` is its older name. */
  tighteningUndo: tighteningUndo.default(null),
  takeBack: tighteningUndo.optional(),
  /** A policy that lets more through than the one in force, and who decided that it may. `asked` is the older name of `requested`. */
  loosening: z
    .object({
      fields: z.array(z.object({ field: z.string(), inForce: z.string(), requested: z.string(), asked: z.string().optional() })),
      given: z.array(z.object({ user: z.string(), at: z.string() })),
    })
    .nullable(),
  decisions: z.array(decisionView),
  timeline: z.array(timelineEntry),
  /** What the end of this rollout deletes. */
  garbage: z
    .object({
      digest: z.string(),
      deleted: z.number(),
      held: z.number(),
      /** Kept or handed over. */
      kept: z.number(),
      from: z.string().nullable(),
      to: z.string().nullable(),
    })
    .nullable(),
  startedAt: z.string().nullable(),
});
export type RolloutDetail = z.infer<typeof rolloutDetail>;

/** What the signed-in person may do with one rollout, verb by verb; null means allowed, else the sentence. */
export const rightsView = z.record(z.enum(DECISION_VERBS), z.string().nullable());
export type RightsView = z.infer<typeof rightsView>;
