import { KINDS, REQUESTED_BY } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import { readNote } from '@/lib/kube/person-note';
import { isAlreadyExists, isNotFound } from '@/server/kube';
import type { TargetRevision } from '@/server/rollout';
import type { RolloutStep, RunPlan } from '../decide/decide';
import type { DesiredRollout } from '../decide/rollout-object';
import { adoptionPatch, toRolloutObject, withWish } from '../decide/rollout-object';
import { OutdatedError } from '../observe/moved';
import type { Observation } from '../observe/observe';
import { noteOf } from '../permission/requester';
import { isMadeByRollback } from '../rollback/rolled-back';
import type { ParsedApplication } from '../spec/model';
import type { ActContext } from './context';
import { record, WRITER } from './context';

/** Brings the application's rollout to where the step wants it. Stages and status are the rollout engine's. */
export async function actOnRollout(context: ActContext, plan: RunPlan, seen: Observation): Promise<void> {
  const { application, rollout: step, revision } = plan;
  if (step.kind === 'none') return;
  if (step.kind === 'leave') return passPolicyOn(context, plan, seen);
  if (step.kind === 'remove') return removeRollout(context, step);
  const workloads = [...seen.workloads];
  if (step.initial?.adopt) {
    const adopted = await adopt(context, application, step.initial.entry);
    if (adopted !== undefined && !workloads.some(({ metadata }) => metadata.uid === adopted.metadata.uid)) workloads.push(adopted);
  }
  const wish: DesiredRollout = {
    application,
    policy: step.policy,
    target: step.target,
    initial: step.initial,
    workloads,
    requester: await noteOf(context, application.object, (object) => readNote(object, REQUESTED_BY)),
    isRollback: isMadeByRollback(application.object, revision.name, seen.revisions),
    dropped: context.deps.dropped ?? (() => null),
  };
  const { cluster } = context.deps;
  const { rollout } = seen;
  const wanted = rollout === undefined ? toRolloutObject(wish) : withWish(rollout, wish);
  if (wanted === rollout?.object) return;
  if (rollout?.target !== step.target.revisionName) {
    await record(context, {
      id: `rollout.started:${application.uid}:${step.target.revisionName}`,
      action: 'rollout.started',
      about: toAddress(wanted),
      message: `${application.name} rolls out to ${step.target.revisionName}${rollout?.target ? ` from ${rollout.target}` : ''}${wish.requester === undefined ? '' : `, requested by ${wish.requester.user}`}`,
    });
  }
  if (rollout === undefined) await createRollout(context, wanted);
  else await cluster.update(wanted, { ...WRITER, signal: context.signal });
}

/** A rollout that is there already was made by an earlier pass, or by a person since: the watch is behind, and the next pass judges it as it is. */
async function createRollout({ deps, signal }: ActContext, wanted: KubeObject): Promise<void> {
  try {
    await deps.cluster.create(wanted, { ...WRITER, signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    throw new OutdatedError(`the watch of RolloutOrchestrators lags behind: it has not delivered ${wanted.metadata.name ?? ''} yet`, {
      cause: error,
    });
  }
}

/** What was rejected stays where it is; its policy is followed all the same, so that the next way begins under the present one. */
async function passPolicyOn(context: ActContext, { application, rollout: step }: RunPlan, { rollout, workloads }: Observation): Promise<void> {
  const [target] = rollout?.ro.spec.targetRevisions ?? [];
  if (step.kind !== 'leave' || step.policy === undefined || rollout === undefined || target === undefined) return;
  const requester = await noteOf(context, application.object, (object) => readNote(object, REQUESTED_BY));
  const dropped = context.deps.dropped ?? (() => null);
  const wanted = withWish(rollout, { application, policy: step.policy, target, initial: undefined, workloads, requester, isRollback: false, dropped });
  if (wanted !== rollout.object) await context.deps.cluster.update(wanted, { ...WRITER, signal: context.signal });
}

async function adopt({ deps, stores, signal }: ActContext, application: ParsedApplication, entry: TargetRevision) {
  const name = entry.revisionName;
  const workload = stores.deployments.get(`${application.namespace}/${name}`);
  const patch = workload && adoptionPatch(application, workload, entry);
  if (workload === undefined || patch === undefined) return workload;
  return deps.cluster.patch({ ...KINDS.deployment, namespace: application.namespace, name }, { type: 'merge', body: patch }, { ...WRITER, signal });
}

async function removeRollout({ deps, signal }: ActContext, { rollout }: Extract<RolloutStep, { kind: 'remove' }>): Promise<void> {
  const { uid } = rollout.object.metadata;
  try {
    await deps.cluster.delete(toAddress(rollout.object), { ...(uid ? { preconditions: { uid } } : {}), propagationPolicy: 'Background', signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
