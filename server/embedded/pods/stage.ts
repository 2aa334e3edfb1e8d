import type { Fields } from '@/lib/kube/fields';
import { readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { ContainerLook, PodLook } from './pod-status';
import { containerStateOf } from './pod-status';
import type { Failure, Script } from './script';

/** A pod as stages see it. */
export interface PodSeen {
  readonly pod: KubeObject;
  readonly script: Script;
}

/** What a stage makes of a pod: a new look with remarks, or its end. */
export type Next = { readonly kind: 'gone' } | { readonly kind: 'looks'; readonly look: Look; readonly remarks?: readonly Remark[] };

/** Addresses are given by whoever plays the stages: a stage only says whether the pod has one from now on. */
export type Look = Omit<PodLook, 'time' | 'podIP' | 'hostIP'> & { readonly addressed: boolean };

/** An event on the pod; the message is made for each container. */
export interface Remark {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: (container: { readonly name: string; readonly image: string }, pod: KubeObject) => string;
}

/** One row of a pod's life: when it looks like this, after this delay, it becomes that. */
export interface Stage {
  readonly name: string;
  readonly when: (seen: PodSeen) => boolean;
  readonly delayMs: (seen: PodSeen) => number;
  readonly next: (seen: PodSeen, time: string) => Next;
}

/** A container that has just been made. */
export const FRESH: ContainerLook = { state: {}, ready: false, started: false, restartCount: 0 };

/** What the node says when a container starts. */
export const STARTING: readonly Remark[] = [
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
export function fails({ script }: PodSeen, kind: Failure): boolean {
  return script.failure?.kind === kind;
}

/** True when the failure is there from the start. */
export function failsAtStart(seen: PodSeen, kind: Failure): boolean {
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

/** A pod that now looks so. */
export function looks(look: Look, remarks?: readonly Remark[]): Next {
  return { kind: 'looks', look, ...(remarks ? { remarks } : {}) };
}

/** A running pod whose containers look so. */
export function runs(containers: Partial<ContainerLook>, remarks?: readonly Remark[]): Next {
  return looks({ phase: 'Running', addressed: true, containers: { ...FRESH, started: true, ...containers } }, remarks);
}
