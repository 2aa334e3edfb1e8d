import { z } from 'zod';
import { activity, health } from './health';
import { DECISION_PHASES, DECISION_VERBS } from './stage-decision';
import { standingView } from './system-rows';

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
  startedAt: z.string().nullable(),
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
  percentObserved: z.number().nullable(),
  image: z.string().nullable(),
  samples: z.array(scaleSample),
});
export type RevisionScale = z.infer<typeof revisionScale>;

/** A stage of the rail: done, the one under way, or planned for an ideal cluster. */
export const stageView = z.object({
  /** 1-based. */
  index: z.number(),
  state: z.enum(['done', 'current', 'planned', 'failed']),
  /** Gate after this stage, if the policy has one. */
  gate: z.enum(['none', 'closed', 'open']),
  entries: z.array(z.object({ revision: z.string(), percent: z.number().nullable(), replicas: z.number().nullable(), direction: z.string().nullable() })),
  startedAt: z.string().nullable(),
  finishedAt: z.string().nullable(),
});
export type StageView = z.infer<typeof stageView>;

/** One thing a person may do now, with its consequences before the click. */
export const actionView = z.object({
  verb: z.enum(DECISION_VERBS),
  allowed: z.boolean(),
  /** Why it is not possible now, or the person may not. */
  why: z.string().nullable(),
  /** What exactly happens, a sentence each. */
  consequences: z.array(z.string()),
  needsReason: z.boolean(),
  /** What to send back so that only what was seen is decided. */
  stage: z.number().nullable(),
  revision: z.string().nullable(),
  seen: z.object({ rollout: z.string().nullable(), garbage: z.string().nullable() }),
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
  standing: standingView,
  from: z.string().nullable(),
  to: z.string(),
  /** Why it waits: the sentence, and every clause with its state. */
  wait: z.object({ sentence: z.string(), clauses: z.array(z.object({ text: z.string(), met: z.boolean() })) }),
  stages: z.array(stageView),
  currentStage: z.number(),
  /** True once it was sent to the end at once: the stage under way is the last one. */
  promoted: z.boolean(),
  stageCountEstimated: z.boolean(),
  /** When the stage under way is to be reached; null once it is. */
  deadline: z.string().nullable(),
  revisions: z.array(revisionScale),
  trafficRouter: z.string(),
  actions: z.array(actionView),
  approvals: z.object({ required: z.number(), given: z.array(z.object({ user: z.string(), at: z.string() })) }),
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
