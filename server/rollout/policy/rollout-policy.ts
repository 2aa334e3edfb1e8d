import { z } from 'zod';
import { STRATEGIES } from '../stage/steps';
import { controlPolicy } from './control-policy';

/** The `rollout` policy of an application: which component is replaced in stages, and how. */
export const rolloutPolicy = z.strictObject({
  component: z.string().optional().meta({ description: 'Component that is replaced in stages; the only one with a workload if absent.' }),
  strategy: z
    .enum(STRATEGIES)
    .default('availability')
    .meta({ description: 'availability adds new pods before old ones go; resourceutil removes old ones first.' }),
  ratio: z
    .number()
    .int()
    .min(1)
    .max(100)
    .default(10)
    .meta({ description: 'Percent of the replicas that each stage moves.', looser: 'more' }),
  overlap: z.boolean().default(true).meta({
    description:
      'True starts the pods of the next stage while those of the last one terminate; false, or resourceutil, waits until they are gone.',
    looser: 'true',
  }),
  stageTimeoutMinutes: z.number().int().min(1).default(2).meta({
    description:
      'Minutes until a stage is overdue; where all its pods are available, its share then moves on automatically. Never the last stage.',
  }),
  control: controlPolicy.default({}).meta({ description: 'What people decide beforehand: gates, soak times, deadlines, approvals.' }),
});
