import { readBoolean, readField, readFields, readNumber, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';

export const HASH_LABEL = 'pod-template-hash';
export const REVISION = 'deployment.kubernetes.io/revision';
export const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history';
export const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas';
export const MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas';

// The API's way of saying "no limit".
const UNLIMITED = 2_147_483_647;

/** What a Deployment asks for, read once. */
export interface Deployment {
  readonly object: KubeObject;
  readonly name: string;
  readonly replicas: number;
  readonly strategy: 'RollingUpdate' | 'Recreate';
  readonly maxSurge: number;
  readonly maxUnavailable: number;
  readonly minReadySeconds: number;
  readonly paused: boolean;
  readonly template: unknown;
  readonly selector: unknown;
  readonly progressDeadlineSeconds: number | undefined;
  readonly revisionHistoryLimit: number | undefined;
}

/** One ReplicaSet of a Deployment, read once. */
export interface RevisionSet {
  readonly object: KubeObject;
  readonly name: string;
  readonly uid: string;
  readonly replicas: number;
  readonly actual: number;
  readonly ready: number;
  readonly available: number;
  /** Absent until its controller has looked at it. */
  readonly terminating: number | undefined;
  readonly observed: boolean;
  readonly createdAt: string;
  readonly revision: number;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The sets of a Deployment: the one of its present template, and all others. */
export interface Revisions {
  readonly current: RevisionSet | undefined;
  readonly old: readonly RevisionSet[];
}

/** Reads a Deployment; percentages are resolved against its replicas. */
export function toDeployment(object: KubeObject): Deployment {
  const spec = readFields(object, 'spec');
  const replicas = readNumber(spec, 'replicas') ?? 1;
  const strategy = readString(spec, 'strategy', 'type') === 'Recreate' ? 'Recreate' : 'RollingUpdate';
  return {
    object,
    name: object.metadata.name ?? '',
    replicas,
    strategy,
    ...(strategy === 'RollingUpdate'
      ? fenceposts(readFields(spec, 'strategy', 'rollingUpdate'), replicas)
      : { maxSurge: 0, maxUnavailable: 0 }),
    minReadySeconds: readNumber(spec, 'minReadySeconds') ?? 0,
    paused: readBoolean(spec, 'paused') ?? false,
    template: readFields(spec, 'template'),
    selector: readFields(spec, 'selector'),
    progressDeadlineSeconds: limit(readNumber(spec, 'progressDeadlineSeconds')),
    revisionHistoryLimit: limit(readNumber(spec, 'revisionHistoryLimit')),
  };
}

/** Reads one ReplicaSet. */
export function toRevisionSet(object: KubeObject): RevisionSet {
  const annotations = object.metadata.annotations ?? {};
  const status = readFields(object, 'status');
  return {
    object,
    name: object.metadata.name ?? '',
    uid: object.metadata.uid ?? '',
    replicas: readNumber(object, 'spec', 'replicas') ?? 1,
    actual: readNumber(status, 'replicas') ?? 0,
    ready: readNumber(status, 'readyReplicas') ?? 0,
    available: readNumber(status, 'availableReplicas') ?? 0,
    terminating: readNumber(status, 'terminatingReplicas'),
    observed: (readNumber(status, 'observedGeneration') ?? 0) >= (object.metadata.generation ?? 0),
    createdAt: object.metadata.creationTimestamp ?? '',
    revision: Number.parseInt(annotations[REVISION] ?? '0', 10) || 0,
    annotations,
  };
}

/** Sum over sets. */
export function sumOf(sets: readonly RevisionSet[], member: 'replicas' | 'actual' | 'ready' | 'available'): number {
  return sets.reduce((total, set) => total + set[member], 0);
}

/** Every set, the current one last. */
export function allOf({ current, old }: Revisions): readonly RevisionSet[] {
  return current ? [...old, current] : old;
}

/** Oldest first; names break ties. */
export function byAge(a: RevisionSet, b: RevisionSet): number {
  return compareText(a.createdAt, b.createdAt) || compareText(a.name, b.name);
}

/** An absolute number or a percentage of a total, rounded as asked. */
export function scaledValue(value: unknown, total: number, round: 'up' | 'down'): number {
  if (typeof value === 'number') return value;
  const percent = typeof value === 'string' && value.endsWith('%') ? Number.parseInt(value, 10) : 0;
  const scaled = ((percent || 0) * total) / 100;
  return round === 'up' ? Math.ceil(scaled) : Math.floor(scaled);
}

// Both at nothing would never move: rounding down must not do what validation forbids to ask for.
function fenceposts(rollingUpdate: unknown, replicas: number): { maxSurge: number; maxUnavailable: number } {
  const maxSurge = scaledValue(readField(rollingUpdate, 'maxSurge'), replicas, 'up');
  const unavailable = scaledValue(readField(rollingUpdate, 'maxUnavailable'), replicas, 'down');
  return { maxSurge, maxUnavailable: Math.min(replicas, maxSurge === 0 && unavailable === 0 ? 1 : unavailable) };
}

function limit(value: number | undefined): number | undefined {
  return value === UNLIMITED ? undefined : value;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
