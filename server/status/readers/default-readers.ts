import type { StatusPolicy } from '@/lib/contract/health';
import type { KubeObject } from '@/lib/kube/object';
import { groupOf } from '@/lib/kube/object';
import type { Clock } from '@/server/platform';
import type { Awaitable } from '../awaitable';
import type { ComputeOptions, RuleMap } from '../compute';
import { compute } from '../compute';
import type { GroupKind } from '../identifier';
import { describeGroupKind } from '../identifier';
import { computeJobCompleted } from '../kinds/batch';
import type { ResourceStatus } from '../resource-status';
import { GenericStatusReader, readThenEvaluate } from './generic-reader';
import type { PodFailures } from './owner-readers';
import {
  DAEMON_SET,
  DEPLOYMENT,
  failAsPods,
  failAsReplicaSet,
  failWithPods,
  isKind,
  ownerStatusReader,
  POD,
  REPLICA_SET,
  STATEFUL_SET,
} from './owner-readers';
import type { ComputeStatus, StatusReader } from './status-reader';

export interface ReaderOptions extends ComputeOptions {
  readonly podFailures?: PodFailures;
  /** Whether a Job is current once it was taken up, or only once it has ended. */
  readonly jobs?: 'started' | 'completed';
  /** Asked before the built-in readers, in this order. */
  readonly custom?: readonly StatusReader[];
}

/** Comes before our own rule of a Job and after those of a team. */
const COMPLETED_JOBS: RuleMap = new Map([['batch/Job', computeJobCompleted]]);

export interface ReaderSet {
  /** Asked in order; the first that supports a kind reads it. */
  readonly readers: readonly StatusReader[];
  /** Reads whatever no other one does. */
  readonly fallback: StatusReader;
  /** The same readers for one round over one set of copies: each object is judged once, however many others it is a child of. */
  readonly forRound?: () => ReaderSet;
  /** Policies that are on; time goes into what some of them decide. */
  readonly policies?: readonly StatusPolicy[];
}

/** The readers of the house: deployments, owners of pods, pods, and the generic one for all else. */
export function defaultStatusReaders(clock: Pick<Clock, 'now'>, options: ReaderOptions = {}): ReaderSet {
  return { ...buildReaders(clock, options, (reader) => reader), forRound: () => buildReaders(clock, options, remembering) };
}

/** `ofChildren` finishes the readers whose objects are asked for more than once: by themselves and by each owner. */
function buildReaders(clock: Pick<Clock, 'now'>, options: ReaderOptions, ofChildren: Finish): ReaderSet {
  const { podFailures = 'strict', custom = [] } = options;
  const computeNow = computeBy(clock, options);
  const pod = ofChildren(new GenericStatusReader(computeNow, isKind(POD)));
  const podOwner = (of: GroupKind) =>
    ownerStatusReader({ of, children: POD, childReader: pod, compute: computeNow, combine: failWithPods(podFailures) });
  const replicaSet = ofChildren(podOwner(REPLICA_SET));
  const deployment = ownerStatusReader({ of: DEPLOYMENT, children: REPLICA_SET, childReader: replicaSet, compute: computeNow });
  const fallback = new GenericStatusReader(computeNow);
  return { readers: [...custom, deployment, podOwner(STATEFUL_SET), replicaSet, pod], fallback, policies: options.policies ?? [] };
}

/** The readers of the console. They differ from those of kstatus in what failed pods make of their owners, Deployments and DaemonSets included. */
export function consoleReaders(clock: Pick<Clock, 'now'>, options: ReaderOptions, ofChildren: Finish = (reader) => reader): ReaderSet {
  const computeNow = computeBy(clock, options);
  const pod = ofChildren(new GenericStatusReader(computeNow, isKind(POD)));
  const podOwner = (of: GroupKind) => ownerStatusReader({ of, children: POD, childReader: pod, compute: computeNow, combine: failAsPods });
  const replicaSet = ofChildren(podOwner(REPLICA_SET));
  const deployment = ownerStatusReader({
    of: DEPLOYMENT,
    children: REPLICA_SET,
    childReader: replicaSet,
    compute: computeNow,
    combine: failAsReplicaSet,
  });
  const fallback = new GenericStatusReader(computeNow);
  const readers = [...(options.custom ?? []), deployment, podOwner(STATEFUL_SET), podOwner(DAEMON_SET), replicaSet, pod];
  return { readers, fallback, policies: options.policies ?? [] };
}

/** Wraps a reader of children. */
type Finish = (reader: StatusReader) => StatusReader;

function computeBy(clock: Pick<Clock, 'now'>, options: ReaderOptions): ComputeStatus {
  const layers = options.jobs === 'completed' ? [...(options.layers ?? []), COMPLETED_JOBS] : options.layers;
  const computeOptions: ComputeOptions = { ...options, ...(layers ? { layers } : {}) };
  return (object) => compute(object, clock.now(), computeOptions);
}

/** A reader that judges each copy of an object once. Only for one round: time goes into some statuses. */
function remembering(reader: StatusReader): StatusReader {
  const known = new Map<KubeObject, Awaitable<ResourceStatus>>();
  const itself: StatusReader = {
    supports: (of) => reader.supports(of),
    readStatus: (signal, from, identifier) => readThenEvaluate(signal, from, identifier, itself),
    readStatusForObject(signal, from, object) {
      const held = known.get(object);
      if (held !== undefined) return held;
      const evaluated = reader.readStatusForObject(signal, from, object);
      known.set(object, evaluated);
      return evaluated;
    },
  };
  return itself;
}

/** The reader of a kind. */
export function selectReader({ readers, fallback }: ReaderSet, of: GroupKind): StatusReader {
  return readers.find((reader) => reader.supports(of)) ?? fallback;
}

/** Many readers as one. Without one that supports everything at the end, unsupported kinds are an error. */
export function delegatingReader(readers: readonly StatusReader[]): StatusReader {
  const select = (of: GroupKind) => {
    const found = readers.find((reader) => reader.supports(of));
    if (found === undefined) throw new Error(`no status reader supports this resource: ${describeGroupKind(of)}`);
    return found;
  };
  return {
    supports: (of) => readers.some((reader) => reader.supports(of)),
    readStatus: async (signal, reader, identifier) => select(identifier).readStatus(signal, reader, identifier),
    readStatusForObject: async (signal, reader, object) =>
      select({ group: groupOf(object.apiVersion), kind: object.kind }).readStatusForObject(signal, reader, object),
  };
}
