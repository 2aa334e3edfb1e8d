import { z } from 'zod';
import { DIRECTIONS, targetRevision } from '../model';

export const ROLLOUT_PHASES = ['Healthy', 'Progressing', 'Paused', 'Degraded'] as const;
export type RolloutPhase = (typeof ROLLOUT_PHASES)[number];

export const HOLD_REASONS = ['UserPaused', 'StageGate', 'SoakTime', 'HealthUnknown'] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];

const revisions = z.array(targetRevision).readonly();
const historyEntry = z.object({ id: z.string(), at: z.string(), actor: z.string(), action: z.string(), message: z.string() });
export type HistoryEntry = z.infer<typeof historyEntry>;

const ATTEMPT_KINDS = ['rollout', 'retry', 'rollback'] as const;

/** One stage as it was gone through: what was planned of each revision, and how many of it were ready at its end. */
const stageRecord = z.object({
  index: z.number(),
  way: z.enum(['forward', 'back']),
  startedAt: z.string().optional(),
  endedAt: z.string().optional(),
  failed: z.boolean().optional(),
  revisions: z
    .array(
      z.object({
        revision: z.string(),
        direction: z.enum(DIRECTIONS),
        percent: z.number().optional(),
        replicas: z.number().optional(),
        ready: z.number().optional(),
      }),
    )
    .readonly(),
});
export type StageRecord = Readonly<z.infer<typeof stageRecord>>;

/** An attempt that is over. */
const attemptRecord = z.object({
  id: z.string(),
  kind: z.enum(ATTEMPT_KINDS),
  from: z.array(z.string()).readonly(),
  to: z.string(),
  startedAt: z.string(),
  endedAt: z.string(),
  outcome: z.enum(['completed', 'aborted', 'superseded']),
  stages: z.array(stageRecord).readonly(),
});
export type AttemptRecord = Readonly<z.infer<typeof attemptRecord>>;

/**
 * What the engine remembers about a rollout in `status.control`, enough to resume at any line.
 *
 * 1. `rollout` names the target these figures are about; another target in the spec begins anew.
 * 2. `stable` is where the first rollout since the last completed one started, `floor` its minimum then.
 * 3. `course` stands in for the spec's lists while an abort or a retry goes another way than the spec says.
 * 4. `handled` names decisions whose effect is in here, so that none has it twice.
 */
export const controlState = z.object({
  phase: z.enum(ROLLOUT_PHASES).default('Progressing'),
  message: z.string().default(''),
  /** 1-based; the stage under way, or the last completed one while the rollout is held. 0 before the first. */
  currentStageIndex: z.number().default(0),
  completedStages: z.number().default(0),
  /** Stages in all, as planned for an ideal cluster. */
  stageCount: z.number().default(0),
  rollout: z.object({ id: z.string(), target: revisions, startedAt: z.string(), kind: z.enum(ATTEMPT_KINDS).optional() }).optional(),
  stable: revisions.optional(),
  floor: z.number().default(0),
  course: z.object({ initialRevisions: revisions.optional(), targetRevisions: revisions }).optional(),
  stageStartedAt: z.string().optional(),
  stageReadyAt: z.string().optional(),
  /** Percent of the target in the last completed stage, and in the one before it. */
  reachedPercent: z.number().default(0),
  previousPercent: z.number().default(0),
  pauseConditions: z.array(z.object({ reason: z.enum(HOLD_REASONS), startTime: z.string() })).default([]),
  paused: z.boolean().default(false),
  pausedAt: z.string().optional(),
  promoteFull: z.boolean().default(false),
  /** The completed stage whose gate and soak an advance skipped. */
  advanced: z.number().optional(),
  abort: z.boolean().default(false),
  abortedAt: z.string().optional(),
  abortReason: z.string().optional(),
  /** True once the stable side carries everything again. */
  abortDone: z.boolean().default(false),
  rejectedRevision: z.string().optional(),
  approvals: z.array(z.object({ stage: z.number(), actor: z.string(), at: z.string() })).default([]),
  seenGarbage: z.string().optional(),
  handled: z.array(z.string()).default([]),
  progress: z.object({ score: z.number(), at: z.string() }).optional(),
  health: z
    .object({ successes: z.number().default(0), failures: z.number().default(0), consecutiveErrors: z.number().default(0), sampledAt: z.string().optional() })
    .default({ successes: 0, failures: 0, consecutiveErrors: 0 }),
  history: z.array(historyEntry).default([]),
  /** Stages of the present attempt, and the attempts before it, oldest first. */
  stages: z.array(stageRecord).readonly().default([]),
  past: z.array(attemptRecord).readonly().default([]),
});
export type ControlState = Readonly<z.infer<typeof controlState>>;

const LONGEST_HISTORY = 20;
const MOST_HANDLED = 50;

/** The state of a rollout nobody has looked at yet. */
export function emptyControl(): ControlState {
  return controlState.parse({});
}

/** The state with one more line of history; an id that is there already is not added again. */
export function withHistory(control: ControlState, entry: HistoryEntry): ControlState {
  if (control.history.some(({ id }) => id === entry.id)) return control;
  return { ...control, history: [...control.history, entry].slice(-LONGEST_HISTORY) };
}

/** The state that remembers a decision as handled. */
export function withHandled(control: ControlState, uid: string): ControlState {
  return { ...control, handled: [...control.handled.filter((held) => held !== uid), uid].slice(-MOST_HANDLED) };
}
