import { getCondition } from '@/lib/kube/condition';
import { readField, readList, readNumber, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';

const FIELDS = [
  { kind: 'init', spec: 'initContainers', status: 'initContainerStatuses' },
  { kind: 'container', spec: 'containers', status: 'containerStatuses' },
  { kind: 'ephemeral', spec: 'ephemeralContainers', status: 'ephemeralContainerStatuses' },
] as const;

export interface NamedContainer {
  readonly name: string;
  readonly kind: (typeof FIELDS)[number]['kind'];
}

/** The containers of a pod, those that run first first. */
export function containersOf(pod: KubeObject): readonly NamedContainer[] {
  return FIELDS.flatMap(({ kind, spec }) => readList(pod, 'spec', spec).flatMap((one) => ({ name: readString(one, 'name') ?? '', kind })));
}

/** What is written of a container of a pod, and what its node reports of it; undefined where there is nothing yet. */
export function readContainer(pod: KubeObject, { name, kind }: NamedContainer): { readonly written: unknown; readonly reported: unknown } {
  const { spec, status } = FIELDS.find((one) => one.kind === kind) ?? FIELDS[1];
  const named = (one: unknown) => readString(one, 'name') === name;
  return { written: readList(pod, 'spec', spec).find(named), reported: readList(pod, 'status', status).find(named) };
}

/** How a container stands, as far as its log goes. */
export interface ContainerState {
  /** Tells its latest run from those before; undefined where it has not run yet. */
  readonly run: string | undefined;
  readonly phase: 'waiting' | 'running' | 'ended';
  readonly restarts: number;
  /** Why it waits. */
  readonly waits: string;
  /** How its latest run ended; undefined while it goes on. */
  readonly exit: string | undefined;
  /** Until when that was, as the cluster writes it. */
  readonly exitedAt: string | undefined;
  /** How the run before its latest restart ended. */
  readonly exitBefore: { readonly how: string; readonly at: string | null } | undefined;
  /** True when it will not run again. */
  readonly isOver: boolean;
}

/** Reads how a container of a pod stands. */
export function readContainerState(pod: KubeObject, named: NamedContainer): ContainerState {
  const { kind } = named;
  const { reported: status } = readContainer(pod, named);
  const running = readField(status, 'state', 'running');
  const terminated = readField(status, 'state', 'terminated');
  // While it starts anew, the node still shows the run before.
  const before = readField(status, 'lastState', 'terminated');
  const latest = running ?? terminated ?? before;
  const restarts = readNumber(status, 'restartCount') ?? 0;
  const ended = latest !== undefined && running === undefined;
  const podPhase = readString(pod, 'status', 'phase');
  return {
    // Node and cluster keep it from the start to the end of a run, and the next one begins later.
    run: latest === undefined ? undefined : (readString(latest, 'startedAt') ?? ''),
    phase: running === undefined ? (terminated === undefined ? 'waiting' : 'ended') : 'running',
    restarts,
    waits: formatWaiting(pod, status),
    exit: ended ? formatExit(latest) : undefined,
    exitedAt: ended ? readString(latest, 'finishedAt') : undefined,
    exitBefore: before === undefined ? undefined : { how: formatExit(before), at: readString(before, 'finishedAt') ?? null },
    isOver:
      podPhase === 'Succeeded' ||
      podPhase === 'Failed' ||
      (kind !== 'container' && terminated !== undefined && readNumber(terminated, 'exitCode') === 0),
  };
}

function formatWaiting(pod: KubeObject, status: unknown): string {
  const reason = readString(status, 'state', 'waiting', 'reason');
  const message = readString(status, 'state', 'waiting', 'message');
  if (reason !== undefined) return message === undefined ? reason : `${reason}: ${message}`;
  const scheduled = getCondition(pod, 'PodScheduled');
  if (scheduled?.status === 'False') return scheduled.message || 'no node accepts the pod';
  return 'not started yet';
}

function formatExit(terminated: unknown): string {
  const reason = readString(terminated, 'reason');
  const signal = readNumber(terminated, 'signal');
  const code = readNumber(terminated, 'exitCode') ?? 0;
  const why = reason === undefined || reason === 'Completed' || reason === 'Error' ? '' : `, ${reason}`;
  return signal === undefined || signal === 0 ? `exit code ${code}${why}` : `ended by signal ${signal}${why}`;
}

/** Whether a pod says that it is ready. */
export function isPodReady(pod: KubeObject): boolean {
  return getCondition(pod, 'Ready')?.status === 'True';
}
