import { readBoolean, readFields, readList, readNumber, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { parseInstant, toInstant, toKubeTime } from '@/lib/std/instant';
import { isAlreadyExists } from '@/server/kube';
import type { ControllerHost } from '../../host';
import { ownedOf } from '../claim';
import type { EventWriter, Recorder } from '../events';
import type { RequeueAfterMs } from '../key-queue';
import { CRON_JOB, JOB } from '../kinds';
import type { Loop } from '../loop';
import { controllersOf, keyOf, startLoop } from '../loop';
import { isTerminating } from '../pod-view';
import { isNamespaceTerminating } from '../workloads/pod-control';
import { deleteExactly, toControllerReference, updateStatus } from '../writes';
import { conditionsOf, has, isOver } from './job-decide';
import { parseSchedule } from './schedule';

const SCHEDULED_AT = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

/** Starts Jobs on their schedule, keeps to the concurrency policy, and forgets old ones. */
export function startCronJobs(host: ControllerHost, events: EventWriter): Loop {
  const record = events.recorder('cronjob-controller');
  return startLoop(host, {
    name: 'cronjob',
    watches: [{ type: CRON_JOB }, { type: JOB, keysOf: controllersOf(CRON_JOB) }],
    reconcile: async (key) => {
      const cron = host.get(CRON_JOB, key);
      return cron && !isTerminating(cron) ? reconcile(host, record, cron) : undefined;
    },
  });
}

async function reconcile(host: ControllerHost, record: Recorder, cron: KubeObject): Promise<RequeueAfterMs> {
  const schedule = parseSchedule(readString(cron, 'spec', 'schedule') ?? '');
  if (!schedule) {
    record(cron, 'Warning', 'UnparseableSchedule', `unparseable schedule: ${readString(cron, 'spec', 'schedule')}`);
    return undefined;
  }
  const now = host.clock.now();
  const jobs = ownedOf(host, cron.metadata.uid ?? '', JOB);
  await trim(host, record, cron, jobs);
  const due = lastDue(cron, schedule.nextAfter, now);
  const started =
    due !== undefined && !readBoolean(cron, 'spec', 'suspend') ? await start(host, record, cron, { due, jobs, now }) : undefined;
  await writeStatus(host, cron, started ? due : undefined);
  const next = schedule.nextAfter(now);
  return next === undefined ? undefined : next - now;
}

/** The latest moment that has passed since the last start and not yet been served. */
function lastDue(cron: KubeObject, nextAfter: (instantMs: number) => number | undefined, now: Instant): Instant | undefined {
  const since = parseInstant(readString(cron, 'status', 'lastScheduleTime')) ?? parseInstant(cron.metadata.creationTimestamp) ?? now;
  const deadline = readNumber(cron, 'spec', 'startingDeadlineSeconds');
  const from = deadline === undefined ? since : Math.max(since, now - deadline * 1000);
  let due: number | undefined;
  // A cluster that was asleep for long has missed many; only the last hundred are looked through, as only the latest counts.
  let at = nextAfter(Math.max(from, now - 100 * 86_400_000));
  for (let tries = 0; at !== undefined && at <= now && tries < 200_000; tries++) {
    due = at;
    at = nextAfter(at);
  }
  return due === undefined ? undefined : toInstant(due);
}

interface Due {
  readonly due: Instant;
  readonly jobs: readonly KubeObject[];
  readonly now: Instant;
}

async function start(host: ControllerHost, record: Recorder, cron: KubeObject, { due, jobs }: Due): Promise<boolean> {
  const policy = readString(cron, 'spec', 'concurrencyPolicy') ?? 'Allow';
  const running = jobs.filter((job) => !isOver(job));
  if (policy === 'Forbid' && running.length > 0) {
    record(cron, 'Normal', 'JobAlreadyActive', 'Not starting job because prior execution is running and concurrency policy is Forbid');
    return false;
  }
  if (policy === 'Replace') for (const job of running) await remove(host, record, cron, job);
  const { name = '', namespace = '' } = cron.metadata;
  const template = readFields(cron, 'spec', 'jobTemplate');
  const { labels, annotations } = readFields(template, 'metadata') as KubeObject['metadata'];
  const metadata = {
    name: `${name.slice(0, 52)}-${Math.floor(due / 60_000)}`,
    namespace,
    ...(labels ? { labels } : {}),
    annotations: { ...annotations, [SCHEDULED_AT]: toKubeTime(due) },
    ownerReferences: [toControllerReference(cron)],
  };
  try {
    const job = await host.cluster.create({ ...JOB, metadata, spec: readFields(template, 'spec') });
    record(cron, 'Normal', 'SuccessfulCreate', `Created job ${job.metadata.name}`);
  } catch (error) {
    if (isNamespaceTerminating(error)) return false;
    if (!isAlreadyExists(error)) throw error;
  }
  return true;
}

async function remove(host: ControllerHost, record: Recorder, cron: KubeObject, job: KubeObject): Promise<void> {
  await deleteExactly(host, job);
  record(cron, 'Normal', 'SuccessfulDelete', `Deleted job ${job.metadata.name}`);
}

async function trim(host: ControllerHost, record: Recorder, cron: KubeObject, jobs: readonly KubeObject[]): Promise<void> {
  const limits = [
    ['Complete', readNumber(cron, 'spec', 'successfulJobsHistoryLimit') ?? 3],
    ['Failed', readNumber(cron, 'spec', 'failedJobsHistoryLimit') ?? 1],
  ] as const;
  for (const [type, limit] of limits) {
    const ended = jobs.filter((job) => has(conditionsOf(job), type) && !isTerminating(job));
    const byStart = [...ended].sort((a, b) =>
      (readString(a, 'status', 'startTime') ?? '') < (readString(b, 'status', 'startTime') ?? '') ? -1 : 1,
    );
    for (const job of byStart.slice(0, Math.max(0, byStart.length - limit))) await remove(host, record, cron, job);
  }
}

async function writeStatus(host: ControllerHost, cron: KubeObject, startedAt: Instant | undefined): Promise<void> {
  const latest = host.get(CRON_JOB, keyOf(cron));
  if (!latest) return;
  const jobs = ownedOf(host, cron.metadata.uid ?? '', JOB);
  const known = new Map(readList(latest, 'status', 'active').map((entry) => [readString(entry, 'uid'), entry]));
  const active = jobs.filter((job) => !isOver(job) && !isTerminating(job)).map((job) => known.get(job.metadata.uid) ?? toReference(job));
  const ends = jobs.flatMap((job) => readString(job, 'status', 'completionTime') ?? []).sort();
  const before = readFields(latest, 'status');
  const { active: _active, ...rest } = before;
  await updateStatus(host, latest, {
    ...rest,
    ...(active.length > 0 ? { active } : {}),
    ...(startedAt === undefined ? {} : { lastScheduleTime: toKubeTime(startedAt) }),
    ...(ends.length > 0 ? { lastSuccessfulTime: ends.at(-1) } : {}),
  });
}

function toReference({ apiVersion, kind, metadata: { name, namespace, uid, resourceVersion } }: KubeObject): unknown {
  return { apiVersion, kind, name, namespace, uid, resourceVersion };
}
