import { KINDS, REQUESTED_BY } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import { readAnnotatedUser } from '@/lib/kube/user-annotations';
import { ignoreNotFound, isAlreadyExists } from '@/server/kube';
import type { RunPlan } from '../decide/model';
import { adoptionPatch, decideRolloutWrite } from '../decide/rollout';
import { StaleObservationError } from '../observe/live-checks';
import type { Observation } from '../observe/observe';
import { noteOf } from '../permission/requester';
import type { ActContext } from './context';
import { record, WRITER } from './context';

/** Brings the application's rollout to where the step wants it. */
export async function actOnRollout(context: ActContext, plan: RunPlan, seen: Observation): Promise<void> {
  const { application, rollout: step } = plan;
  if (step.kind === 'none' || (step.kind === 'leave' && step.policy === undefined)) return;
  const workloads = await adopt(context, plan, seen);
  const requester =
    step.kind === 'remove' ? undefined : await noteOf(context, application.object, (object) => readAnnotatedUser(object, REQUESTED_BY));
  const write = decideRolloutWrite(plan, seen, { workloads, requester, dropped: context.deps.dropped ?? (() => null) });
  const { cluster } = context.deps;
  if (write.kind === 'none') return;
  if (write.kind === 'remove') return removeRollout(context, write.object);
  if (write.started !== undefined) {
    const { target, sentence } = write.started;
    const id = `rollout.started:${application.uid}:${target}`;
    await record(context, { id, action: 'rollout.started', about: toAddress(write.object), message: sentence });
  }
  if (write.kind === 'create') await createRollout(context, write.object);
  else await cluster.update(write.object, { ...WRITER, signal: context.signal });
}

/** A rollout that is there already was made by an earlier pass, or by a person since: the watch is behind, and the next pass judges it as it is. */
async function createRollout({ deps, signal }: ActContext, wanted: KubeObject): Promise<void> {
  try {
    await deps.cluster.create(wanted, { ...WRITER, signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    throw new StaleObservationError(
      `the watch of RolloutOrchestrators lags behind: it has not delivered ${wanted.metadata.name ?? ''} yet`,
      {
        cause: error,
      },
    );
  }
}

/** The workloads of the rollout, with the plain one that it starts from among them. */
async function adopt(
  { deps, stores, signal }: ActContext,
  { application, rollout: step }: RunPlan,
  { workloads }: Observation,
): Promise<readonly KubeObject[]> {
  if (step.kind !== 'ensure' || step.initial?.adopt !== true) return workloads;
  const { entry } = step.initial;
  const at = { ...KINDS.deployment, namespace: application.namespace, name: entry.revisionName };
  const workload = stores.deployments.get(`${at.namespace}/${at.name}`);
  const body = workload && adoptionPatch(application, workload, entry);
  const adopted = body === undefined ? workload : await deps.cluster.patch(at, { type: 'merge', body }, { ...WRITER, signal });
  return adopted === undefined || workloads.some(({ metadata }) => metadata.uid === adopted.metadata.uid)
    ? workloads
    : [...workloads, adopted];
}

async function removeRollout({ deps, signal }: ActContext, object: KubeObject): Promise<void> {
  const { uid } = object.metadata;
  await ignoreNotFound(
    deps.cluster.delete(toAddress(object), { ...(uid ? { preconditions: { uid } } : {}), propagationPolicy: 'Background', signal }),
  );
}
