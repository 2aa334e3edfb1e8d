import { z } from 'zod';
import { DIRECTIONS, targetRevision } from '../model';
import { termsSchema } from '../policy/strictness';
import { upgradeLegacyControl } from './upgrade-legacy-control';

export const ROLLOUT_PHASES = ['Healthy', 'Progressing', 'Paused', 'Degraded'] as const;
export type RolloutPhase = (typeof ROLLOUT_PHASES)[number];

/** Verbs beside `approve` that go past a gate, and therefore want as many people. */
export const VOTED_VERBS = ['advance', 'promote-full'] as const;

const ATTEMPT_KINDS = ['rollout', 'retry', 'rollback'] as const;

const revisions = z.array(targetRevision).readonly();
const historyEntry = z.object({ id: z.string(), at: z.string(), actor: z.string(), action: z.string(), message: z.string() });
export type HistoryEntry = z.infer<typeof historyEntry>;

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
        /** Absent where the count is exact. */
        exact: z.enum(['atLeast', 'atMost']).optional(),
        ready: z.number().optional(),
      }),
    )
    .readonly(),
});
export type StageRecord = Readonly<z.infer<typeof stageRecord>>;
/** What a stage that begins is to make of one revision. */
export type PlannedRevision = Readonly<Omit<StageRecord['revisions'][number], 'ready'>>;
const stages = z.array(stageRecord).readonly().default([]);

/** A gate that is behind: who went past it, and how; nobody where it opened by itself. Of stage 0 it is the one before the first. */
const passedGate = z.object({
  stage: z.number(),
  at: z.string(),
  by: z.array(z.object({ actor: z.string(), verb: z.enum(['approve', ...VOTED_VERBS]), at: z.string() })).readonly(),
});
export type PassedGate = Readonly<z.infer<typeof passedGate>>;
const gates = z.array(passedGate).readonly().optional();

/** An attempt that is over. */
const attemptRecord = z.object({
  id: z.string(),
  kind: z.enum(ATTEMPT_KINDS),
  from: z.array(z.string()).readonly(),
  to: z.string(),
  startedAt: z.string(),
  endedAt: z.string(),
  outcome: z.enum(['completed', 'aborted', 'superseded']),
  stages,
  gates,
});
export type AttemptRecord = Readonly<z.infer<typeof attemptRecord>>;

/**
 * One way to a target, and back where it was aborted.
 *
 * 1. `target` is what the spec asked for; another target in the spec begins another attempt.
 * 2. `stable` is where the first attempt since the last completed one started, `floor` its minimum then.
 * 3. `course` stands in for the spec's lists while an abort or a retry goes another way than the spec says.
 * 4. `full` says that somebody promoted it: one plan without gates and soaks. `promotedBy` says who.
 */
const attempt = z.object({
  id: z.string(),
  kind: z.enum(ATTEMPT_KINDS).default('rollout'),
  target: revisions,
  startedAt: z.string(),
  stable: revisions.default([]),
  floor: z.number().default(0),
  course: z.object({ initialRevisions: revisions.optional(), targetRevisions: revisions }).optional(),
  full: z.boolean().default(false),
  promotedBy: passedGate.shape.by.optional(),
  stages,
  gates,
});
export type Attempt = Readonly<z.infer<typeof attempt>>;

const health = z
  .object({ failures: z.number().default(0), consecutiveErrors: z.number().default(0), sampledAt: z.string().optional() })
  .default({ failures: 0, consecutiveErrors: 0 });
export type HealthTally = Readonly<z.infer<typeof health>>;
export const NO_FAILURES: HealthTally = { failures: 0, consecutiveErrors: 0 };

const tightening = z.object({ from: termsSchema, by: z.string(), at: z.string() });
export type Tightening = Readonly<z.infer<typeof tightening>>;

