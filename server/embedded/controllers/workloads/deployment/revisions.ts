import { messageOf } from '@/lib/contract/app-error';
import { readFields, readNumber } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { controllerOf, toAddress } from '@/lib/kube/object';
import { isAlreadyExists } from '@/server/kube';
import type { ControllerHost } from '../../../host';
import type { Recorder } from '../../events';
import { REPLICA_SET } from '../../kinds';
import { toControllerReference, updateStatus } from '../../writes';
import { isNamespaceTerminating } from '../pod-control';
import type { Deployment, RevisionSet, Revisions } from './model';
import { byAge, DESIRED_REPLICAS, HASH_LABEL, MAX_REPLICAS, REVISION, REVISION_HISTORY, toDeployment, toRevisionSet } from './model';
import { sizeOfCurrent } from './plan';
import { conditionsOf, putCondition } from './status';
import { hashTemplate, isSameTemplate } from './template-hash';

// The history annotation holds about a hundred revisions.
const MAX_HISTORY_LENGTH = 2000;
const MAX_NAME_LENGTH = 253;
const NOT_COPIED = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'deprecated.deployment.rollback.to',
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
]);

/** What a pass works with: the Deployment as stored now, and its sets. */
export interface Rollout {
  readonly deployment: Deployment;
  readonly revisions: Revisions;
}

/** Tells the set of the present template from the others; of several the oldest counts. */
export function splitRevisions(deployment: Deployment, sets: readonly KubeObject[]): Revisions {
  const all = sets.map(toRevisionSet).sort(byAge);
  const current = all.find((set) => isSameTemplate(readFields(set.object, 'spec', 'template'), deployment.template));
  return { current, old: all.filter((set) => set !== current) };
}

/** Keeps revision number, history and copied annotations of the present set, and the number on the Deployment, in step. */
export async function syncRevision(host: ControllerHost, { deployment, revisions }: Rollout): Promise<Rollout> {
  const { current, old } = revisions;
  if (!current) return { deployment, revisions };
  const annotations = annotationsFor(deployment, current.annotations, Math.max(0, ...old.map((set) => set.revision)) + 1);
  let object = current.object;
  const minReadyDiffers = (readNumber(object, 'spec', 'minReadySeconds') ?? 0) !== deployment.minReadySeconds;
  if (annotations !== current.annotations || minReadyDiffers) {
    const spec = { ...readFields(object, 'spec'), minReadySeconds: deployment.minReadySeconds };
    object = await host.cluster.update({ ...object, metadata: { ...object.metadata, annotations }, spec });
  }
  const numbered = await writeRevision(host, deployment, object.metadata.annotations?.[REVISION] ?? '');
  const found = await noteFound(host, numbered, current.name);
  return { deployment: found, revisions: { current: toRevisionSet(object), old } };
}

/** Makes the set of the present template when there is none; counts a collision when its name is taken by another template. */
export async function ensureCurrent(
  host: ControllerHost,
  { deployment, revisions }: Rollout,
  record: Recorder,
): Promise<Rollout | undefined> {
  if (revisions.current) return { deployment, revisions };
  const set = toNewSet(deployment, revisions.old);
  let created: KubeObject;
  try {
    created = await host.cluster.create(set);
  } catch (error) {
    if (isNamespaceTerminating(error)) return undefined;
    if (isAlreadyExists(error)) await countCollision(host, deployment, set);
    else
      await noteFailure(host, {
        deployment,
        record,
        message: `Failed to create new replica set "${set.metadata.name}": ${messageOf(error)}`,
      });
    throw error;
  }
  const current = toRevisionSet(created);
  if (current.replicas > 0)
    record(deployment.object, 'Normal', 'ScalingReplicaSet', `Scaled up replica set ${current.name} from 0 to ${current.replicas}`);
  const numbered = await writeRevision(host, deployment, current.annotations[REVISION] ?? '');
  return {
    deployment: await noteProgress(host, numbered, 'NewReplicaSetCreated', `Created new replica set "${current.name}"`),
    revisions: { current, old: revisions.old },
  };
}

/** Annotations that tell a set how large the Deployment is and may grow. */
export function sizeAnnotations(deployment: Deployment): Record<string, string> {
  return { [DESIRED_REPLICAS]: String(deployment.replicas), [MAX_REPLICAS]: String(deployment.replicas + deployment.maxSurge) };
}

