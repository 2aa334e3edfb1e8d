import { readList, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { backOffMs } from '@/lib/std/back-off';
import { isFinished, isReady } from '../controllers/pod-view';
import { containerStateOf, restartsOf } from './pod-status';
import type { ObservedPod, PodEvent, Stage, Transition } from './stage';
import {
  ended,
  fails,
  failsAtStart,
  isCreating,
  isRunning,
  NEW_CONTAINER,
  STARTING,
  toRunning,
  toStatus,
  waiting,
  waitsFor,
} from './stage';

const PULL_BACK_OFF_MS = 1000;
/** As the kubelet has it. */
const CRASH_PACE = { firstMs: 10_000, longestMs: 300_000 };
const FLAP_MS = 10_000;

const crashes = (seen: ObservedPod) => fails(seen, 'crash-loop') || fails(seen, 'oom');
const startDelay = ({ script }: ObservedPod) => script.startMs;
const failDelay = ({ script }: ObservedPod) => script.failure?.afterMs ?? 0;
const isServing = ({ pod }: ObservedPod) => isRunning(pod) && isReady(pod);

const UNHEALTHY: PodEvent = {
  type: 'Warning',
  reason: 'Unhealthy',
  message: () => 'Readiness probe failed: HTTP probe failed with statuscode: 503',
};
const BACK_OFF: PodEvent = {
  type: 'Warning',
  reason: 'BackOff',
  message: ({ name }, pod) => `Back-off restarting failed container ${name} in pod ${fullName(pod)}`,
};
const LOW_ON_MEMORY = 'The node was low on resource: memory. Threshold quantity: 100Mi, available: 64Mi. ';

/** Stages of a pod with a failure in its script. */
export const FAILURE_STAGES: readonly Stage[] = [
  {
    name: 'pull-failed',
    when: (seen) => isCreating(seen.pod) && failsAtStart(seen, 'image-pull'),
    delayMs: startDelay,
    next: ({ pod }) => {
      const message = `failed to pull and unpack image "${imageOf(pod)}": not found`;
      return toStatus({ phase: 'Pending', addressed: true, containers: { ...NEW_CONTAINER, state: waiting('ErrImagePull', message) } }, [
        { type: 'Normal', reason: 'Pulling', message: ({ image }) => `Pulling image "${image}"` },
        { type: 'Warning', reason: 'Failed', message: ({ image }) => `Failed to pull image "${image}": ${message}` },
        { type: 'Warning', reason: 'Failed', message: () => 'Error: ErrImagePull' },
      ]);
    },
  },
  {
    name: 'pull-back-off',
    when: ({ pod }) => waitsFor(pod, 'ErrImagePull'),
    delayMs: () => PULL_BACK_OFF_MS,
    next: ({ pod }) => {
      const state = waiting('ImagePullBackOff', `Back-off pulling image "${imageOf(pod)}"`);
      return toStatus({ phase: 'Pending', addressed: true, containers: { ...NEW_CONTAINER, state } }, [
        { type: 'Normal', reason: 'BackOff', message: ({ image }) => `Back-off pulling image "${image}"` },
        { type: 'Warning', reason: 'Failed', message: () => 'Error: ImagePullBackOff' },
      ]);
    },
  },
  {
    name: 'config-missing',
    when: (seen) => isCreating(seen.pod) && failsAtStart(seen, 'config-missing'),
    delayMs: startDelay,
    next: ({ pod }) => {
      const message = `configmap "${configOf(pod)}" not found`;
      const containers = { ...NEW_CONTAINER, state: waiting('CreateContainerConfigError', message) };
      return toStatus({ phase: 'Pending', addressed: true, containers }, [
        { type: 'Warning', reason: 'Failed', message: () => `Error: ${message}` },
      ]);
    },
  },
  {
    name: 'crash',
    when: (seen) => isCreating(seen.pod) && (failsAtStart(seen, 'crash-loop') || failsAtStart(seen, 'oom')),
    delayMs: startDelay,
    next: (seen, time) => crash(seen, time, 0),
  },
  {
    name: 'late-crash',
    when: (seen) => isServing(seen) && crashes(seen),
    delayMs: failDelay,
    next: (seen, time) => crash(seen, time, restartsOf(seen.pod)),
  },
  {
    name: 'back-off',
    when: ({ pod }) => containerStateOf(pod).terminated !== undefined && !isFinished(pod),
    delayMs: () => 0,
    next: ({ pod }) => {
      const restartCount = restartsOf(pod);
      const wait = `back-off ${formatBackOff(backOffMs(CRASH_PACE, restartCount))} restarting failed container=${nameOf(pod)} pod=${fullName(pod)}`;
      return toRunning({ started: false, restartCount, state: waiting('CrashLoopBackOff', wait), lastState: containerStateOf(pod) }, [
        BACK_OFF,
      ]);
    },
  },
  {
    name: 'restart',
    when: ({ pod }) => waitsFor(pod, 'CrashLoopBackOff'),
    delayMs: ({ pod }) => backOffMs(CRASH_PACE, restartsOf(pod)),
    next: (seen, time) => crash(seen, time, restartsOf(seen.pod) + 1),
  },
  {
    name: 'late-unready',
    when: (seen) => isServing(seen) && fails(seen, 'never-ready'),
    delayMs: failDelay,
    next: ({ pod }) => toRunning({ restartCount: restartsOf(pod), state: containerStateOf(pod) }, [UNHEALTHY]),
  },
  {
    name: 'flap-down',
    when: (seen) => isServing(seen) && fails(seen, 'flapping'),
    delayMs: ({ script }) => Math.max(script.failure?.afterMs ?? 0, script.failure?.everyMs ?? FLAP_MS),
    next: ({ pod }) => toRunning({ restartCount: restartsOf(pod), state: containerStateOf(pod) }, [UNHEALTHY]),
  },
  {
    name: 'flap-up',
    when: (seen) => isRunning(seen.pod) && !isReady(seen.pod) && fails(seen, 'flapping'),
    delayMs: ({ script }) => script.failure?.everyMs ?? FLAP_MS,
    next: ({ pod }) => toRunning({ ready: true, restartCount: restartsOf(pod), state: containerStateOf(pod) }),
  },
  {
    name: 'evicted',
    when: (seen) => isServing(seen) && fails(seen, 'evicted'),
    delayMs: failDelay,
    next: ({ pod }, time) => {
      const event: PodEvent = { type: 'Warning', reason: 'Evicted', message: () => LOW_ON_MEMORY };
      const words = { reason: 'Evicted', message: LOW_ON_MEMORY };
      return toStatus(
        { phase: 'Failed', addressed: true, words, containers: { ...NEW_CONTAINER, state: ended(pod, time, { code: 137 }) } },
        [event],
      );
    },
  },
];

// A pod that must not be restarted ends here; any other shows the exit for a moment and then backs off.
function crash(seen: ObservedPod, time: string, restartCount: number): Transition {
  const phase = readString(seen.pod, 'spec', 'restartPolicy') === 'Never' ? 'Failed' : 'Running';
  const state = ended(seen.pod, time, fails(seen, 'oom') ? { code: 137, reason: 'OOMKilled' } : { code: 1 });
  return toStatus({ phase, addressed: true, containers: { ...NEW_CONTAINER, restartCount, state } }, STARTING);
}

function formatBackOff(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  return minutes > 0 ? `${minutes}m${(ms % 60_000) / 1000}s` : `${ms / 1000}s`;
}

function fullName({ metadata: { name, namespace, uid } }: KubeObject): string {
  return `${name}_${namespace}(${uid})`;
}

function nameOf(pod: KubeObject): string {
  return readString(pod, 'spec', 'containers', 0, 'name') ?? '';
}

function imageOf(pod: KubeObject): string {
  return readString(pod, 'spec', 'containers', 0, 'image') ?? '';
}

/** Name of the first ConfigMap that the pod mentions; one that stands for it when it mentions none. */
function configOf(pod: KubeObject): string {
  const [container] = readList(pod, 'spec', 'containers');
  const mentioned = [
    ...readList(container, 'envFrom').map((source) => readString(source, 'configMapRef', 'name')),
    ...readList(container, 'env').map((entry) => readString(entry, 'valueFrom', 'configMapKeyRef', 'name')),
  ];
  return mentioned.find((name) => name !== undefined) ?? `${nameOf(pod)}-config`;
}
