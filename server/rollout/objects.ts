import { z } from 'zod';
import { messageOf } from '@/lib/contract/app-error';
import { readConditions } from '@/lib/kube/condition';
import { explainIssue, formatPath, toStep } from '@/lib/kube/explain-issue';
import { isFields, readBoolean, readField, readFields, readList, readNumber, readString } from '@/lib/kube/fields';
import { POLICY_REQUESTED_BY, REQUESTED_BY, ROLLED_BACK } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { controllerOf } from '@/lib/kube/object';
import { readAnnotatedUser } from '@/lib/kube/user-annotations';
import type { Instant } from '@/lib/std/instant';
import { parseInstant } from '@/lib/std/instant';
import { memoizeFrozen } from '@/lib/std/memoize-frozen';
import { stuckReasonOf } from '@/server/status';
import type { ControlState } from './control/state';
import { controlState } from './control/state';
import type { HorizontalAutoscaler } from './horizontal-autoscaler';
import { readHorizontalAutoscaler } from './horizontal-autoscaler';
import type { Rollout, SpaFigures, StageAutoscaler } from './model';
import { REVISION_LABEL, targetRevision } from './model';
import type { StageConfig } from './planning/config';
import { DEFAULT_STAGE_CONFIG, parseWholeNumber } from './planning/config';
import { MAX_SCALE_ANNOTATION, MIN_SCALE_ANNOTATION } from './planning/targets';
import { controlPolicy } from './policy/control-policy';
import type { RolloutTerms } from './policy/strictness';
import type { BindingTerms, StoredTerms } from './policy/terms-in-force';
import { termsInForce } from './policy/terms-in-force';
import { isTrue, SPA_STAGE_READY } from './stage/conditions';
import type { SpaStatus } from './stage/spa-status';

/** Policy and state where the schema of somebody else's CRD prunes our fields: JSON, in annotations of metadata and of status. */
export const POLICY_ANNOTATION = 'slipway.dev/control';
export const OVERLAP_ANNOTATION = 'slipway.dev/overlap';
export const STATE_ANNOTATION = 'slipway.dev/control-status';

/** A field of an object that cannot be read, and what is wrong with it. */
export interface ReadFault {
  readonly field: string;
  readonly problem: string;
}

/** A RolloutOrchestrator with everything we read of it. */
export interface RolloutObject extends BindingTerms {
  readonly object: KubeObject;
  readonly rollout: Rollout;
  readonly config: StageConfig;
  /** What the spec asks for; `terms` and `policy` are what binds. */
  readonly asked: RolloutTerms;
  /** `spec.paused` or `spec.control.paused`. */
  readonly pausedBySpec: boolean;
  readonly control: ControlState | undefined;
  /** The first field that cannot be read, and why. Nothing moves while there is one. */
  readonly fault: ReadFault | undefined;
  readonly requestedBy: string | undefined;
  /** The target that a rollback made, where there is one. */
  readonly rolledBackTo: string | undefined;
  /** Everybody who asked for the policy since it waits; who asked for the target where nobody is noted. */
  readonly policyRequestedBy: readonly string[];
}

const lists = z.object({
  initialRevisions: z.array(targetRevision).optional(),
  targetRevisions: z.array(targetRevision).optional(),
  stageTargetRevisions: z.array(targetRevision).optional(),
  targetFinishTime: z.string().optional(),
  rolloutStrategy: z.string().optional(),
});

/** Null means not set, everywhere in these kinds; hardly anybody writes one, so what holds none is not copied. */
function withoutNulls(value: unknown): unknown {
  return holdsNull(value) ? dropNulls(value) : value;
}

function holdsNull(value: unknown): boolean {
  if (value === null) return true;
  return typeof value === 'object' && Object.values(value).some(holdsNull);
}

function dropNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropNulls);
  if (!isFields(value)) return value ?? undefined;
  return Object.fromEntries(Object.entries(value).flatMap(([key, member]) => (member === null ? [] : [[key, dropNulls(member)]])));
}

/** Reads what is there, and remembers the first field that cannot be read. */
class Reading {
  fault: ReadFault | undefined;

  /** The value as the schema reads it; undefined when it cannot. */
  read<T>(field: string, value: unknown, schema: z.ZodType<T>): T | undefined {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    const at = formatPath([field, ...(issue?.path ?? []).map(toStep)]);
    this.fault ??= { field: at, problem: issue === undefined ? 'cannot be read' : explainIssue(issue, { value, schema }) };
    return undefined;
  }