function toNewSet(deployment: Deployment, old: readonly RevisionSet[]): KubeObject {
  const hash = hashTemplate(deployment.template, readNumber(deployment.object, 'status', 'collisionCount'));
  const metadata = readFields(deployment.template, 'metadata');
  const labels = { ...readFields(metadata, 'labels'), [HASH_LABEL]: hash } as Record<string, string>;
  const selector = readFields(deployment.selector);
  const revision = Math.max(0, ...old.map((set) => set.revision)) + 1;
  return {
    ...REPLICA_SET,
    metadata: {
      name: `${deployment.name.slice(0, MAX_NAME_LENGTH - 1 - hash.length)}-${hash}`,
      namespace: deployment.object.metadata.namespace ?? '',
      labels,
      annotations: { ...annotationsFor(deployment, {}, revision), ...sizeAnnotations(deployment) },
      ownerReferences: [toControllerReference(deployment.object)],
    },
    spec: {
      replicas: sizeOfCurrent(deployment, old, 0),
      ...(deployment.minReadySeconds > 0 ? { minReadySeconds: deployment.minReadySeconds } : {}),
      selector: { ...selector, matchLabels: { ...readFields(selector, 'matchLabels'), [HASH_LABEL]: hash } },
      template: { ...readFields(deployment.template), metadata: { ...metadata, labels } },
    },
  };
}

/** The annotations of the present set; the same record when nothing changes. */
function annotationsFor(
  deployment: Deployment,
  before: Readonly<Record<string, string>>,
  revision: number,
): Readonly<Record<string, string>> {
  const after: Record<string, string> = { ...before };
  for (const [key, value] of Object.entries(deployment.object.metadata.annotations ?? {})) if (!NOT_COPIED.has(key)) after[key] = value;
  const had = before[REVISION];
  if ((Number.parseInt(had ?? '0', 10) || 0) < revision) {
    after[REVISION] = String(revision);
    if (had !== undefined) after[REVISION_HISTORY] = appendHistory(before[REVISION_HISTORY] ?? '', had);
  }
  return Object.entries(after).some(([key, value]) => before[key] !== value) ? after : before;
}

function appendHistory(history: string, revision: string): string {
  const entries = history === '' ? [revision] : [...history.split(','), revision];
  while (entries.length > 1 && entries.join(',').length > MAX_HISTORY_LENGTH) entries.shift();
  return entries.join(',');
}

async function writeRevision(host: ControllerHost, deployment: Deployment, revision: string): Promise<Deployment> {
  if (revision === '' || deployment.object.metadata.annotations?.[REVISION] === revision) return deployment;
  const body = { metadata: { annotations: { [REVISION]: revision } } };
  // With the status, as the original does: the number is no change by a user, whose changes of annotations the generation counts.
  return toDeployment(await host.cluster.patch(toAddress(deployment.object), { type: 'merge', body }, { subresource: 'status' }));
}

// A Deployment that starts to have a deadline is judged from the moment its set was first seen.
async function noteFound(host: ControllerHost, deployment: Deployment, setName: string): Promise<Deployment> {
  if (conditionsOf(deployment).some((condition) => condition.type === 'Progressing')) return deployment;
  return noteProgress(host, deployment, 'FoundNewReplicaSet', `Found new replica set "${setName}"`);
}

async function noteProgress(host: ControllerHost, deployment: Deployment, reason: string, message: string): Promise<Deployment> {
  if (deployment.progressDeadlineSeconds === undefined) return deployment;
  const conditions = putCondition(conditionsOf(deployment), { type: 'Progressing', status: 'True', reason, message }, host.clock.now());
  return toDeployment(await updateStatus(host, deployment.object, { ...readFields(deployment.object, 'status'), conditions }));
}

async function noteFailure(host: ControllerHost, at: { deployment: Deployment; record: Recorder; message: string }): Promise<void> {
  const { deployment, record, message } = at;
  record(deployment.object, 'Warning', 'ReplicaSetCreateError', message);
  if (deployment.progressDeadlineSeconds === undefined) return;
  const condition = { type: 'Progressing', status: 'False', reason: 'ReplicaSetCreateError', message } as const;
  const conditions = putCondition(conditionsOf(deployment), condition, host.clock.now());
  await updateStatus(host, deployment.object, { ...readFields(deployment.object, 'status'), conditions });
}

async function countCollision(host: ControllerHost, deployment: Deployment, set: KubeObject): Promise<void> {
  const { namespace = '', name = '' } = set.metadata;
  const taken = host.get(REPLICA_SET, `${namespace}/${name}`);
  const ours = taken && controllerOf(taken)?.uid === deployment.object.metadata.uid;
  if (ours && isSameTemplate(readFields(taken, 'spec', 'template'), deployment.template)) return;
  const status = readFields(deployment.object, 'status');
  await updateStatus(host, deployment.object, { ...status, collisionCount: (readNumber(status, 'collisionCount') ?? 0) + 1 });
}
