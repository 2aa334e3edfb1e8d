import { z } from 'zod';
import { parseDurationMs } from '@/lib/std/duration';

/**
 * What people may decide beforehand about a rollout: `spec.control`, and `control` of the policy `rollout`. The one schema: types,
 * defaults, messages, the schema of the definition, help and form fields come from it.
 */
const DEFAULTS = {
  paused: false,
  gates: 'none',
  requiredSoakTime: 0,
  minReadySeconds: 0,
  progressDeadlineSeconds: 600,
  progressDeadlineAbort: false,
  consecutiveErrorLimit: 4,
  intervalSeconds: 10,
  abortScaleDownDelaySeconds: 0,
  scaleDownDelaySeconds: 30,
  autoPromotionEnabled: true,
  required: 1,
  groups: [],
  allowSelf: true,
} as const;

/** Which change of a field lets more through, so that it has to be decided: `any` where values cannot be compared. */
export type Looser = 'neither' | 'less' | 'more' | 'true' | 'false' | 'fewer gates' | 'more groups' | 'any';

/** Makes a field optional, with its sentence, the direction in which it is looser, and what holds where it is absent. */
function field<Schema extends z.ZodType>(schema: Schema, description: string, looser: Looser, fallback?: unknown) {
  return schema.optional().meta({ description, looser, ...(fallback === undefined ? {} : { default: fallback }) });
}

/** A group of fields, each of which states its own direction. */
function group<Schema extends z.ZodObject>(schema: Schema, description: string) {
  return schema.optional().meta({ description });
}

/** What is longer is a slip of the unit, and its end no moment that could be written down. */
const MAX_SECONDS = 10 * 365 * 86_400;

const duration = z.custom<string | number>((value) => {
  const seconds = typeof value === 'string' ? (parseDurationMs(value) ?? -1) / 1000 : value;
  return typeof seconds === 'number' && seconds >= 0 && seconds <= MAX_SECONDS;
}, 'must be a duration such as 90s or 1h30m, or a number of seconds, ten years at most');
const count = z.number().int().min(0);
const seconds = count.max(MAX_SECONDS);
const gates = z.union(
  [z.enum(['none', 'every-stage']), z.array(z.strictObject({ atPercent: z.number().min(0).max(100) })).readonly()],
  'must be none, every-stage, or a list of stages such as {"atPercent": 50}',
);

export const controlPolicy = z.strictObject({
  paused: field(z.boolean(), 'True pauses the rollout where it is; nothing advances and nothing is undone.', 'neither', DEFAULTS.paused),
  gates: field(
    gates,
    'Where it waits for a person after a stage: none, every-stage, or the first stage at or above each percent of a list such as [{atPercent: 50}].',
    'fewer gates',
    DEFAULTS.gates,
  ),
  pause: group(
    z.strictObject({
      duration: field(duration, 'A gate opens automatically after this time, such as 30m; absent, it waits for a person.', 'less'),
    }),
    'How long a gate waits for a person.',
  ),
  requiredSoakTime: field(
    duration,
    'How long a stage has to stay healthy before the next one, such as 90s or 1h30m; an approval supersedes it.',
    'less',
    DEFAULTS.requiredSoakTime,
  ),
  minReadySeconds: field(seconds, 'Seconds that a pod must be ready before it counts.', 'less', DEFAULTS.minReadySeconds),
  progressDeadlineSeconds: field(
    seconds,
    'Seconds without progress after which a stage is marked Degraded.',
    'neither',
    DEFAULTS.progressDeadlineSeconds,
  ),
  progressDeadlineAbort: field(z.boolean(), 'True aborts the rollout then.', 'false', DEFAULTS.progressDeadlineAbort),
  autoAbort: group(
    z.strictObject({
      failureLimit: field(count, 'Failed health samples that a stage may have; one more aborts. Absent, nothing is sampled.', 'more'),
      consecutiveErrorLimit: field(
        count,
        'Samples in a row that may be unreadable; one more pauses at the next boundary.',
        'more',
        DEFAULTS.consecutiveErrorLimit,
      ),
      intervalSeconds: field(seconds.min(1), 'Seconds between two samples.', 'more', DEFAULTS.intervalSeconds),
    }),
    'Aborts automatically when samples of the new revision fail.',
  ),
  abortScaleDownDelaySeconds: field(
    seconds,
    'Seconds that the rejected revision still serves after an abort; 0 ends it as soon as the stable side has its ready replicas.',
    'neither',
    DEFAULTS.abortScaleDownDelaySeconds,
  ),
  scaleDownDelaySeconds: field(
    seconds,
    'Seconds that the old revision and its objects are kept after the last stage.',
    'neither',
    DEFAULTS.scaleDownDelaySeconds,
  ),
  autoPromotionEnabled: field(z.boolean(), 'False waits for a person before the first stage.', 'true', DEFAULTS.autoPromotionEnabled),
  approvals: group(
    z.strictObject({
      required: field(z.number().int().min(1), 'How many different people have to approve at a gate.', 'less', DEFAULTS.required),
      groups: field(
        z.array(z.string()).readonly(),
        'Groups whose members may open a gate; everyone with the right where there are none.',
        'more groups',
        DEFAULTS.groups,
      ),
      allowSelf: field(z.boolean(), 'False keeps the requester of the change from opening its gates.', 'true', DEFAULTS.allowSelf),
    }),
    'Who has to approve at a gate, and how many.',
  ),
});

/** A policy as it is written. */
export type ControlInput = Readonly<z.infer<typeof controlPolicy>>;

/** A policy with every default filled in. Durations are in milliseconds. */
export type ControlPolicy = ReturnType<typeof resolvePolicy>;

/** Fills in what a policy leaves open. */
export function resolvePolicy(input: ControlInput) {
  const { pause, autoAbort, approvals } = input;
  return {
    paused: input.paused ?? DEFAULTS.paused,
    gates: input.gates ?? DEFAULTS.gates,
    pause: { duration: pause?.duration === undefined ? undefined : toMs(pause.duration) },
    requiredSoakTime: toMs(input.requiredSoakTime ?? DEFAULTS.requiredSoakTime),
    minReadySeconds: input.minReadySeconds ?? DEFAULTS.minReadySeconds,
    progressDeadlineSeconds: input.progressDeadlineSeconds ?? DEFAULTS.progressDeadlineSeconds,
    progressDeadlineAbort: input.progressDeadlineAbort ?? DEFAULTS.progressDeadlineAbort,
    autoAbort: {
      failureLimit: autoAbort?.failureLimit,
      consecutiveErrorLimit: autoAbort?.consecutiveErrorLimit ?? DEFAULTS.consecutiveErrorLimit,
      intervalSeconds: autoAbort?.intervalSeconds ?? DEFAULTS.intervalSeconds,
    },
    abortScaleDownDelaySeconds: input.abortScaleDownDelaySeconds ?? DEFAULTS.abortScaleDownDelaySeconds,
    scaleDownDelaySeconds: input.scaleDownDelaySeconds ?? DEFAULTS.scaleDownDelaySeconds,
    autoPromotionEnabled: input.autoPromotionEnabled ?? DEFAULTS.autoPromotionEnabled,
    approvals: {
      required: approvals?.required ?? DEFAULTS.required,
      groups: approvals?.groups ?? DEFAULTS.groups,
      allowSelf: approvals?.allowSelf ?? DEFAULTS.allowSelf,
    },
  };
}

/** A duration as operators write it; a number is seconds. */
function toMs(value: string | number): number {
  return typeof value === 'number' ? value * 1000 : (parseDurationMs(value) ?? 0);
}
