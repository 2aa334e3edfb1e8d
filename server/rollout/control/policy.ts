import { z } from 'zod';
import { parseDurationMs } from '@/lib/std/duration';

const durationMs = z.union([
  z
    .number()
    .min(0)
    .transform((seconds) => seconds * 1000),
  z.string().transform((text, context) => {
    const ms = parseDurationMs(text);
    if (ms !== undefined) return ms;
    context.addIssue({ code: 'custom', message: `wants a duration such as 90s or 10m, has "${text}"` });
    return z.NEVER;
  }),
]);

const count = z.number().int().min(0);

/** What a person may decide about a rollout beforehand: `spec.control`. Durations are kept in milliseconds. */
export const controlPolicy = z.object({
  paused: z.boolean().default(false),
  gates: z.union([z.enum(['none', 'every-stage']), z.array(z.object({ atPercent: z.number().min(0).max(100) }))]).default('none'),
  pause: z.object({ duration: durationMs.optional() }).default({}),
  requiredSoakTime: durationMs.default(0),
  minReadySeconds: count.default(0),
  progressDeadlineSeconds: count.default(600),
  progressDeadlineAbort: z.boolean().default(false),
  autoAbort: z.object({ failureLimit: count.optional(), consecutiveErrorLimit: count.default(4), intervalSeconds: count.min(1).default(10) }).default({
    consecutiveErrorLimit: 4,
    intervalSeconds: 10,
  }),
  abortScaleDownDelaySeconds: count.default(0),
  scaleDownDelaySeconds: count.default(30),
  autoPromotionEnabled: z.boolean().default(true),
  approvals: z
    .object({ required: z.number().int().min(1).default(1), groups: z.array(z.string()).default([]), allowSelf: z.boolean().default(true) })
    .default({ required: 1, groups: [], allowSelf: true }),
});
export type ControlPolicy = z.infer<typeof controlPolicy>;
