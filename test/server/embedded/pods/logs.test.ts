import { expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { toInstant, toIso } from '@/lib/std/instant';
import { readLog } from '@/server/embedded/pods/logs';

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
const texts = (pod: KubeObject, more: object = {}) => readLog(pod, { container: 'c', now, ...more }).map(({ text }) => text);

it('[cluster P5] a serving container tells how it started and what it served, the same at every look', () => {
  const lines = texts(serving(11_000));
  expect(lines).toEqual(['starting c from nginx:1', 'listening', expect.stringMatching(/^GET \//), expect.stringMatching(/^GET \//)]);
  expect(texts(serving(11_000))).toEqual(lines);
});

it('[cluster P5] a tail of a long log costs no more than its lines', () => {
  const year = serving(365 * 86_400_000);
  const tail = readLog(year, { container: 'c', now, tailLines: 3 });
  expect(tail.map(({ at }) => now - at)).toEqual([10_000, 5000, 0]);
  expect(readLog(year, { container: 'c', now, sinceMs: 12_000 }).map(({ at }) => now - at)).toEqual([10_000, 5000, 0]);
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
    'a finished task says that it is done',
    { state: { terminated: { exitCode: 0, reason: 'Completed', startedAt: ago(900), finishedAt: ago(800) } } },
    {},
    ['starting c from nginx:1', 'done'],
  ],
])('[cluster P5] %s', (_title, container, more, lines) => {
  expect(texts(aPod(container, false), more)).toEqual(lines);
});
