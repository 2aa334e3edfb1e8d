import { readField, readList, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { parseInstant, toInstant } from '@/lib/std/instant';
import { isReady } from '../controllers/pod-view';

/** One line of a container's log. */
export interface LogLine {
  readonly at: Instant;
  readonly text: string;
}

/** Which part of a log is asked for. */
export interface LogRange {
  readonly container: string;
  readonly now: Instant;
  readonly sinceMs?: number;
  readonly tailLines?: number;
  /** The log of the container before its last restart. */
  readonly previous?: boolean;
}

const EVERY_MS = 5000;
const PATHS = ['/', '/healthz', '/api/orders', '/api/carts', '/assets/app.js', '/login'];

/**
 * What a simulated container has written: how it started, a request every few seconds while it serves, how it ended.
 * The same pod and moment give the same lines; only the part that is asked for is made, however long the pod has run.
 */
export function readLog(pod: KubeObject, range: LogRange): readonly LogLine[] {
  const status = readList(pod, 'status', 'containerStatuses').find((entry) => readString(entry, 'name') === range.container);
  const state = readField(status, range.previous ? 'lastState' : 'state');
  const last = readField(state, 'terminated') ?? (range.previous ? undefined : readField(status, 'lastState', 'terminated'));
  const startedAt = parseInstant(readString(state, 'running', 'startedAt') ?? readString(last, 'startedAt'));
  if (startedAt === undefined) return [];
  const image = readString(status, 'image') ?? '';
  const opening = [line(startedAt, `starting ${range.container} from ${image}`)];
  const ending = readField(state, 'running') === undefined ? endOf(last) : [];
  const serves = ending.length === 0 && isReady(pod);
  const first = Math.max(0, Math.ceil(((range.sinceMs === undefined ? startedAt : range.now - range.sinceMs) - startedAt) / EVERY_MS));
  const count = serves ? Math.floor((range.now - startedAt) / EVERY_MS) : 0;
  const from = Math.max(0, first - 1, range.tailLines === undefined ? 0 : count - range.tailLines);
  const requests = Array.from({ length: Math.max(0, count - from) }, (_, at) => requestAt(pod, startedAt, from + at + 1));
  if (serves) opening.push(line(startedAt, 'listening'));
  const all = [...opening, ...requests, ...ending].filter(({ at }) => range.sinceMs === undefined || at >= range.now - range.sinceMs);
  return range.tailLines === undefined ? all : all.slice(Math.max(0, all.length - range.tailLines));
}

function endOf(terminated: unknown): readonly LogLine[] {
  const at = parseInstant(readString(terminated, 'finishedAt'));
  if (at === undefined) return [];
  const code = readField(terminated, 'exitCode');
  return [
    line(at, code === 0 ? 'done' : `fatal: ${readString(terminated, 'reason') === 'OOMKilled' ? 'killed' : 'unrecoverable error'}, exit code ${String(code)}`),
  ];
}

function requestAt(pod: KubeObject, startedAt: Instant, number: number): LogLine {
  const dice = hash(`${pod.metadata.uid}/${number}`);
  const path = PATHS[dice % PATHS.length] ?? '/';
  return line(toInstant(startedAt + number * EVERY_MS), `GET ${path} ${dice % 97 === 0 ? 404 : 200} ${(dice % 40) + 1}ms`);
}

function line(at: Instant, text: string): LogLine {
  return { at, text };
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value >>> 4;
}
