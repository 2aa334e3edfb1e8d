import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { parseInstant, toInstant } from '@/lib/std/instant';
import { answerPodLog } from '@/server/embedded/http/pod-log';

const STARTED = '2026-01-01T09:00:00Z';
const NOW = toInstant((parseInstant(STARTED) ?? 0) + 60_000);

function aPod(state: unknown = { running: { startedAt: STARTED } }, names: readonly string[] = ['web']): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web-1', namespace: 'shop', uid: 'u' },
    spec: { containers: names.map((name) => ({ name, image: 'web:1' })) },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }], containerStatuses: names.map((name) => ({ name, image: 'web:1', state })) },
  };
}

describe('pods/log', () => {
  it('[cluster P5] tells how the container started and what it served, the same each time', () => {
    const first = answerPodLog(aPod(), new URLSearchParams(), NOW);
    expect(first.body).toMatch(/^starting web from web:1\n/);
    expect(first.body).toMatch(/GET \S+ \d{3} \d+ms\n/);
    expect(answerPodLog(aPod(), new URLSearchParams(), NOW)).toEqual(first);
  });

  it('[cluster P5] cuts to the lines that are asked for, with their times', () => {
    const { body } = answerPodLog(aPod(), new URLSearchParams('tailLines=2&timestamps=true'), NOW);
    expect(String(body).trimEnd().split('\n')).toEqual([expect.stringMatching(/^2026-01-01T09:00:55/), expect.stringMatching(/^2026-01-01T09:01:00/)]);
  });

  it.each([
    [
      'no container where there are several',
      aPod(undefined, ['web', 'proxy']),
      '',
      'a container name must be specified for pod web-1, choose one of: [web proxy]',
    ],
    ['a container that is not there', aPod(), 'container=api', 'container api is not valid for pod web-1'],
    ['one that has not started', aPod({ waiting: { reason: 'ImagePullBackOff' } }), '', 'container "web" in pod "web-1" is waiting to start: ImagePullBackOff'],
    ['a run before there was one', aPod(), 'previous=true', 'previous terminated container "web" in pod "web-1" not found'],
    ['a number that is none', aPod(), 'tailLines=x', 'tailLines wants a whole number, found "x"'],
  ])('[cluster P5] refuses %s with a sentence', (_what, pod, query, sentence) => {
    expect(() => answerPodLog(pod, new URLSearchParams(query), NOW)).toThrow(sentence);
  });
});
