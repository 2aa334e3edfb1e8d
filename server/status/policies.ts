import type { StatusPolicy } from '@/lib/contract/health';
import { isFields, readFields, readList, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { parseInstant, parseKubeTime, toInstant } from '@/lib/std/instant';
import type { ComputeOptions, PartialRule, RuleMap } from './compute';
import { computeUntil } from './compute';
import { isUnschedulable, SCHEDULE_WINDOW_MS } from './kinds/pod';
import { looseConditions } from './object-conditions';
import { ComputeError, current, failed, inProgress } from './result';

/** How long after its start a pod may fail to pull an image before `image-pull-failure` calls it failed. */
export const IMAGE_PULL_GRACE_MS = 300_000;

const IMAGE_REASONS: readonly unknown[] = [
  'ErrImagePull',
  'ImagePullBackOff',
  'ImageInspectError',
  'ErrImageNeverPull',
  'InvalidImageName',
  'RegistryUnavailable',
];
const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
const PROVISIONERS = ['volume.kubernetes.io/storage-provisioner', 'volume.beta.kubernetes.io/storage-provisioner'];

interface PolicyRule {
  readonly kind: string;
  readonly rule: PartialRule;
}

/** What a policy decides says so in its message. */
const POLICIES: Readonly<Record<StatusPolicy, PolicyRule>> = {
  'await-first-consumer': {
    kind: 'PersistentVolumeClaim',
    rule: (object) => (awaitsConsumer(object) ? current(said('await-first-consumer', 'PVC waits for its first consumer')) : undefined),
  },
  'load-balancer-address': {
    kind: 'Service',
    rule: (object) => (lacksAddress(object) ? inProgress('NoAddress', said('load-balancer-address', 'Service has no load balancer address')) : undefined),
  },
  'image-pull-failure': {
    kind: 'Pod',
    rule: (object, _conditions, now, wake) => {
      const containers = unpulled(object);
      if (containers.length === 0) return undefined;
      const end = imagePullGraceEnd(object);
      if (now < end) {
        wake?.(end);
        return undefined;
      }
      return failed('ImagePull', said('image-pull-failure', `Images of containers cannot be pulled: ${containers.join(',')}`));
    },
  },
};

/** The rules of policies. */
export function policyRules(policies: readonly StatusPolicy[]): RuleMap {
  return new Map(policies.map((name) => [POLICIES[name].kind, toRule(name)]));
}

function toRule(name: StatusPolicy): PartialRule {
  return (...seen) => {
    const told = POLICIES[name].rule(...seen);
    return told && { ...told, rule: `policy ${name}` };
  };
}

/** When the passage of time alone changes the status of an object; undefined when it never does. */
export function statusHoldsUntil(object: KubeObject, now: Instant, options: ComputeOptions): Instant | undefined {
  const ends: Instant[] = [];
  try {
    computeUntil(object, now, options, (at) => ends.push(at));
  } catch (error) {
    if (!(error instanceof ComputeError)) throw error; // what cannot be told now will not be told later either
  }
  const createdAt = parseKubeTime(object.metadata.creationTimestamp);
  const isPod = object.kind === 'Pod' && object.apiVersion === 'v1';
  if (isPod && createdAt !== undefined && isUnschedulable(looseConditions(readList(object, 'status', 'conditions'))))
    ends.push(toInstant(createdAt + SCHEDULE_WINDOW_MS));
  const coming = ends.filter((end) => end > now);
  return coming.length === 0 ? undefined : toInstant(Math.min(...coming));
}

function said(policy: StatusPolicy, sentence: string): string {
  return `${sentence} (policy ${policy})`;
}

/**
 * A pending claim of a storage class that nobody provisions yet, although no node was chosen for it: what a claim looks like whose
 * class binds with the first consumer. One that binds at once is given its provisioner right after it is made.
 */
function awaitsConsumer(claim: KubeObject): boolean {
  if (readString(claim, 'status', 'phase') !== 'Pending' || readString(claim, 'spec', 'volumeName')) return false;
  if (!readString(claim, 'spec', 'storageClassName')) return false;
  const { annotations = {} } = claim.metadata;
  return annotations[SELECTED_NODE] === undefined && PROVISIONERS.every((name) => annotations[name] === undefined);
}

function lacksAddress(service: KubeObject): boolean {
  if (readString(service, 'spec', 'type') !== 'LoadBalancer' || !readString(service, 'spec', 'clusterIP')) return false;
  return !readList(service, 'status', 'loadBalancer', 'ingress').some((entry) => readString(entry, 'ip') || readString(entry, 'hostname'));
}

/** Names of the containers of a pod whose images cannot be pulled. */
function unpulled(pod: KubeObject): readonly string[] {
  const statuses = [...readList(pod, 'status', 'initContainerStatuses'), ...readList(pod, 'status', 'containerStatuses')];
  return statuses.flatMap((entry) =>
    isFields(entry) && IMAGE_REASONS.includes(readFields(entry, 'state', 'waiting').reason) ? [String(entry.name ?? '')] : [],
  );
}

/** When a pod has had its time to pull images. One without a time of start has had it. */
function imagePullGraceEnd(pod: KubeObject): Instant {
  const startedAt = parseInstant(readString(pod, 'status', 'startTime')) ?? parseInstant(pod.metadata.creationTimestamp);
  return startedAt === undefined ? toInstant(0) : toInstant(startedAt + IMAGE_PULL_GRACE_MS);
}
