import type { Fields } from '@/lib/kube/fields';
import { readFields, readList, readNumber, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { WrittenCondition } from '../controllers/writes';

/** The status that a stage gives to all containers of the pod. */
export interface ContainerStatus {
  readonly state: Fields;
  readonly lastState?: Fields;
  readonly ready: boolean;
  readonly started: boolean;
  readonly restartCount: number;
}

/** A pod's status as a whole. */
export interface PodStatus {
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed';
  readonly containers: ContainerStatus;
  readonly time: string;
  /** Why the pod as a whole is as it is, where there is more to say than the phase. */
  readonly words?: { readonly reason: string; readonly message: string };
  readonly podIP?: string;
  readonly hostIP?: string;
}

/** Status of a pod with these values; what the status had beside it stays. */
export function toPodStatus(pod: KubeObject, status: PodStatus): Fields {
  const before = readFields(pod, 'status');
  const { podIP, hostIP, time, phase } = status;
  const { state } = status.containers;
  return {
    ...before,
    phase,
    ...status.words,
    conditions: toConditions(pod, status),
    startTime: before.startTime ?? time,
    ...(hostIP ? { hostIP, hostIPs: [{ ip: hostIP }] } : {}),
    ...(podIP ? { podIP, podIPs: [{ ip: podIP }] } : {}),
    ...(state.waiting !== undefined && podIP === undefined ? {} : initStatuses(pod, status)),
    containerStatuses: readList(pod, 'spec', 'containers').map((container) => toContainerStatus(pod, container, status.containers)),
  };
}

// Conditions are about the whole pod: which hold depends on the phase and on whether the containers are ready.
function toConditions(pod: KubeObject, { phase, containers, time, podIP }: PodStatus): readonly WrittenCondition[] {
  const before = readList(pod, 'status', 'conditions') as readonly WrittenCondition[];
  const names = readList(pod, 'spec', 'containers').map((container) => readString(container, 'name') ?? '');
  const unready = { status: 'False', reason: 'ContainersNotReady', message: `containers with unready status: [${names.join(' ')}]` };
  const done = phase === 'Succeeded' ? { reason: 'PodCompleted' } : {};
  const ended = phase === 'Succeeded' ? { status: 'False', reason: 'PodCompleted' } : { status: 'False', reason: 'PodFailed' };
  const isEnded = phase === 'Succeeded' || phase === 'Failed';
  const ready = isEnded ? ended : containers.ready ? { status: 'True' } : unready;
  const sandbox = !isEnded && (podIP !== undefined || readString(pod, 'status', 'podIP') !== undefined);
  const wanted: readonly WrittenCondition[] = [
    { type: 'PodReadyToStartContainers', status: sandbox ? 'True' : 'False' },
    { type: 'Initialized', status: 'True', ...done },
    { type: 'Ready', ...ready },
    { type: 'ContainersReady', ...ready },
    { type: 'PodScheduled', status: 'True' },
  ].map(({ type, status, ...words }) => ({ type, status, lastProbeTime: null, ...words }));
  const others = before.filter((condition) => !wanted.some(({ type }) => type === condition.type));
  return [...wanted.map((next) => withTime(next, before, time)), ...others];
}

function withTime(next: WrittenCondition, before: readonly WrittenCondition[], time: string): WrittenCondition {
  const same = before.find((condition) => condition.type === next.type && condition.status === next.status);
  return { ...next, lastTransitionTime: same?.lastTransitionTime ?? time };
}

function toContainerStatus(pod: KubeObject, container: unknown, status: ContainerStatus): Fields {
  const name = readString(container, 'name') ?? '';
  const image = readString(container, 'image') ?? '';
  const pulled = status.state.waiting === undefined || status.lastState !== undefined;
  return {
    name,
    state: status.state,
    lastState: status.lastState ?? {},
    ready: status.ready,
    restartCount: status.restartCount,
    image,
    imageID: pulled ? `simulated://${image}` : '',
    ...(pulled ? { containerID: `simulated://${pod.metadata.uid}/${name}/${status.restartCount}` } : {}),
    started: status.started,
  };
}

function initStatuses(pod: KubeObject, { time, phase }: PodStatus): Fields {
  const containers = readList(pod, 'spec', 'initContainers');
  if (containers.length === 0) return {};
  const before = readList(pod, 'status', 'initContainerStatuses');
  const isEnded = phase === 'Succeeded' || phase === 'Failed';
  // They start once: what became of them stays, and those that run beside the containers end with these.
  if (before.length > 0) return { initContainerStatuses: isEnded ? before.map((status) => withEnd(status, time)) : before };
  const terminated = { exitCode: 0, reason: 'Completed', startedAt: time, finishedAt: time };
  return {
    initContainerStatuses: containers.map((container) => {
      const isSidecar = readString(container, 'restartPolicy') === 'Always';
      const state = isSidecar ? { running: { startedAt: time } } : { terminated };
      return toContainerStatus(pod, container, { state, ready: true, started: isSidecar, restartCount: 0 });
    }),
  };
}

function withEnd(status: unknown, time: string): unknown {
  const startedAt = readString(status, 'state', 'running', 'startedAt');
  if (startedAt === undefined) return status;
  const terminated = { exitCode: 0, reason: 'Completed', startedAt, finishedAt: time };
  return { ...readFields(status), state: { terminated }, ready: false, started: false };
}

/** State of the first container; all containers of a simulated pod share theirs. */
export function containerStateOf(pod: KubeObject): Fields {
  return readFields(readList(pod, 'status', 'containerStatuses')[0], 'state');
}

/** Restarts of the first container. */
export function restartsOf(pod: KubeObject): number {
  return readNumber(readList(pod, 'status', 'containerStatuses')[0], 'restartCount') ?? 0;
}
