import { messageOf } from '@/lib/contract/app-error';
import type { Fields } from '@/lib/kube/fields';
import { readFields, readList, readNumber, readString } from '@/lib/kube/fields';
import type { KubeObject, ObjectAddress, ObjectKey } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { toKubeTime } from '@/lib/std/instant';
import { isNoMatch, isNotFound } from '@/server/kube';
import type { ControllerHost } from '../../host';
import type { EventWriter, Recorder } from '../events';
import { HORIZONTAL_POD_AUTOSCALER } from '../kinds';
import type { Loop } from '../loop';
import { follow, startLoop } from '../loop';
import type { WrittenCondition } from '../writes';
import { omitEmpty, updateStatus } from '../writes';
import type { Finding, ScaleDecision } from './decide';
import { decideScale } from './decide';
import { findLoad, readCpu } from './load';

const SYNC_MS = 15_000;
const DOWN_WINDOW_SECONDS = 300;

interface Proposal {
  readonly at: Instant;
  readonly replicas: number;
}

/** Sizes workloads by HorizontalPodAutoscalers, each looked at every 15 s. */
export function startAutoscalers(host: ControllerHost, events: EventWriter): Loop {
  const record = events.recorder('horizontal-pod-autoscaler');
  const proposals = new Map<ObjectKey, readonly Proposal[]>();
  const loop = startLoop(host, {
    name: 'horizontal-pod-autoscaler',
    watches: [],
    reconcile: async (key) => {
      const autoscaler = host.get(HORIZONTAL_POD_AUTOSCALER, key);
      if (!autoscaler) {
        proposals.delete(key);
        return undefined;
      }
      proposals.set(key, await sync(host, { autoscaler, record, recent: proposals.get(key) ?? [] }));
      return SYNC_MS;
    },
  });
  // As in the original a new or changed autoscaler waits its turn of 15 s like any other.
  const release = follow(host, HORIZONTAL_POD_AUTOSCALER, ({ key }) => loop.addAfter(key, SYNC_MS));
  return {
    ...loop,
    async [Symbol.asyncDispose]() {
      release();
      await loop[Symbol.asyncDispose]();
    },
  };
}

interface Pass {
  readonly autoscaler: KubeObject;
  readonly record: Recorder;
  readonly recent: readonly Proposal[];
}

async function sync(host: ControllerHost, { autoscaler, record, recent }: Pass): Promise<readonly Proposal[]> {
  const now = host.clock.now();
  const at = targetOf(autoscaler);
  const scale = await readScale(host, at);
  if (typeof scale === 'string') {
    record(autoscaler, 'Warning', 'FailedGetScale', scale);
    const message = `the HPA controller was unable to get the target's current scale: ${scale}`;
    await write(host, autoscaler, { findings: [{ type: 'AbleToScale', status: 'False', reason: 'FailedGetScale', message }] });
    return recent;
  }
  const current = readNumber(scale, 'spec', 'replicas') ?? 0;
  const reading = readMetrics(host, autoscaler, current);
  const decision = decideScale({
    current,
    min: readNumber(autoscaler, 'spec', 'minReplicas') ?? 1,
    max: readNumber(autoscaler, 'spec', 'maxReplicas') ?? 1,
    proposed: reading && { replicas: reading.proposed, metric: reading.name },
    recent,
    now,
    downWindowMs: 1000 * (readNumber(autoscaler, 'spec', 'behavior', 'scaleDown', 'stabilizationWindowSeconds') ?? DOWN_WINDOW_SECONDS),
  });
  await apply(host, { autoscaler, record, decision, at, current, metrics: reading ? [reading.status] : undefined });
  return reading ? [...recent.filter((proposal) => proposal.at > now - 3_600_000), { at: now, replicas: reading.proposed }] : recent;
}

interface Applied {
  readonly autoscaler: KubeObject;
  readonly record: Recorder;
  readonly decision: ScaleDecision;
  readonly at: ObjectAddress;
  readonly current: number;
  readonly metrics: readonly unknown[] | undefined;
}

