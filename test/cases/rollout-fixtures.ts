import { z } from 'zod';
import type { Condition, ConditionStatus } from '@/lib/kube/condition';
import { isFields } from '@/lib/kube/fields';
import type { Instant } from '@/lib/std/instant';
import { toInstant } from '@/lib/std/instant';
import { getStageFault } from '@/server/rollout/fault';
import type { Rollout, StageAutoscaler } from '@/server/rollout/model';
import { targetRevision } from '@/server/rollout/model';
import type { StageConfig } from '@/server/rollout/planning/config';
import { DEFAULT_STAGE_CONFIG } from '@/server/rollout/planning/config';
import type { Scales } from '@/server/rollout/planning/current-scale';
import type { StageAction, StageSnapshot } from '@/server/rollout/stage/transaction';

/** The instant at which every case happens. */
export const NOW: Instant = toInstant(Date.UTC(2026, 0, 1));

export const isSet = isFields;

// Names and routes for which the empty text means "not set".
const EMPTY_IS_UNSET = ['direction', 'tag', 'configurationName'];

/** Removes what counts as not set: null members, and empty texts where they mean nothing. */
export function withoutUnset(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUnset);
  if (!isFields(value)) return value ?? undefined;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => {
      if (member === null || member === undefined || (member === '' && EMPTY_IS_UNSET.includes(key))) return [];
      return [[key, withoutUnset(member)]];
    }),
  );
}

/** The code of the fault a case expects, when the error is one. */
export function faultCodeOf(error: unknown): string | undefined {
  return getStageFault(error)?.code;
}

const statuses = z.record(z.string(), z.enum(['True', 'False', 'Unknown']));
export const revisions = z.array(targetRevision);

/** Conditions from the map a case writes. */
export function toConditions(map: unknown): readonly Condition[] {
  const entries: readonly (readonly [string, ConditionStatus])[] = Object.entries(statuses.optional().parse(map) ?? {});
  return entries.map(([type, status]) => ({ type, status })).sort((a, b) => (a.type < b.type ? -1 : 1));
}

/** The map a case compares, from conditions. */
export function fromConditions(conditions: readonly Condition[]): Record<string, unknown> {
  return Object.fromEntries(conditions.map(({ type, status }) => [type, status]));
}

export function reasonsOf(conditions: readonly Condition[]): Record<string, unknown> {
  return Object.fromEntries(conditions.map(({ type, reason }) => [type, reason]));
}

const rollout = z.object({
  name: z.string().default('checkout'),
  namespace: z.string().default('shop'),
  uid: z.string().default('uid'),
  generation: z.number().default(0),
  spec: z
    .object({
      initialRevisions: revisions.optional(),
      targetRevisions: revisions.optional(),
      stageTargetRevisions: revisions.optional(),
      targetFinishTime: z.string().optional(),
      rolloutStrategy: z.string().optional(),
    })
    .default({}),
  status: z
    .object({ observedGeneration: z.number().default(0), conditions: statuses.optional(), stageRevisionStatus: revisions.optional() })
    .default({ observedGeneration: 0 }),
});

/** The rollout of a case. */
export function toRollout(given: unknown): Rollout {
  const { status, ...ro } = rollout.parse(given);
  return { ...ro, status: { ...status, conditions: toConditions(status.conditions) } };
}

const bounds = z.object({ stageMinScale: z.number().optional(), stageMaxScale: z.number().optional() });
const spa = z.object({
  name: z.string().default(''),
  spec: bounds.default({}),
  status: z
    .object({
      desiredScale: z.number().optional(),
      actualScale: z.number().optional(),
      replicasTerminating: z.number().optional(),
      ready: z.boolean().default(false),
    })
    .default({ ready: false }),
});
const pod = z.object({
  name: z.string(),
  revision: z.string(),
  deletionOffsetSeconds: z.number().optional(),
  deletionGracePeriodSeconds: z.number().optional(),
});
const cluster = z.object({
  spas: z.array(spa).default([]),
  pods: z.array(pod).default([]),
  revisions: z.array(z.string()).optional(),
  readFailure: z.string().optional(),
});

/** The StagePodAutoscaler of a case. */
export function toAutoscaler(given: unknown): StageAutoscaler {
  const { name, spec, status } = spa.parse(given);
  const { ready, ...figures } = status;
  return { name, bounds: spec, figures, ready };
}

/** What a pass sees of the cluster of a case, and which revisions exist in it. */
export function toCluster(given: unknown): {
  readonly snapshot: StageSnapshot;
  readonly unreadable: string | undefined;
  readonly revisions: ReadonlySet<string> | undefined;
} {
  const { spas, pods, revisions: existing, readFailure } = cluster.parse(given ?? {});
  return {
    snapshot: {
      autoscalers: spas.map(toAutoscaler),
      pods: pods.map(({ name, revision, deletionOffsetSeconds, deletionGracePeriodSeconds }) => ({
        name,
        revision,
        deletionInMs: deletionOffsetSeconds === undefined ? undefined : deletionOffsetSeconds * 1000,
        gracePeriodSeconds: deletionGracePeriodSeconds,
      })),
    },
    unreadable: readFailure,
    revisions: existing === undefined ? undefined : new Set(existing),
  };
}

/** An action as cases write it. */
export function fromAction(action: StageAction): unknown {
  const { verb, kind, name } = action;
  if (kind === 'Pod') return { verb, kind, name, gracePeriodSeconds: action.gracePeriodSeconds };
  if (verb === 'create') return { verb, kind, name, ...action.object.spec };
  return verb === 'update' ? { verb, kind, name, ...action.bounds } : { verb, kind, name };
}

const scales = z.object({
  podAutoscalers: z.record(z.string(), z.number()).default({}),
  stagePodAutoscalers: z.array(z.string()).default([]),
});

/** The figures a planning case goes by. */
export function toScales(given: unknown): Scales {
  const { podAutoscalers, stagePodAutoscalers } = scales.parse(given);
  return { actual: new Map(Object.entries(podAutoscalers)), staged: new Set(stagePodAutoscalers) };
}

const config = z
  .object({
    overConsumptionRatio: z.number(),
    progressiveRolloutEnabled: z.boolean(),
    stageRolloutTimeoutMinutes: z.number(),
    rolloutDuration: z.string(),
    progressiveRolloutStrategy: z.string(),
  })
  .partial();

/** The configuration of a case: defaults, with what it writes on top. */
export function toConfig(given: unknown): StageConfig {
  const parsed = config.optional().parse(given) ?? {};
  return { ...DEFAULT_STAGE_CONFIG, ...Object.fromEntries(Object.entries(parsed).filter(([, value]) => value !== undefined)) };
}
