import { readNumber } from '@/lib/kube/fields';
import { KINDS, POLICY_REQUESTED_BY, REQUESTED_BY, ROLLED_BACK } from '@/lib/kube/kinds';
import type { KubeObject, OwnerReference } from '@/lib/kube/object';
import { controllerOf } from '@/lib/kube/object';
import { copyUserAnnotation, withoutUserAnnotations } from '@/lib/kube/user-annotations';
import { deepEqual } from '@/lib/std/deep-equal';
import { ANNOTATION, LABEL } from '@/server/dispatch';
import type { Person } from '@/server/kube';
import type { DroppedReason, Revisions, TargetRevision } from '@/server/rollout';
import { retargetFrom, sameTargets, toStoredSettings } from '@/server/rollout';
import type { Observation } from '../observe/observe';
import type { ObservedRollout } from '../observe/observed-rollout';
import { isMadeByRollback } from '../rollback/rolled-back';
import type { ParsedApplication, RolloutPolicy } from '../spec/model';
import type { InitialWorkload, RunPlan } from './model';

interface DesiredRollout {
  readonly application: ParsedApplication;
  readonly policy: RolloutPolicy;
  /** Undefined where it stays at the targets that it has. */
  readonly target: TargetRevision | undefined;
  readonly initial: InitialWorkload | undefined;
  /** Workloads of the rollout that run now. */
  readonly workloads: readonly KubeObject[];
  /** True where its target is what a rollback made. */
  readonly isRollback: boolean;
  /** Who asked for the application: of one that lies in another, whoever asked for that. */
  readonly requester: Person | undefined;
  /** Why the cluster would not keep a field of the rollout. */
  readonly dropped: DroppedReason;
}

/** What is to be written of an application's rollout; `started` says so where it gets another target. */
export type RolloutWrite =
  | { readonly kind: 'none' }
  | { readonly kind: 'remove'; readonly object: KubeObject }
  | {
      readonly kind: 'create' | 'update';
      readonly object: KubeObject;
      readonly started?: { readonly target: string; readonly sentence: string };
    };

/** Decides what is to be written of the application's rollout. Stages and status are the rollout engine's. */
export function decideRolloutWrite(
  { application, rollout: step, revision }: RunPlan,
  { rollout, revisions }: Observation,
  given: Pick<DesiredRollout, 'workloads' | 'requester' | 'dropped'>,
): RolloutWrite {
  if (step.kind === 'none') return NOTHING;
  if (step.kind === 'remove') return { kind: 'remove', object: step.rollout.object };
  if (step.kind === 'leave') {
    // What was rejected stays where it is; its policy is followed all the same, so that the next way begins under the present one.
    if (step.policy === undefined || rollout === undefined) return NOTHING;
    return updateOf(rollout, { ...given, application, policy: step.policy, target: undefined, initial: undefined, isRollback: false });
  }
  const isRollback = isMadeByRollback(application.object, revision.name, revisions);
  const wish = { ...given, application, policy: step.policy, target: step.target, initial: step.initial, isRollback };
  const write: RolloutWrite = rollout === undefined ? { kind: 'create', object: toRolloutObject(wish) } : updateOf(rollout, wish);
  const target = step.target.revisionName;
  if (write.kind === 'none' || rollout?.target === target) return write;
  const by = given.requester === undefined ? '' : `, requested by ${given.requester.user}`;
  return {
    ...write,
    started: { target, sentence: `${application.name} rolls out to ${target}${rollout?.target ? ` from ${rollout.target}` : ''}${by}` },
  };
}

const NOTHING: RolloutWrite = { kind: 'none' };

function updateOf(
  rollout: ObservedRollout,
  wish: DesiredRollout,
): { readonly kind: 'none' } | { readonly kind: 'update'; readonly object: KubeObject } {
  const object = withWish(rollout, wish);
  return object === rollout.object ? { kind: 'none' } : { kind: 'update', object };
}

/** The rollout of an application that has none yet. */
function toRolloutObject(wish: DesiredRollout & { readonly target: TargetRevision }): KubeObject {
  const { application, policy, target, initial } = wish;
  const { name, namespace } = application;
  const start =
    initial === undefined || initial.entry.revisionName === target.revisionName
      ? undefined
      : [withLiveScale(initial.entry, wish.workloads)];
  const form = toStoredSettings(policy, wish.dropped);
  const annotations = set({ ...copyUserAnnotation(wish.requester, REQUESTED_BY), ...form.annotations });
  return {
    ...KINDS.rolloutOrchestrator,
    metadata: {
      name,
      namespace,
      labels: labelsOf(application, policy),
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
      ownerReferences: [ownerOf(application)],
    },
    spec: { ...(start ? { initialRevisions: start } : {}), targetRevisions: [withLiveScale(target, wish.workloads)], ...form.spec },
  };
}

