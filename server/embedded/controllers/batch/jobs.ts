import { readBoolean, readFields, readList, readNumber, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { parseInstant, toKubeTime } from '@/lib/std/instant';
import type { ControllerHost } from '../../host';
import { ownedOf } from '../claim';
import type { EventWriter, Recorder } from '../events';
import type { RequeueAfterMs } from '../key-queue';
import { JOB, POD } from '../kinds';
import type { Loop } from '../loop';
import { controllersOf, keyOf, startLoop } from '../loop';
import { isFinished, isTerminating } from '../pod-view';
import type { PodControl } from '../workloads/pod-control';
import { createPodControl, templateOf } from '../workloads/pod-control';
import { deleteExactly, omitEmpty, updateStatus } from '../writes';
import type { JobDecision } from './job-decide';
import { conditionsOf, decideJob, finalCondition, has, isOver, TRACKING, toCounts } from './job-decide';

/** Runs Jobs to their completions, with retries and deadlines. */
export function startJobs(host: ControllerHost, events: EventWriter): Loop {
  const record = events.recorder('job-controller');
  const control = createPodControl(host, record);
  return startLoop(host, {
    name: 'job',
    watches: [{ type: JOB }, { type: POD, keysOf: controllersOf(JOB) }],
    workers: 4,
    reconcile: async (key) => {
      const job = host.get(JOB, key);
      if (!job) return undefined;
      if (isOver(job) || isTerminating(job)) return tidy(host, job);
      return run(host, { record, control }, job);
    },
  });
}

interface Tools {
  readonly record: Recorder;
  readonly control: PodControl;
}

async function run(host: ControllerHost, tools: Tools, job: KubeObject): Promise<RequeueAfterMs> {
  const pods = ownedOf(host, job.metadata.uid ?? '', POD);
  const started = await noteStart(host, job);
  const decision = decideJob({ job: started, pods, now: host.clock.now() });
  for (const pod of decision.remove) await tools.control.remove(started, pod);
  for (let made = 0; made < decision.create; made++)
    await tools.control.create(started, templateOf(started), { finalizers: [TRACKING], labels: labelsFor(started) });
  const counted = await count(host, started, decision);
  formatChanges(tools.record, started, decision);
  return (await finish(host, tools.record, counted)) ?? decision.lookAgainMs;
}

async function noteStart(host: ControllerHost, job: KubeObject): Promise<KubeObject> {
  if (readString(job, 'status', 'startTime') !== undefined || readBoolean(job, 'spec', 'suspend')) return job;
  return { ...job, status: { ...readFields(job, 'status'), startTime: toKubeTime(host.clock.now()) } };
}

// The API server labels the template; a Job that comes without is labelled here, so that its pods are found all the same.
function labelsFor(job: KubeObject): Record<string, string> {
  const { name = '', uid = '' } = job.metadata;
  return { 'batch.kubernetes.io/controller-uid': uid, 'batch.kubernetes.io/job-name': name, 'controller-uid': uid, 'job-name': name };
}

// Ends are written down by uid before the pods are let go, and counted after: a crash in between counts nothing twice.
async function count(host: ControllerHost, job: KubeObject, { ended, conditions, active }: JobDecision): Promise<KubeObject> {
  const pods = ownedOf(host, job.metadata.uid ?? '', POD);
  const uids = (list: readonly KubeObject[]) => list.map((pod) => pod.metadata.uid ?? '');
  const uncounted = omitEmpty({ succeeded: uids(ended.succeeded), failed: uids(ended.failed) });
  const base = { ...toCounts(job, pods, active), conditions };
  const stored = host.get(JOB, keyOf(job));
  if (!stored) return job;
  const noted = await updateStatus(host, stored, withoutEmpty({ ...base, uncountedTerminatedPods: uncounted }));
  for (const pod of [...ended.succeeded, ...ended.failed]) await letGo(host, pod);
  if (ended.succeeded.length + ended.failed.length === 0) return noted;
  const total = (member: 'succeeded' | 'failed') => (readNumber(noted, 'status', member) ?? 0) + ended[member].length;
  const counts = omitEmpty({ succeeded: total('succeeded'), failed: total('failed') });
  return updateStatus(host, noted, { ...readFields(noted, 'status'), ...counts, uncountedTerminatedPods: {} });
}

function withoutEmpty(status: Record<string, unknown>): Record<string, unknown> {
  const { conditions, ...rest } = status;
  return Array.isArray(conditions) && conditions.length > 0 ? status : rest;
}

async function letGo(host: ControllerHost, pod: KubeObject): Promise<void> {
  const stored = host.get(POD, keyOf(pod));
  const { finalizers = [] } = stored?.metadata ?? {};
  if (!stored || !finalizers.includes(TRACKING)) return;
  await host.cluster.update({ ...stored, metadata: { ...stored.metadata, finalizers: finalizers.filter((entry) => entry !== TRACKING) } });
}

async function finish(host: ControllerHost, record: Recorder, job: KubeObject): Promise<RequeueAfterMs> {
  const conditions = finalCondition(job, host.clock.now());
  const left = ownedOf(host, job.metadata.uid ?? '', POD).filter((pod) => !isFinished(pod));
  if (!conditions || left.length > 0) return undefined;
  const isComplete = has(conditions, 'Complete');
  const end = isComplete ? { completionTime: toKubeTime(host.clock.now()) } : {};
  const status = { ...toCounts(job, [], 0), ...end, conditions, uncountedTerminatedPods: {} };
  const last = conditions.at(-1);
  await updateStatus(host, job, status);
  if (isComplete) record(job, 'Normal', 'Completed', 'Job completed');
  else record(job, 'Warning', last?.reason ?? '', last?.message ?? '');
  return undefined;
}

function formatChanges(record: Recorder, job: KubeObject, { conditions }: JobDecision): void {
  const before = conditionsOf(job);
  for (const condition of conditions) {
    if (condition.type !== 'Suspended' || before.some((old) => old.type === 'Suspended' && old.status === condition.status)) continue;
    record(job, 'Normal', condition.status === 'True' ? 'Suspended' : 'Resumed', condition.message ?? '');
  }
}

async function tidy(host: ControllerHost, job: KubeObject): Promise<RequeueAfterMs> {
  for (const pod of ownedOf(host, job.metadata.uid ?? '', POD)) await letGo(host, pod);
  const ttl = readNumber(job, 'spec', 'ttlSecondsAfterFinished');
  if (ttl === undefined || isTerminating(job)) return undefined;
  const end = readList(job, 'status', 'conditions').findLast((condition) =>
    ['Complete', 'Failed'].includes(readString(condition, 'type') ?? ''),
  );
  const since = parseInstant(readString(end, 'lastTransitionTime'));
  if (since === undefined) return undefined;
  const left = since + ttl * 1000 - host.clock.now();
  if (left > 0) return left;
  await deleteExactly(host, job);
  return undefined;
}
