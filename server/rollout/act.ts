import { isFields, readField, readFields, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { Instant } from '@/lib/std/instant';
import { toKubeTime } from '@/lib/std/instant';
import { settleAll } from '@/lib/std/settle-all';
import { toStableJson } from '@/lib/std/stable-json';
import type { Cluster, Store } from '@/server/kube';
import { ignoreError, ignoreNotFound, isAlreadyExists } from '@/server/kube';
import type { ControlState } from './control/state';
import type { EvaluatedDecision, RolloutDecision } from './decide';
import { withRange } from './horizontal-autoscaler';
import type { StageBounds } from './model';
import type { RolloutObject, Workload } from './objects';
import { STATE_ANNOTATION } from './objects';
import type { DroppedReason } from './policy-storage';
import { statusOfLostPolicy } from './policy-storage';
import type { RangeWrite, ScaleWrite } from './scale';
import type { StageAction } from './stage/transaction';

export const FIELD_MANAGER = 'slipway-rollout';

export interface ActDeps {
  readonly cluster: Cluster;
  readonly autoscalers: Store;
  /** Why the cluster would not keep a field; absent where nobody looks. */
  readonly dropped?: DroppedReason | undefined;
  readonly signal: AbortSignal;
}

/** What a decision is carried out on, and by. */
export interface ActContext extends ActDeps {
  readonly ro: RolloutObject;
  readonly workloads: ReadonlyMap<string, Workload>;
  readonly now: Instant;
}

/**
 * Carries out what a pass decided.
 *
 * 1. What is to be written of the rollout comes first, on the version that was looked at: a pass over an old copy ends here. Where that is its
 *    spec, its status is written while the rest is done.
 * 2. Everything after that is asserted again by the next pass, so a crash in between loses nothing.
 * 3. A decision is answered after its effect is stored, and the effect names the decision.
 */
export async function act(decision: RolloutDecision, { ro, workloads, now, ...deps }: ActContext): Promise<void> {
  const planned = await writeSpec(ro, decision, deps);
  const told = writeStatus(planned, decision, deps);
  if (planned === ro.object) await told;
  await settleAll([told, assertBounds(decision, ro, deps), assertScales(decision, workloads, deps)]);
  for (const evaluated of decision.verdicts) await answer(evaluated, now, deps);
}

async function assertBounds({ actions }: RolloutDecision, ro: RolloutObject, deps: ActDeps): Promise<void> {
  // A pass may assert the bounds of a revision in both of its steps; the last word is written, once.
  const last = new Map(actions.map((action) => [`${action.kind}/${action.name}`, action]));
  await settleAll([...last.values()].map((action) => carryOut(action, ro, deps)));
}

/** Ranges are written first, so that no autoscaler finds a count outside of the one it has. */
async function assertScales({ scales }: RolloutDecision, workloads: ReadonlyMap<string, Workload>, deps: ActDeps): Promise<void> {
  for (const write of scales.ranges) await changeRange(write, workloads, deps);
  for (const write of scales.writes) await scale(write, workloads, deps);
}

async function writeSpec({ object, rollout }: RolloutObject, { spec }: RolloutDecision, { cluster, signal }: ActDeps): Promise<KubeObject> {
  const { stageTargetRevisions, targetFinishTime } = rollout.spec;
  const held = { ...(object.spec as object), stageTargetRevisions, targetFinishTime };
  const wanted = { ...held, ...spec };
  return deepEqual(held, wanted) ? object : cluster.update({ ...object, spec: wanted }, { fieldManager: FIELD_MANAGER, signal });
}

async function writeStatus(
  planned: KubeObject,
  { status, control }: RolloutDecision,
  { cluster, dropped, signal }: ActDeps,
): Promise<KubeObject> {
  const options = { fieldManager: FIELD_MANAGER, signal };
  const write = (of: KubeObject, next: object) =>
    deepEqual(of.status, next) ? Promise.resolve(of) : cluster.update({ ...of, status: next }, { ...options, subresource: 'status' });
  if (control === undefined) return planned;
  const next = { ...(planned.status as object | undefined), ...status, observedGeneration: planned.metadata.generation };
  if (keepsStateInAnnotation(planned) || losesState(dropped)) return write(planned, inAnnotation(next, control));
  const stored = await write(planned, { ...next, control });
  // A schema of somebody else that does not know our field, or a part of it, drops that; annotations of the status are kept by every version.
  return keepsAll(readField(stored, 'status', 'control'), control) ? stored : write(stored, inAnnotation(next, control));
}

/**
 * Has a rollout whose policy was dropped remember it, for the time when the definition is mended; where no definition could be read nobody knows of
 * a loss. The copy may still be one that a watch told by the older definition, so the API server is asked first whether it has the policy.
 */
export async function recordLostPolicy(
  { object }: RolloutObject,
  { cluster, dropped, signal }: Omit<ActDeps, 'autoscalers'>,
): Promise<void> {
  const status = dropped && statusOfLostPolicy(object, dropped);
  if (status === undefined) return;
  const stored = await cluster.get(toAddress(object), { signal });
  const isAsRead =
    stored.metadata.generation === object.metadata.generation && deepEqual(readField(stored, ...CONTROL), readField(object, ...CONTROL));
  if (isAsRead) await cluster.update({ ...object, status }, { fieldManager: FIELD_MANAGER, signal, subresource: 'status' });
}

const CONTROL = ['spec', 'control'] as const;

/** True when nothing of what was sent is missing, or another, in what is stored. */
function keepsAll(stored: unknown, sent: unknown): boolean {
  if (sent === undefined) return true;
  if (Array.isArray(sent))
    return Array.isArray(stored) && stored.length === sent.length && sent.every((item, at) => keepsAll(stored[at], item));
  if (isFields(sent)) return isFields(stored) && Object.entries(sent).every(([name, value]) => keepsAll(stored[name], value));
  return stored === sent;
}

function keepsStateInAnnotation(object: KubeObject): boolean {
  return (
    readString(object, 'status', 'annotations', STATE_ANNOTATION) !== undefined && readField(object, 'status', 'control') === undefined
  );
}

/** A definition that keeps some of the state and drops the rest would leave a rollout that cannot be read, or reads as another. */
function losesState(dropped: DroppedReason | undefined): boolean {
  return (dropped?.(KINDS.rolloutOrchestrator.kind, 'status.control') ?? null) !== null;
}

function inAnnotation(before: object, control: ControlState): object {
  const { control: _field, ...status } = before as { readonly control?: unknown }; // a field that is still there would be read first
  return { ...status, annotations: { ...readFields(status, 'annotations'), [STATE_ANNOTATION]: toStableJson(control) } };
}

async function carryOut(action: StageAction, { rollout }: RolloutObject, { cluster, autoscalers, signal }: ActDeps): Promise<void> {
  const options = { fieldManager: FIELD_MANAGER, signal };
  const { namespace } = rollout;
  const at = { ...(action.kind === 'Pod' ? KINDS.pod : KINDS.stagePodAutoscaler), namespace, name: action.name };
  const held = action.kind === 'Pod' ? undefined : autoscalers.get(`${namespace}/${action.name}`);
  if (action.verb === 'create') {
    // Created meanwhile: the next pass sees it and asserts its bounds.
    await ignoreError(
      isAlreadyExists,
      cluster.create({ ...KINDS.stagePodAutoscaler, metadata: action.object.metadata, spec: action.object.spec }, options),
    );
  } else if (action.verb === 'update') {
    // The two bounds alone, whoever wrote the status meanwhile. One that is gone is made anew by the next pass.
    if (held !== undefined && !sameBounds(held, action.bounds))
      await ignoreNotFound(cluster.patch(at, { type: 'merge', body: boundsBody(action.bounds) }, options));
  } else if (action.kind === 'Pod') {
    await ignoreNotFound(cluster.delete(at, { gracePeriodSeconds: action.gracePeriodSeconds, signal }));
  } else if (held?.metadata.uid !== undefined) {
    await ignoreNotFound(cluster.delete(at, { preconditions: { uid: held.metadata.uid }, signal }));
  }
}

function boundsBody({
  stageMinScale = null,
  stageMaxScale = null,
}: { readonly [Bound in keyof StageBounds]: StageBounds[Bound] | null }): object {
  return { spec: { stageMinScale, stageMaxScale } };
}

function sameBounds(held: KubeObject, bounds: StageBounds): boolean {
  const { stageMinScale, stageMaxScale } = (held.spec ?? {}) as { stageMinScale?: number | null; stageMaxScale?: number | null };
  return deepEqual({ stageMinScale: stageMinScale ?? undefined, stageMaxScale: stageMaxScale ?? undefined }, bounds);
}

/** On the version that was looked at: somebody else who changed the autoscaler is seen before it is changed again. */
async function changeRange(
  { revision, to }: RangeWrite,
  workloads: ReadonlyMap<string, Workload>,
  { cluster, signal }: ActDeps,
): Promise<void> {
  const autoscaler = workloads.get(revision)?.autoscaler;
  if (autoscaler !== undefined) await ignoreNotFound(cluster.update(withRange(autoscaler, to), { fieldManager: FIELD_MANAGER, signal }));
}

/** Lowering goes by the version that was looked at, since what was ready then decided how far it may go. */
async function scale(
  { revision, from, to }: ScaleWrite,
  workloads: ReadonlyMap<string, Workload>,
  { cluster, signal }: ActDeps,
): Promise<void> {
  const workload = workloads.get(revision)?.object;
  if (workload === undefined) return;
  const { namespace = '', resourceVersion } = workload.metadata;
  const at = { ...KINDS.deployment, namespace, name: revision };
  const condition = to < from && resourceVersion !== undefined ? { metadata: { resourceVersion } } : {};
  const body = { ...condition, spec: { replicas: to } };
  await ignoreNotFound(cluster.patch(at, { type: 'merge', body }, { subresource: 'scale', fieldManager: FIELD_MANAGER, signal }));
}

async function answer({ decision, phase, message }: EvaluatedDecision, now: Instant, { cluster, signal }: ActDeps): Promise<void> {
  await answerDecision(decision.object, { phase, message }, now, cluster, signal);
}

/** Writes what became of a decision, unless it is gone. */
export async function answerDecision(
  object: KubeObject,
  { phase, message }: { readonly phase: string; readonly message: string },
  now: Instant,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<void> {
  const status = { phase, message, at: toKubeTime(now) };
  await ignoreNotFound(cluster.update({ ...object, status }, { subresource: 'status', fieldManager: FIELD_MANAGER, signal }));
}
