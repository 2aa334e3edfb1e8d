import { expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { toInstant, toIso } from '@/lib/std/instant';
import type { LogRange } from '@/server/embedded/pods/logs';
import { firstLine, openLog } from '@/server/embedded/pods/logs';

const now = toInstant(Date.UTC(2026, 0, 1, 9, 0, 0));
const ago = (ms: number) => toIso(toInstant(now - ms));

function aPod(container: Record<string, unknown>, ready = true): KubeObject {
  const status = {
    conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
    containerStatuses: [{ name: 'c', image: 'nginx:1', ...container }],
  };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'one', namespace: 'shop', uid: 'u-1' }, status };
}

const serving = (forMs: number) => aPod({ state: { running: { startedAt: ago(forMs) } } });

function linesOf(pod: KubeObject, { previous = false, ...range }: Partial<LogRange> & { previous?: boolean } = {}) {
  const log = openLog(pod, 'c', previous);
  if (log === undefined) return [];
  const from = firstLine(log, { now, ...range });
  return Array.from({ length: Math.max(0, log.lengthAt(range.now ?? now) - from) }, (_, at) => log.lineAt(from + at));
}

const texts = (pod: KubeObject, more: object = {}) => linesOf(pod, more).map(({ text }) => text);

it('[cluster P5] a serving container tells how it started and what it served, the same at every look', () => {
  const lines = texts(serving(11_000));
  expect(lines).toEqual(['starting c from nginx:1', 'listening', expect.stringMatching(/^GET \//), expect.stringMatching(/^GET \//)]);
  expect(texts(serving(11_000))).toEqual(lines);
});

it('[cluster P5] a tail of a long log costs no more than its lines', () => {
  const year = serving(365 * 86_400_000);
  const tail = linesOf(year, { tailLines: 3 });
  expect(tail.map(({ at }) => now - at)).toEqual([10_000, 5000, 0]);
  expect(linesOf(year, { since: toInstant(now - 12_000) }).map(({ at }) => now - at)).toEqual([10_000, 5000, 0]);
});

it.each<[string, Record<string, unknown>, object, readonly string[]]>([
  ['a container that waits has written nothing', { state: { waiting: { reason: 'ContainerCreating' } } }, {}, []],
  [
    'a container that crashed says so',
    {
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: { terminated: { exitCode: 1, reason: 'Error', startedAt: ago(900), finishedAt: ago(800) } },
    },
    {},
    ['starting c from nginx:1', 'fatal: unrecoverable error, exit code 1'],
  ],
  [
    'the log before the last restart is kept',
    {
      state: { running: { startedAt: ago(100) } },
      lastState: { terminated: { exitCode: 137, reason: 'OOMKilled', startedAt: ago(900), finishedAt: ago(800) } },
    },
    { previous: true },
    ['starting c from nginx:1', 'fatal: killed, exit code 137'],
  ],
  [
    'a container that crashed after it had served still tells what it served',
    {
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: { terminated: { exitCode: 1, reason: 'Error', startedAt: ago(30_000), finishedAt: ago(19_000) } },
    },
    {},
    [
      'starting c from nginx:1',
      'listening',
      expect.stringMatching(/^GET /),
      expect.stringMatching(/^GET /),
      'fatal: unrecoverable error, exit code 1',
    ],
  ],
  [
    'a finished task says that it is done',
    { state: { terminated: { exitCode: 0, reason: 'Completed', startedAt: ago(900), finishedAt: ago(800) } } },
    {},
    ['starting c from nginx:1', 'done'],
  ],
])('[cluster P5] %s', (_title, container, more, lines) => {
  expect(texts(aPod(container, false), more)).toEqual(lines);
});

const stopping = (graceS: number): KubeObject => {
  const pod = serving(11_000);
  const metadata = { ...pod.metadata, deletionTimestamp: toIso(toInstant(now + 29_000)), deletionGracePeriodSeconds: graceS };
  return { ...pod, metadata };
};

it('[cluster P5] a container that is told to stop says so and serves no more', () => {
  const served = ['starting c from nginx:1', 'listening', expect.stringMatching(/^GET /), expect.stringMatching(/^GET /)];
  expect(texts(stopping(30))).toEqual([...served, 'received SIGTERM, shutting down']);
  expect(texts(stopping(30), { now: toInstant(now + 20_000) })).toEqual([...served, 'received SIGTERM, shutting down']);
  expect(openLog(stopping(30), 'c')?.isWhole).toBe(false);
  expect(openLog(stopping(0), 'c')?.isWhole).toBe(true);
});

it('[cluster P5] what was written does not change when time goes on or the container ends', () => {
  const running = linesOf(serving(30_000));
  expect(linesOf(serving(30_000), { now: toInstant(now + 60_000) }).slice(0, running.length)).toEqual(running);
  const ended = { state: { terminated: { exitCode: 1, reason: 'Error', startedAt: ago(30_000), finishedAt: ago(0) } } };
  const all = linesOf(aPod(ended));
  expect(all.slice(0, -1)).toEqual(running);
  expect(all.at(-1)?.text).toBe('fatal: unrecoverable error, exit code 1');
});

it('[cluster P5] a pod that is not ready answers its probes so, from when it ceased to be', () => {
  const pod = serving(20_000);
  const status = { ...(pod.status as object), conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: ago(10_000) }] };
  const refused = expect.stringMatching(/^GET \/healthz 503 /);
  expect(texts({ ...pod, status })).toEqual([
    'starting c from nginx:1',
    'listening',
    expect.not.stringMatching(/ 503 /),
    expect.not.stringMatching(/ 503 /),
    refused,
    refused,
  ]);
});

it.each([0, 500, 1000, 4999, 5000, 5001, 19_000, 30_000])(
  '[cluster P5] lines since a moment are those with such a time, %d ms after the start',
  (ms) => {
    const ended = { state: { terminated: { exitCode: 0, startedAt: ago(30_000), finishedAt: ago(11_000) } } };
    for (const pod of [serving(30_000), aPod(ended)]) {
      const since = toInstant(now - 30_000 + ms);
      expect(linesOf(pod, { since })).toEqual(linesOf(pod).filter(({ at }) => at >= since));
    }
  },
);
