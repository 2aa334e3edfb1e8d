import type { Fields } from '@/lib/kube/fields';
import { readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { ContainerStatus, PodStatus } from './pod-status';
import { containerStateOf } from './pod-status';
import type { Failure, Script } from './script';

/** A pod as stages see it. */
export interface ObservedPod {
  readonly pod: KubeObject;
  readonly script: Script;
}

/** What a stage makes of a pod: a new status with events, or its end. */
export type Transition =
  | { readonly kind: 'gone' }
  | { readonly kind: 'status'; readonly status: NextStatus; readonly events?: readonly PodEvent[] };

/** Addresses are given by whoever plays the stages: a stage only says whether the pod has one from now on. */
export type NextStatus = Omit<PodStatus, 'time' | 'podIP' | 'hostIP'> & { readonly addressed: boolean };

/** An event on the pod; the message is made for each container. */
export interface PodEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: (container: { readonly name: string; readonly image: string }, pod: KubeObject) => string;
}

/** One row of a pod's life: when it looks like this, after this delay, it becomes that. */
export interface Stage {
  readonly name: string;
  readonly when: (seen: ObservedPod) => boolean;
  readonly delayMs: (seen: ObservedPod) => number;
  readonly next: (seen: ObservedPod, time: string) => Transition;
}

/** A container that has just been made. */
export const NEW_CONTAINER: ContainerStatus = { state: {}, ready: false, started: false, restartCount: 0 };

/** What the node says when a container starts. */
export const STARTING: readonly PodEvent[] = [
  { type: 'Normal', reason: 'Pulled', message: ({ image }) => `Container image "${image}" already present on machine` },
  { type: 'Normal', reason: 'Created', message: () => 'Container created' },
  { type: 'Normal', reason: 'Started', message: () => 'Container started' },
];

/** True when the container waits for that reason. */
export function waitsFor(pod: KubeObject, reason: string): boolean {
  return readString(containerStateOf(pod), 'waiting', 'reason') === reason;
}

/** True while the container is being made. */
export function isCreating(pod: KubeObject): boolean {
  return waitsFor(pod, 'ContainerCreating');
}

/** True while the container runs. */
export function isRunning(pod: KubeObject): boolean {
  return containerStateOf(pod).running !== undefined;
}

/** True when the script has that failure in store, now or later. */
export function fails({ script }: ObservedPod, kind: Failure): boolean {
  return script.failure?.kind === kind;
}

/** True when the failure is there from the start. */
export function failsAtStart(seen: ObservedPod, kind: Failure): boolean {
  return fails(seen, kind) && seen.script.failure?.afterMs === 0;
}

/** State of a container that waits. */
export function waiting(reason: string, message?: string): Fields {
  return { waiting: { reason, ...(message ? { message } : {}) } };
}

/** State of the pod's containers when they end: those that ran have run since they started, the others ended as they did. */
export function ended(pod: KubeObject, time: string, exit: { readonly code: number; readonly reason?: string }): Fields {
  const { code: exitCode, reason = exitCode === 0 ? 'Completed' : 'Error' } = exit;
  const startedAt = readString(containerStateOf(pod), 'running', 'startedAt') ?? time;
  return { terminated: { exitCode, reason, startedAt, finishedAt: time } };
}

/** The transition of a pod to this status. */
export function toStatus(status: NextStatus, events?: readonly PodEvent[]): Transition {
  return { kind: 'status', status, ...(events ? { events } : {}) };
}

/** A running pod whose containers have this status. */
export function toRunning(containers: Partial<ContainerStatus>, events?: readonly PodEvent[]): Transition {
  return toStatus({ phase: 'Running', addressed: true, containers: { ...NEW_CONTAINER, started: true, ...containers } }, events);
}