async function apply(host: ControllerHost, { autoscaler, record, decision, at, current, metrics }: Applied): Promise<void> {
  const { desired, reason, findings, unreadable } = decision;
  if (unreadable) {
    const failure = findings.at(-1)?.message.replace('the HPA was unable to compute the replica count: ', '') ?? '';
    record(autoscaler, 'Warning', 'FailedGetResourceMetric', failure);
    const known = readNumber(autoscaler, 'status', 'desiredReplicas') ?? 0;
    // As in the original every metric that could not be read is there, and blank.
    const blank = readList(autoscaler, 'spec', 'metrics').map(() => ({ type: '' }));
    await write(host, autoscaler, { findings, counts: { currentReplicas: current, desiredReplicas: known }, metrics: blank });
    return;
  }
  if (desired === current) {
    await write(host, autoscaler, { findings, counts: { currentReplicas: current, desiredReplicas: current }, metrics });
    return;
  }
  await host.cluster.patch(at, { type: 'merge', body: { spec: { replicas: desired } } }, { subresource: 'scale' });
  record(autoscaler, 'Normal', 'SuccessfulRescale', `New size: ${desired}; reason: ${reason}`);
  const message = `the HPA controller was able to update the target scale to ${desired}`;
  const rescaled: Finding = { type: 'AbleToScale', status: 'True', reason: 'SucceededRescale', message };
  const counts = { currentReplicas: current, desiredReplicas: desired, lastScaleTime: toKubeTime(host.clock.now()) };
  await write(host, autoscaler, { findings: [...findings, rescaled], counts, metrics });
}

function readMetrics(host: ControllerHost, autoscaler: KubeObject, current: number) {
  const at = targetOf(autoscaler);
  const target = host.get(at, toObjectKey(at));
  const load = target && findLoad(host, target);
  const readings = load ? readList(autoscaler, 'spec', 'metrics').flatMap((metric) => readCpu(metric, load, current) ?? []) : [];
  return readings.sort((a, b) => b.proposed - a.proposed)[0];
}

function targetOf(autoscaler: KubeObject): ObjectAddress {
  const reference = readFields(autoscaler, 'spec', 'scaleTargetRef');
  return {
    apiVersion: readString(reference, 'apiVersion') ?? '',
    kind: readString(reference, 'kind') ?? '',
    namespace: autoscaler.metadata.namespace ?? '',
    name: readString(reference, 'name') ?? '',
  };
}

async function readScale(host: ControllerHost, at: ObjectAddress): Promise<KubeObject | string> {
  try {
    return await host.cluster.get(at, { subresource: 'scale' });
  } catch (error) {
    if (isNotFound(error) || isNoMatch(error)) return messageOf(error);
    throw error;
  }
}

interface Written {
  readonly findings: readonly Finding[];
  readonly counts?: Fields;
  readonly metrics?: readonly unknown[] | undefined;
}

async function write(host: ControllerHost, autoscaler: KubeObject, { findings, counts = {}, metrics }: Written): Promise<void> {
  const before = readFields(autoscaler, 'status');
  const time = toKubeTime(host.clock.now());
  let conditions = readList(before, 'conditions') as readonly WrittenCondition[];
  for (const finding of findings) conditions = put(conditions, finding, time);
  const { currentMetrics: _old, currentReplicas, desiredReplicas = 0, ...rest } = { ...before, ...counts } as Record<string, unknown>;
  const status = { ...rest, ...omitEmpty({ currentReplicas }), currentMetrics: metrics ?? null, desiredReplicas, conditions };
  await updateStatus(host, autoscaler, status);
}

// Here reason and message follow every time, and a condition keeps its place.
function put(conditions: readonly WrittenCondition[], finding: Finding, time: string): readonly WrittenCondition[] {
  const current = conditions.find((condition) => condition.type === finding.type);
  const lastTransitionTime = current?.status === finding.status ? (current.lastTransitionTime ?? time) : time;
  const next = { ...finding, lastTransitionTime };
  return current ? conditions.map((condition) => (condition === current ? next : condition)) : [...conditions, next];
}
