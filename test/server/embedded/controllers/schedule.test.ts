import { expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { parseSchedule } from '@/server/embedded/controllers/batch/schedule';
import { aTemplate, Plane, POD } from './plane';

const CRON_JOB = { apiVersion: 'batch/v1', kind: 'CronJob' };
const JOB = { apiVersion: 'batch/v1', kind: 'Job' };

it.each([
  ['* * * * *', '2026-01-01T09:00:30Z', '2026-01-01T09:01:00Z'],
  ['*/15 * * * *', '2026-01-01T09:15:00Z', '2026-01-01T09:30:00Z'],
  ['30 4 * * *', '2026-01-01T09:00:00Z', '2026-01-02T04:30:00Z'],
  ['0 9 * * mon-fri', '2026-01-02T09:00:00Z', '2026-01-05T09:00:00Z'],
  ['0 0 13 * fri', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
  ['0 0 29 2 *', '2026-01-01T00:00:00Z', '2028-02-29T00:00:00Z'],
  ['5/20 1,3 * jan-mar 7', '2026-01-01T00:00:00Z', '2026-01-04T01:05:00Z'],
  ['@hourly', '2026-01-01T09:59:59Z', '2026-01-01T10:00:00Z'],
])('[cluster K] the schedule %s after %s comes at %s', (text, after, next) => {
  expect(parseSchedule(text)?.nextAfter(Date.parse(after))).toBe(Date.parse(next));
});

it.each(['', '* * * *', '60 * * * *', '* * * * * *', '*/0 * * * *', 'a * * * *', '5-1 * * * *', '1,,2 * * * *'])(
  '[cluster K] %j is no schedule',
  (text) => {
    expect(parseSchedule(text)).toBeUndefined();
  },
);

const aCronJob = (spec: Record<string, unknown> = {}, annotations: Record<string, string> = {}): KubeObject => {
  const template = aTemplate({ labels: { job: 'report' }, annotations });
  const jobSpec = { parallelism: 1, completions: 1, template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } };
  return {
    ...CRON_JOB,
    metadata: { name: 'report', namespace: 'shop' },
    spec: { schedule: '* * * * *', jobTemplate: { spec: jobSpec }, ...spec },
  };
};

it('[cluster K] a CronJob starts a Job at each minute, reads as recorded, and keeps three', async () => {
  await using plane = new Plane();
  await plane.create(aCronJob());
  await plane.advance(60_000);
  const [job] = plane.host.list(JOB);
  const minute = Math.floor(plane.host.clock.now() / 60_000);
  expect(job?.metadata).toMatchObject({
    name: `report-${minute}`,
    annotations: { 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-01-01T09:01:00Z' },
  });
  expect(plane.require(CRON_JOB, 'report').status).toMatchObject({
    active: [{ kind: 'Job', name: `report-${minute}` }],
    lastScheduleTime: '2026-01-01T09:01:00Z',
  });
  await plane.advance(5000);
  expect(plane.require(CRON_JOB, 'report').status).toEqual({
    lastScheduleTime: '2026-01-01T09:01:00Z',
    lastSuccessfulTime: expect.any(String),
  });
  await plane.advance(300_000);
  expect(plane.host.list(JOB)).toHaveLength(3);
});

it.each([
  ['Forbid', 1],
  ['Replace', 1],
  ['Allow', 3],
])('[cluster K] concurrency policy %s leaves %d Jobs running', async (concurrencyPolicy, running) => {
  await using plane = new Plane();
  await plane.create(aCronJob({ concurrencyPolicy }, { 'sim.slipway.dev/fail': 'never-ready' }));
  await plane.advance(190_000);
  expect(plane.host.list(JOB)).toHaveLength(running);
});

const CLAIM = { apiVersion: 'v1', kind: 'PersistentVolumeClaim' };
const VOLUME = { apiVersion: 'v1', kind: 'PersistentVolume' };
const aClaim = (spec: Record<string, unknown> = {}) => ({
  ...CLAIM,
  metadata: { name: 'data', namespace: 'shop', finalizers: ['kubernetes.io/pvc-protection'] },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
});
const aUser: KubeObject = {
  ...POD,
  metadata: { name: 'user', namespace: 'shop' },
  spec: { containers: [{ name: 'c', image: 'x' }], volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] },
};

it('[cluster K] a claim without class or volume stays pending, and so does its pod, in the words of the original', async () => {
  await using plane = new Plane();
  await plane.advance(10);
  await plane.create(aClaim());
  await plane.create(aUser);
  await plane.advance(1000);
  expect(plane.require(CLAIM, 'data').status).toEqual({ phase: 'Pending' });
  const message = '0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found';
  expect(plane.require(POD, 'user').status).toMatchObject({ conditions: [{ reason: 'Unschedulable', message }] });
});

it('[cluster K] a class provides a volume; pod and protection go first, then claim and volume', async () => {
  await using plane = new Plane();
  await plane.create({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'fast' },
    provisioner: 'example.com/disk',
  });
  await plane.create(aClaim({ storageClassName: 'fast' }));
  await plane.create(aUser);
  await plane.advance(1000);
  expect(plane.require(CLAIM, 'data').status).toMatchObject({
    phase: 'Bound',
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '1Gi' },
  });
  expect(plane.require(POD, 'user').status).toMatchObject({ phase: 'Running' });
  await plane.host.cluster.delete({ ...CLAIM, namespace: 'shop', name: 'data' });
  await plane.advance(1000);
  expect(plane.get(CLAIM, 'data')).toBeDefined();
  await plane.host.cluster.delete({ ...POD, namespace: 'shop', name: 'user' });
  await plane.advance(1000);
  expect([plane.get(CLAIM, 'data'), plane.host.list(VOLUME)]).toEqual([undefined, []]);
});

it('[cluster K] a claim takes the smallest volume that is large enough, which outlives it when it is retained', async () => {
  await using plane = new Plane();
  const aVolume = (name: string, storage: string) => ({
    ...VOLUME,
    metadata: { name },
    spec: { capacity: { storage }, accessModes: ['ReadWriteOnce'], persistentVolumeReclaimPolicy: 'Retain' },
  });
  for (const [name, storage] of [
    ['large', '10Gi'],
    ['small', '500Mi'],
    ['right', '2Gi'],
  ] as const)
    await plane.create(aVolume(name, storage));
  await plane.create(aClaim());
  await plane.advance(1000);
  expect(plane.require(CLAIM, 'data').spec).toMatchObject({ volumeName: 'right' });
  await plane.host.cluster.delete({ ...CLAIM, namespace: 'shop', name: 'data' });
  await plane.advance(1000);
  expect(plane.host.get(VOLUME, 'right')?.status).toMatchObject({ phase: 'Released' });
});