/** What every state has: the verdict for people, what decisions had their effect, and what happened. */
const common = {
  phase: z.enum(ROLLOUT_PHASES).default('Progressing'),
  message: z.string().default(''),
  seenGarbage: z.string().optional(),
  handled: z.array(z.string()).readonly().default([]),
  history: z.array(historyEntry).readonly().default([]),
  /** Attempts before the present one, oldest first. */
  past: z.array(attemptRecord).readonly().default([]),
  /** The terms in force, where they ask people: a looser policy waits until enough of them have decided it. */
  terms: termsSchema.optional(),
  /** The last time those terms became stricter, while nobody has decided anything under them. */
  tightened: tightening.optional(),
  loosenVotes: z
    .array(z.object({ actor: z.string(), at: z.string(), digest: z.string() }))
    .readonly()
    .default([]),
  /** How many looser policies people have decided about that wait no more: what they decided counts for no later one, however alike. */
  loosenRound: z.number().optional(),
};
/** Who wants to go past gates without approving them, while they are fewer than the policy wants. A vote counts at its own stage only. */
const votes = z
  .array(z.object({ verb: z.enum(VOTED_VERBS), stage: z.number(), actor: z.string(), at: z.string() }))
  .readonly()
  .default([]);
export type Vote = z.infer<typeof votes>[number];
/**
 * Paused by a person, or by the engine, which says why; `pausedAt` is when any pause began, the policy's included, for deadlines stand still
 * meanwhile.
 */
const pause = { paused: z.boolean().default(false), pausedBecause: z.string().optional(), pausedAt: z.string().optional() };
const rejection = { rejected: z.string(), reason: z.string().default(''), since: z.string().default('') };

const states = z.discriminatedUnion('state', [
  /** No target was asked for yet. */
  z.object({ state: z.literal('idle'), ...common }),
  /** A stage is under way; `before` is the percent of the target that the stage before it reached. */
  z.object({
    state: z.literal('stage'),
    ...common,
    ...pause,
    attempt,
    stage: z.number(),
    since: z.string(),
    before: z.number().default(0),
    progress: z.object({ score: z.number(), at: z.string() }).optional(),
    votes,
    health,
  }),
  /** Between two stages: `stage` is the last completed one, 0 before the first. */
  z.object({
    state: z.literal('boundary'),
    ...common,
    ...pause,
    attempt,
    stage: z.number(),
    since: z.string(),
    before: z.number().default(0),
    percent: z.number().default(0),
    approvals: z
      .array(z.object({ actor: z.string(), at: z.string() }))
      .readonly()
      .default([]),
    /** True once somebody skipped gate and soak of this boundary. */
    advanced: z.boolean().default(false),
    votes,
    health,
  }),
  /** Aborted, and on the way back: `stage` counts the stages of that way that are through. */
  z.object({ state: z.literal('returning'), ...common, ...rejection, attempt, stage: z.number().default(0) }),
  /** Aborted, and where it came from carries everything again. */
  z.object({ state: z.literal('aborted'), ...common, ...rejection, attempt }),
  /** The target carries everything; `stage` is the last one. */
  z.object({ state: z.literal('done'), ...common, attempt, stage: z.number() }),
]);

/** What the engine remembers about a rollout in `status.control`, enough to resume at any line. The form of earlier releases is read as well. */
export const controlState = z.preprocess(upgradeLegacyControl, states);
export type ControlState = Readonly<z.infer<typeof states>>;
export type StateName = ControlState['state'];
export type StateOf<Name extends StateName> = Extract<ControlState, { readonly state: Name }>;

const LONGEST_HISTORY = 20;
const MAX_HANDLED = 50;

/** The state of a rollout nobody has looked at yet. */
export function emptyControl(): ControlState {
  return controlState.parse({ state: 'idle' });
}

/** The state with one more line of history; an id that is there already is not added again. */
export function withHistory<State extends ControlState>(control: State, entry: HistoryEntry): State {
  if (control.history.some(({ id }) => id === entry.id)) return control;
  return { ...control, history: [...control.history, entry].slice(-LONGEST_HISTORY) };
}

/** The state that remembers a decision as handled. */
export function withHandled<State extends ControlState>(control: State, uid: string): State {
  return { ...control, handled: [...control.handled.filter((held) => held !== uid), uid].slice(-MAX_HANDLED) };
}
