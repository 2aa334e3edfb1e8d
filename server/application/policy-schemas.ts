import { z } from 'zod';
import { parseDurationMs } from '@/lib/std/duration';

/** A policy as an application lists it. */
export const policySchema = z.strictObject({ name: z.string().optional(), type: z.string(), properties: z.record(z.string(), z.unknown()).optional() });

const duration = z.custom<string | number>(
  (value) => (typeof value === 'number' ? value >= 0 : typeof value === 'string' && parseDurationMs(value) !== undefined),
  'wants a duration such as 90s or 1h30m, or a number of seconds',
);
const count = z.number().int().min(0);

const GATES = 'wants none, every-stage, or a list of stages such as {"atPercent": 50}';

/** What people may decide beforehand about a rollout; handed to the rollout as it is. */
export const rolloutControl = z.strictObject({
  paused: z.boolean().optional(),
  gates: z.union([z.enum(['none', 'every-stage']), z.array(z.strictObject({ atPercent: z.number().min(0).max(100) }))], GATES).optional(),
  pause: z.strictObject({ duration: duration.optional() }).optional(),
  requiredSoakTime: duration.optional(),
  minReadySeconds: count.optional(),
  progressDeadlineSeconds: count.optional(),
  progressDeadlineAbort: z.boolean().optional(),
  autoAbort: z.strictObject({ failureLimit: count.optional(), consecutiveErrorLimit: count.optional(), intervalSeconds: count.min(1).optional() }).optional(),
  abortScaleDownDelaySeconds: count.optional(),
  scaleDownDelaySeconds: count.optional(),
  autoPromotionEnabled: z.boolean().optional(),
  approvals: z
    .strictObject({ required: z.number().int().min(1).optional(), groups: z.array(z.string()).optional(), allowSelf: z.boolean().optional() })
    .optional(),
});

/** The `rollout` policy: which component is replaced in stages, and how. */
export const rolloutPolicySchema = z.strictObject({
  component: z.string().optional(),
  strategy: z.enum(['availability', 'resourceutil']).default('availability'),
  ratio: z.number().int().min(1).max(100).default(10),
  stageTimeoutMinutes: z.number().int().min(1).default(2),
  control: rolloutControl.default({}),
});
