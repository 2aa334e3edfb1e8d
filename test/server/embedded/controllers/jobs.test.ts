import { expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { aTemplate, Plane, withoutTimes } from './plane';

const JOB = { apiVersion: 'batch/v1', kind: 'Job' };
const FAIL = 'sim.slipway.dev/fail';

function aJob(spec: Record<string, unknown> = {}, annotations: Record<string, string> = {}): KubeObject {
  const template = aTemplate({ labels: { 'job-name': 'load' }, annotations });
  return {
    ...JOB,
    metadata: { name: 'load', namespace: 'shop' },
    spec: {
      parallelism: 1,
      completions: 1,
      backoffLimit: 6,
      ...spec,
      template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } },
    },
  };
}

const statusOf = (plane: Plane) => withoutTimes(plane.require(JOB, 'load').status);
const condition = (type: string, reason: string, message: string) => ({ type, status: 'True', reason, message });

it('[cluster K] a Job runs to its completions and reads as recorded', async () => {
  await using plane = new Plane();
  await plane.create(aJob({ completions: 3, parallelism: 2 }));
  await plane.advance(100);
  expect(statusOf(plane)).toEqual({ active: 2, ready: 0, terminating: 0, uncountedTerminatedPods: {} });
  await plane.advance(3000);
  const words = ['CompletionsReached', 'Reached expected number of succeeded pods'] as const;
  expect(statusOf(plane)).toEqual({
    conditions: [condition('SuccessCriteriaMet', ...words), condition('Complete', ...words)],
    ready: 0,
    succeeded: 3,
    terminating: 0,
    uncountedTerminatedPods: {},
  });
  expect(plane.require(JOB, 'load').status).toMatchObject({ startTime: expect.any(String), completionTime: expect.any(String) });
  expect(plane.pods().map((pod) => pod.metadata.finalizers)).toEqual([[], [], []]);
  expect(plane.said('load')).toContain('Normal Completed: Job completed');
});

it('[cluster K] a Job that fails tries again after a growing wait, and gives up at its limit', async () => {
  await using plane = new Plane();
  await plane.create(aJob({ backoffLimit: 1 }, { [FAIL]: 'crash-loop' }));
  await plane.advance(5000);
  expect(statusOf(plane)).toMatchObject({ failed: 1 });
  expect(plane.pods()).toHaveLength(1);
  await plane.advance(10_000);
  const words = ['BackoffLimitExceeded', 'Job has reached the specified backoff limit'] as const;
  expect(statusOf(plane)).toEqual({
    conditions: [condition('FailureTarget', ...words), condition('Failed', ...words)],
    failed: 2,
    ready: 0,
    terminating: 0,
    uncountedTerminatedPods: {},
  });
});

it('[cluster K] a Job is ended at its deadline', async () => {
  await using plane = new Plane();
  await plane.create(aJob({ activeDeadlineSeconds: 2 }, { [FAIL]: 'never-ready' }));
  await plane.advance(5000);
  const words = ['DeadlineExceeded', 'Job was active longer than specified deadline'] as const;
  expect(statusOf(plane)).toMatchObject({
    conditions: [condition('FailureTarget', ...words), condition('Failed', ...words)],
    failed: 1,
    terminating: 0,
  });
  expect(plane.pods()).toEqual([]);
});

it('[cluster K] a suspended Job waits, and runs when it is resumed', async () => {
  await using plane = new Plane();
  await plane.create(aJob({ suspend: true }));
  await plane.advance(1000);
  expect(statusOf(plane)).toEqual({
    conditions: [condition('Suspended', 'JobSuspended', 'Job suspended')],
    ready: 0,
    terminating: 0,
    uncountedTerminatedPods: {},
  });
  await plane.patch(JOB, 'load', { spec: { suspend: false } });
  await plane.advance(3000);
  expect(statusOf(plane)).toMatchObject({ succeeded: 1 });
});

it('[cluster K] a finished Job goes after its time to live', async () => {
  await using plane = new Plane();
  await plane.create(aJob({ ttlSecondsAfterFinished: 60 }));
  await plane.advance(30_000);
  expect(plane.get(JOB, 'load')).toBeDefined();
  await plane.advance(60_000);
  expect(plane.get(JOB, 'load')).toBeUndefined();
  expect(plane.pods()).toEqual([]);
});
