import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { parseInstant, toInstant } from '@/lib/std/instant';
import { answerPodLog } from '@/server/embedded/http/pod/log';
import { Store } from '@/server/embedded/storage/store';
import { getApiStatus } from '@/server/kube';
import { ManualClock } from '@/test/support/manual-clock';

const STARTED = '2026-01-01T09:00:00Z';
const NOW = toInstant((parseInstant(STARTED) ?? 0) + 60_000);

function aPod(state: unknown = { running: { startedAt: STARTED } }, names: readonly string[] = ['web']): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web-1', namespace: 'shop', uid: 'u' },
    spec: { containers: names.map((name) => ({ name, image: 'web:1' })) },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: names.map((name) => ({ name, image: 'web:1', state })),
    },
  };
}

function withInit(names: readonly string[] = ['web']): KubeObject {
  const pod = aPod(undefined, names);
  const state = { terminated: { exitCode: 0, reason: 'Completed', startedAt: STARTED, finishedAt: STARTED } };
  const initContainers = ['setup', 'late'].map((name) => ({ name, image: `${name}:1` }));
  const initContainerStatuses = [{ name: 'setup', image: 'setup:1', state }];
  return { ...pod, spec: { ...(pod.spec as object), initContainers }, status: { ...(pod.status as object), initContainerStatuses } };
}

const answer = (pod: KubeObject, query = '') =>
  answerPodLog(pod, new URLSearchParams(query), { store: new Store({ version: 0 }), clock: new ManualClock(NOW), watches: new Set() });
const linesOf = (query: string) => String(answer(aPod(), query).body).trimEnd().split('\n');

function refusalOf(query: string, pod = aPod()): readonly [number | undefined, string | undefined] {
  try {
    answer(pod, query);
  } catch (error) {
    const status = getApiStatus(error);
    return [status?.code, status?.message];
  }
  return [undefined, undefined];
}

describe('pods/log', () => {
  it('[cluster P5] tells how the container started and what it served, the same each time', () => {
    const first = answer(aPod());
    expect(first.body).toMatch(/^starting web from web:1\n/);
    expect(first.body).toMatch(/GET \S+ \d{3} \d+ms\n/);
    expect(answer(aPod())).toEqual(first);
  });

  it('[cluster P5] cuts to the lines that are asked for, with their times', () => {
    expect(linesOf('tailLines=2&timestamps=true')).toEqual([
      expect.stringMatching(/^2026-01-01T09:00:55\.000000000Z GET /),
      expect.stringMatching(/^2026-01-01T09:01:00\.000000000Z GET /),
    ]);
    expect(answer(aPod(), 'tailLines=0').body).toBe('');
  });

  it.each([
    ['seconds', 'sinceSeconds=5'],
    ['a time', 'sinceTime=2026-01-01T09:00:55Z'],
    ['a time of another zone', 'sinceTime=2026-01-01T10:00:55%2B01:00'],
    ['a time, which counts in whole seconds', 'sinceTime=2026-01-01T09:00:55.9Z'],
  ])('[cluster P5] begins where it is told by %s', (_how, query) => {
    const all = linesOf('timestamps=true');
    expect(linesOf(`timestamps=true&${query}`)).toEqual(all.slice(-2));
    expect(linesOf(`timestamps=true&${query}&tailLines=1`)).toEqual(all.slice(-1));
  });

  it('[cluster P5] reads no time at all as the beginning, and one to come as the end', () => {
    expect(linesOf('sinceTime=null')).toEqual(linesOf(''));
    expect(answer(aPod(), 'sinceTime=2027-01-01T00:00:00Z').body).toBe('');
  });

  it('[cluster P5] ends after so many bytes, times included, in the middle of a line', () => {
    const all = String(answer(aPod(), 'timestamps=true').body);
    for (const limit of [1, 30, 80, all.length - 1, all.length, all.length + 1]) {
      expect(answer(aPod(), `timestamps=true&limitBytes=${limit}`).body).toBe(all.slice(0, limit));
    }
  });

  it('[cluster P5] cuts no character in two, and never goes beyond the bytes', () => {
    const pod = aPod();
    const status = {
      ...(pod.status as object),
      containerStatuses: [{ name: 'web', image: 'wéb', state: { running: { startedAt: STARTED } } }],
    };
    expect(answer({ ...pod, status }, 'limitBytes=20').body).toBe('starting web from w');
    expect(answer({ ...pod, status }, 'limitBytes=21').body).toBe('starting web from wé');
  });

  it('[cluster P5] tells nothing more to a reader who has left', async () => {
    const { body } = answer(aPod(), 'follow=true');
    const lines = (body as AsyncIterable<string>)[Symbol.asyncIterator]();
    await lines.return?.();
    expect(await lines.next()).toEqual({ done: true, value: undefined });
  });

  it('[cluster P5] tells of init containers by their name, and takes the only other one without', () => {
    expect(answer(withInit(), 'container=setup').body).toBe('starting setup from setup:1\ndone\n');
    expect(answer(withInit()).body).toMatch(/^starting web from web:1\n/);
  });

  it.each([
    ['tailLines=-1', 'tailLines: Invalid value: -1: must be greater than or equal to 0'],
    ['limitBytes=0', 'limitBytes: Invalid value: 0: must be greater than 0'],
    ['sinceSeconds=0', 'sinceSeconds: Invalid value: 0: must be greater than 0'],
    ['sinceSeconds=1&sinceTime=2026-01-01T09:00:00Z', ': Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified'],
    [
      'tailLines=-1&limitBytes=0',
      '[tailLines: Invalid value: -1: must be greater than or equal to 0, limitBytes: Invalid value: 0: must be greater than 0]',
    ],
  ])('[cluster P5] refuses %s as the API server does', (query, sentence) => {
    expect(refusalOf(query)).toEqual([422, `PodLogOptions "web-1" is invalid: ${sentence}`]);
  });

  it.each([
    [
      'no container where there are several',
      withInit(['web', 'proxy']),
      '',
      'a container name must be specified for pod web-1, choose one of: [setup late web proxy]',
    ],
    ['a container that is not there', aPod(), 'container=api', 'container api is not valid for pod web-1'],
    [
      'an init container before its turn',
      withInit(),
      'container=late',
      'container "late" in pod "web-1" is waiting to start: ContainerCreating',
    ],
    [
      'one without its image',
      aPod({ waiting: { reason: 'ImagePullBackOff' } }),
      '',
      'container "web" in pod "web-1" is waiting to start: trying and failing to pull image',
    ],
    [
      'one whose image fails',
      aPod({ waiting: { reason: 'ErrImagePull' } }),
      '',
      `container "web" in pod "web-1" is waiting to start: image can't be pulled`,
    ],
    [
      'one that has not started',
      aPod({ waiting: { reason: 'ContainerCreating' } }),
      'follow=true',
      'container "web" in pod "web-1" is waiting to start: ContainerCreating',
    ],
    ['a run before there was one', aPod(), 'previous=true', 'previous terminated container "web" in pod "web-1" not found'],
    ['a number that is none', aPod(), 'tailLines=x', 'strconv.ParseInt: parsing "x": invalid syntax'],
    [
      'a time that is none',
      aPod(),
      'sinceTime=noon',
      'parsing time "noon" as "2006-01-02T15:04:05Z07:00": sinceTime must be an RFC 3339 time',
    ],
  ])('[cluster P5] refuses %s with a sentence', (_what, pod, query, sentence) => {
    expect(refusalOf(query, pod)).toEqual([400, sentence]);
  });
});