/** The rollout with target and policy as wished; the same object when nothing changes. One that nobody owned is the application's from then on. */
function withWish(rollout: ObservedRollout, wish: DesiredRollout): KubeObject {
  const { ro } = rollout;
  const { target } = wish;
  const object = withOwner(rollout.object, wish);
  const form = toStoredSettings(wish.policy, wish.dropped);
  const held = object.spec as Readonly<Record<string, unknown>>; // a rollout that was read has a spec or none
  const isPolicyKept = holds(held, form.spec) && holds(object.metadata.annotations, form.annotations);
  const settled = set({ ...object.metadata.annotations, ...form.annotations, ...(isPolicyKept ? {} : policyAskedBy(wish, rollout)) });
  if (target === undefined || sameTargets(ro.spec.targetRevisions ?? [], [target]))
    return isPolicyKept ? object : { ...object, metadata: { ...object.metadata, annotations: settled }, spec: { ...held, ...form.spec } };
  // Whoever asked is noted anew: a rollout judges self-approval by it.
  const { [ROLLED_BACK]: _former, ...kept } = { ...settled, ...copyUserAnnotation(wish.requester, REQUESTED_BY) };
  const annotations = wish.isRollback ? { ...kept, [ROLLED_BACK]: target.revisionName } : kept;
  const ultimateRevisions: Revisions = [withLiveScale(target, wish.workloads)];
  const lists = retargetFrom(wish.workloads, { ro, ultimateRevisions });
  const spec: unknown = JSON.parse(JSON.stringify({ ...held, ...lists, ...form.spec })); // members that are not set are left out
  return { ...object, metadata: { ...object.metadata, annotations }, spec };
}

/** A rollout that somebody made before the application was there: they asked for nothing that the application asks for. */
function withOwner(object: KubeObject, { application, policy, requester }: DesiredRollout): KubeObject {
  if (controllerOf(object) !== undefined) return object;
  return {
    ...object,
    metadata: {
      ...object.metadata,
      labels: { ...object.metadata.labels, ...labelsOf(application, policy) },
      annotations: { ...withoutUserAnnotations(object.metadata.annotations, REQUESTED_BY), ...copyUserAnnotation(requester, REQUESTED_BY) },
      ownerReferences: [...(object.metadata.ownerReferences ?? []), ownerOf(application)],
    },
  };
}

function labelsOf({ name, namespace }: ParsedApplication, { component }: RolloutPolicy): Readonly<Record<string, string>> {
  return { [LABEL.rolloutService]: name, [LABEL.appName]: name, [LABEL.appNamespace]: namespace, [LABEL.component]: component };
}

const ownerOf = ({ name, uid }: ParsedApplication): OwnerReference => ({
  ...KINDS.application,
  name,
  uid,
  controller: true,
  blockOwnerDeletion: true,
});

/**
 * Who asked for the policy is noted apart: a looser one is decided by somebody else than them. While one waits, whoever changes it joins
 * those who asked before.
 */
function policyAskedBy({ requester }: DesiredRollout, { loosenedBy }: ObservedRollout): Readonly<Record<string, string>> {
  if (requester === undefined) return {};
  return { [POLICY_REQUESTED_BY.user]: [...new Set([...loosenedBy, requester.user])].join('\n') };
}

function holds(held: Readonly<Record<string, unknown>> | undefined, wanted: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(wanted).every(([member, value]) => deepEqual(held?.[member], value));
}

function set(texts: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])));
}

/** A revision without bounds of its own gets those on its workload, else the replicas that run. */
function withLiveScale(entry: TargetRevision, workloads: readonly KubeObject[]): TargetRevision {
  if (entry.minScale !== undefined || entry.maxScale !== undefined) return entry;
  const live = workloads.find(({ metadata }) => metadata.name === entry.revisionName);
  const replicas = live && readNumber(live, 'spec', 'replicas');
  return replicas === undefined || replicas === 0 ? entry : { ...entry, minScale: replicas, maxScale: replicas };
}

/** What makes a plain workload one that rollouts find; undefined when it is that already. Its pods are not touched. */
export function adoptionPatch(application: ParsedApplication, workload: KubeObject, entry: TargetRevision): object | undefined {
  const { name = '', labels = {}, annotations = {} } = workload.metadata;
  if (labels[LABEL.rolloutService] === application.name && labels[LABEL.rolloutRevision] === name) return undefined;
  const replicas = readNumber(workload, 'spec', 'replicas') ?? 1;
  const bounds = {
    [ANNOTATION.minScale]: annotations[ANNOTATION.minScale] ?? String(entry.minScale ?? replicas),
    [ANNOTATION.maxScale]: annotations[ANNOTATION.maxScale] ?? String(entry.maxScale ?? replicas),
  };
  return { metadata: { labels: { [LABEL.rolloutService]: application.name, [LABEL.rolloutRevision]: name }, annotations: bounds } };
}