  /** The whole number of an annotation, undefined where there is none. The original takes its default for one that cannot be read; nobody would hear of it. */
  wholeNumber(name: string, annotations: Readonly<Record<string, string>> | undefined): number | undefined {
    const text = annotations?.[name];
    const value = parseWholeNumber(text);
    if (text !== undefined && value === undefined)
      this.fault ??= { field: `metadata.annotations.${name}`, problem: `must be a whole number, found ${JSON.stringify(text)}` };
    return value;
  }

  json(field: string, text: string | undefined): unknown {
    if (text === undefined) return undefined;
    try {
      return JSON.parse(text);
    } catch (error) {
      this.fault ??= { field, problem: `must be JSON: ${messageOf(error)}` };
      return undefined;
    }
  }
}

/** Reads a RolloutOrchestrator. What cannot be read is told as its fault, and defaults stand in for it. */
export const readRollout = memoizeFrozen(read);

function read(object: KubeObject): RolloutObject {
  const reading = new Reading();
  const spec = withoutNulls(readFields(object, 'spec'));
  const status = withoutNulls(readFields(object, 'status'));
  const { name = '', namespace = '', uid = '', generation = 1, annotations } = object.metadata;
  const control = readField(status, 'control') ?? reading.json('status.annotations', readString(status, 'annotations', STATE_ANNOTATION));
  const policy = readField(spec, 'control') ?? reading.json(`metadata.annotations.${POLICY_ANNOTATION}`, annotations?.[POLICY_ANNOTATION]);
  const state = control === undefined ? undefined : reading.read('status.control', control, controlState);
  const setting = (field: string, annotation: string) =>
    readNumber(spec, field) ?? reading.wholeNumber(`rollout.knative.dev/${annotation}`, annotations);
  const asked = {
    ratio: setting('overConsumptionRatio', 'over-consumption-ratio') ?? DEFAULT_STAGE_CONFIG.overConsumptionRatio,
    overlap: readBoolean(spec, 'overlap') ?? annotations?.[OVERLAP_ANNOTATION] !== 'false',
    control: reading.read('spec.control', policy ?? {}, controlPolicy) ?? {},
  };
  const binding = termsInForce(state ?? {}, asked);
  return {
    object,
    asked,
    ...binding,
    rollout: {
      name,
      namespace,
      uid,
      generation,
      spec: reading.read('spec', spec, lists) ?? {},
      status: {
        observedGeneration: readNumber(status, 'observedGeneration'),
        conditions: readConditions(object),
        stageRevisionStatus: reading.read(
          'status.stageRevisionStatus',
          readField(status, 'stageRevisionStatus'),
          z.array(targetRevision).optional(),
        ),
      },
    },
    config: {
      ...DEFAULT_STAGE_CONFIG,
      overConsumptionRatio: binding.terms.ratio,
      stageRolloutTimeoutMinutes:
        setting('stageTimeoutMinutes', 'stage-rollout-timeout-minutes') ?? DEFAULT_STAGE_CONFIG.stageRolloutTimeoutMinutes,
      progressiveRolloutStrategy: readString(spec, 'rolloutStrategy') ?? DEFAULT_STAGE_CONFIG.progressiveRolloutStrategy,
    },
    pausedBySpec: readBoolean(spec, 'paused') === true || readBoolean(policy, 'paused') === true,
    control: state,
    fault: reading.fault,
    requestedBy: readAnnotatedUser(object, REQUESTED_BY)?.user,
    rolledBackTo: annotations?.[ROLLED_BACK],
    policyRequestedBy:
      (readAnnotatedUser(object, POLICY_REQUESTED_BY)?.user ?? readAnnotatedUser(object, REQUESTED_BY)?.user)?.split('\n') ?? [],
  };
}

/** The rollout under other terms in force. */
export function underTerms(ro: RolloutObject, kept: StoredTerms): RolloutObject {
  const binding = termsInForce(kept, ro.asked);
  return { ...ro, ...binding, config: { ...ro.config, overConsumptionRatio: binding.terms.ratio } };
}

/** Status of a StagePodAutoscaler as stored. */
export function readSpaStatus(object: KubeObject): SpaStatus {
  const figure = (name: keyof SpaFigures) => readNumber(object, 'status', name);
  return {
    desiredScale: figure('desiredScale'),
    actualScale: figure('actualScale'),
    replicasTerminating: figure('replicasTerminating'),
    conditions: readConditions(object),
  };
}

