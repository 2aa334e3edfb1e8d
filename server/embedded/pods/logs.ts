import { getCondition } from '@/lib/kube/condition';
import { readField, readList, readNumber, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { parseInstant, toInstant } from '@/lib/std/instant';

/** One line of a container's log. */
export interface LogLine {
  readonly at: Instant;
  readonly text: string;
}

/** Where the part of a log begins that is asked for. */
export interface LogRange {
  readonly now: Instant;
  readonly since?: Instant | undefined;
  readonly tailLines?: number | undefined;
}

/** One run of a container. */
interface Run {
  readonly startedAt: Instant;
  /** From when on it writes only its last line. */
  readonly until: Instant | undefined;
  readonly last: LogLine | undefined;
  readonly isWhole: boolean;
  readonly startsWith: string;
  /** What tells the lines of this run from those of others. */
  readonly seed: string;
  readonly isReadyAt: (at: Instant) => boolean;
}

const LISTENS_AFTER_MS = 1000;
const EVERY_MS = 5000;
const PATHS = ['/', '/healthz', '/api/orders', '/api/carts', '/assets/app.js', '/login'];

/**
 * What a simulated container writes in one run: how it started, a request every few seconds, how it ended.
 *
 * 1. Each line has a number and a time that never change, so a log that is followed says what one that is read later says.
 * 2. A line is made when it is asked for, however long the container has run before it.
 */
export class ContainerLog {
  readonly #run: Run;

  constructor(run: Run) {
    this.#run = run;
  }

  /** When the run began, which tells it from the runs before and after. */
  get startedAt(): Instant {
    return this.#run.startedAt;
  }

  /** True when the run is over: nothing more will be written. */
  get isWhole(): boolean {
    return this.#run.isWhole;
  }

  /** How many lines there are at a moment. */
  lengthAt(now: Instant): number {
    const { until = now, last, startedAt } = this.#run;
    return linesAfter(Math.min(now, until) - startedAt) + (last !== undefined && last.at <= now ? 1 : 0);
  }

  /** The line of a number, the first being 0. */
  lineAt(number: number): LogLine {
    const { last, startedAt, startsWith } = this.#run;
    if (last !== undefined && number >= this.#beforeLast()) return last;
    const at = toInstant(startedAt + delayOf(number));
    if (number === 0) return { at, text: startsWith };
    return { at, text: number === 1 ? 'listening' : this.#request(number, at) };
  }

  /** When the line of a number will be written; undefined once the container writes no more by itself. */
  dueAt(number: number): Instant | undefined {
    return this.#run.until === undefined ? toInstant(this.#run.startedAt + delayOf(number)) : undefined;
  }

  /** Number of the first line that was not written before a moment. */
  firstSince(since: Instant): number {
    const elapsed = since - this.#run.startedAt;
    const number = elapsed <= 0 ? 0 : elapsed <= LISTENS_AFTER_MS ? 1 : 1 + Math.ceil(elapsed / EVERY_MS);
    const { last } = this.#run;
    if (last === undefined || number < this.#beforeLast()) return number;
    return this.#beforeLast() + (last.at < since ? 1 : 0);
  }

  #beforeLast(): number {
    const { until = this.#run.startedAt, startedAt } = this.#run;
    return linesAfter(until - startedAt);
  }

  #request(number: number, at: Instant): string {
    const dice = hash(`${this.#run.seed}/${number - 1}`);
    const took = `${(dice % 40) + 1}ms`;
    if (!this.#run.isReadyAt(at)) return `GET /healthz 503 ${took}`;
    return `GET ${PATHS[dice % PATHS.length] ?? '/'} ${dice % 97 === 0 ? 404 : 200} ${took}`;
  }
}

/** Number of the first line that is asked for. */
export function firstLine(log: ContainerLog, { now, since, tailLines }: LogRange): number {
  const bySince = since === undefined ? 0 : log.firstSince(since);
  return Math.max(bySince, tailLines === undefined ? 0 : log.lengthAt(now) - tailLines);
}

/** Status of a container by its name, an init container's too. */
export function statusOf(pod: KubeObject, container: string): unknown {
  const all = ['containerStatuses', 'initContainerStatuses'].flatMap((field) => readList(pod, 'status', field));
  return all.find((entry) => readString(entry, 'name') === container);
}

// The node's word that nothing of the pod runs any more, while finalizers keep the object.
function isStopped({ metadata: { deletionTimestamp, deletionGracePeriodSeconds } }: KubeObject): boolean {
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0;
}

/** The log of a container's run, or of the one before its last restart; undefined where it has not run. */
export function openLog(pod: KubeObject, container: string, previous = false): ContainerLog | undefined {
  const status = statusOf(pod, container);
  const state = readField(status, previous ? 'lastState' : 'state');
  const ended = readField(state, 'terminated') ?? (previous ? undefined : readField(status, 'lastState', 'terminated'));
  const running = readField(state, 'running');
  const startedAt = parseInstant(readString(running ?? ended, 'startedAt'));
  if (startedAt === undefined) return undefined;
  const last = running === undefined ? exitOf(ended) : stopOf(pod);
  return new ContainerLog({
    startedAt,
    until: last?.at,
    last,
    isWhole: running === undefined || isStopped(pod),
    startsWith: `starting ${container} from ${readString(status, 'image') ?? ''}`,
    seed: pod.metadata.uid ?? '',
    isReadyAt: previous || !isMain(pod, container) ? () => true : readinessOf(pod),
  });
}

function exitOf(ended: unknown): LogLine | undefined {
  const at = parseInstant(readString(ended, 'finishedAt'));
  if (at === undefined) return undefined;
  const code = readNumber(ended, 'exitCode') ?? 0;
  const why = readString(ended, 'reason') === 'OOMKilled' ? 'killed' : 'unrecoverable error';
  return { at, text: code === 0 ? 'done' : `fatal: ${why}, exit code ${code}` };
}

// A pod that goes is told to when its grace begins; the time in the object is when that ends.
function stopOf({ metadata: { deletionTimestamp, deletionGracePeriodSeconds = 0 } }: KubeObject): LogLine | undefined {
  const end = parseInstant(deletionTimestamp);
  if (end === undefined) return undefined;
  return { at: toInstant(end - deletionGracePeriodSeconds * 1000), text: 'received SIGTERM, shutting down' };
}

function isMain(pod: KubeObject, container: string): boolean {
  return readList(pod, 'spec', 'initContainers').every((entry) => readString(entry, 'name') !== container);
}

// The condition knows its last turn only: before that the pod was what it is not now.
function readinessOf(pod: KubeObject): (at: Instant) => boolean {
  const condition = getCondition(pod, 'Ready');
  const turned = parseInstant(condition?.lastTransitionTime);
  if (condition?.status === 'True') return (at) => turned === undefined || at >= turned;
  return (at) => turned !== undefined && at <= turned;
}

function linesAfter(elapsedMs: number): number {
  if (elapsedMs < 0) return 0;
  return elapsedMs < LISTENS_AFTER_MS ? 1 : 2 + Math.floor(elapsedMs / EVERY_MS);
}

function delayOf(number: number): number {
  return number === 1 ? LISTENS_AFTER_MS : Math.max(0, number - 1) * EVERY_MS;
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value >>> 4;
}