/** Reads a StagePodAutoscaler. */
export function readAutoscaler(object: KubeObject): StageAutoscaler {
  const { conditions, ...figures } = readSpaStatus(object);
  return {
    name: object.metadata.name ?? '',
    bounds: { stageMinScale: readNumber(object, 'spec', 'stageMinScale'), stageMaxScale: readNumber(object, 'spec', 'stageMaxScale') },
    figures,
    ready: isTrue(conditions, SPA_STAGE_READY),
  };
}

/** A revision's workload with everything the engine goes by. */
export interface Workload {
  readonly revision: string;
  readonly object: KubeObject;
  /** Replicas asked for; a Deployment without the field asks for one. */
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly availableReplicas: number;
  /** Pods that are there and are not being deleted, ready or not. */
  readonly livePods: number;
  readonly available: boolean;
  /** Since when the condition Available is not True. */
  readonly unavailableSince: Instant | undefined;
  /** False while its controller has not looked at the newest spec, so that its figures are about an older one. */
  readonly observed: boolean;
  readonly minScale: number | undefined;
  readonly maxScale: number | undefined;
  /** What scales it by load, within bounds that are ours. */
  readonly autoscaler: HorizontalAutoscaler | undefined;
  /** What its computed status says where that is failed, pods of it counted. */
  readonly failure?: string;
}

/** Reads a Deployment, and what scales it. Bounds are those of its annotations, else those its autoscaler was made with. */
export function readWorkload(object: KubeObject, scaledBy?: KubeObject): Workload {
  const autoscaler = scaledBy && readHorizontalAutoscaler(scaledBy);
  const available = readConditions(object).find(({ type }) => type === 'Available');
  const { annotations } = object.metadata;
  return {
    revision: object.metadata.name ?? '',
    object,
    replicas: readNumber(object, 'spec', 'replicas') ?? 1,
    readyReplicas: readNumber(object, 'status', 'readyReplicas') ?? 0,
    availableReplicas: readNumber(object, 'status', 'availableReplicas') ?? 0,
    livePods: readNumber(object, 'status', 'replicas') ?? 0,
    available: available?.status === 'True',
    unavailableSince: available === undefined || available.status === 'True' ? undefined : parseInstant(available.lastTransitionTime),
    observed: (readNumber(object, 'status', 'observedGeneration') ?? 0) >= (object.metadata.generation ?? 1),
    minScale: parseWholeNumber(annotations?.[MIN_SCALE_ANNOTATION]) ?? autoscaler?.own.min,
    // A maximum of 0 means unlimited where annotations are written, and would be literal in the steps.
    maxScale: parseWholeNumber(annotations?.[MAX_SCALE_ANNOTATION]) || autoscaler?.own.max,
    autoscaler,
  };
}

/**
 * Scales of a workload as an autoscaler reports them; undefined while its figures are about an older spec. One that has no opinion
 * does not count: what is asked for is then what it left.
 */
export function scalesOf(workload: Workload | undefined): { readonly desiredScale: number; readonly actualScale: number } | undefined {
  if (workload === undefined || !workload.observed) return undefined;
  const { replicas, readyReplicas, autoscaler } = workload;
  return { desiredScale: replicas === 0 ? 0 : (autoscaler?.desired ?? replicas), actualScale: readyReplicas };
}

/** A pod of a revision with what health sampling and draining look at. */
export interface RevisionPod {
  readonly name: string;
  readonly revision: string;
  readonly phase: string | undefined;
  readonly deletionAt: Instant | undefined;
  readonly gracePeriodSeconds: number | undefined;
  readonly readySince: Instant | undefined;
  /** True where a ReplicaSet made it, so that the figures of a Deployment count it. */
  readonly isReplica: boolean;
  /** Why it does not get started, though it may be young enough to be in progress. */
  readonly stuck: string | undefined;
  readonly restarts: number;
}

/** Reads a pod; the revision is that of its label. */
export const readPod = memoizeFrozen((object: KubeObject): RevisionPod => {
  const containers = readList(object, 'status', 'containerStatuses');
  const ready = readConditions(object).find(({ type }) => type === 'Ready');
  return {
    name: object.metadata.name ?? '',
    revision: object.metadata.labels?.[REVISION_LABEL] ?? '',
    phase: readString(object, 'status', 'phase'),
    deletionAt: parseInstant(object.metadata.deletionTimestamp),
    gracePeriodSeconds: object.metadata.deletionGracePeriodSeconds,
    readySince: ready?.status === 'True' ? parseInstant(ready.lastTransitionTime) : undefined,
    isReplica: controllerOf(object)?.kind === 'ReplicaSet',
    stuck: stuckReasonOf(object),
    restarts: containers.reduce<number>((sum, container) => sum + (readNumber(container, 'restartCount') ?? 0), 0),
  };
});
