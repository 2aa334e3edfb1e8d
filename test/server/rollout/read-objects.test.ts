import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { chooseAutoscaler, readHorizontalAutoscaler, scaledDeployment, withRange } from '@/server/rollout/horizontal-autoscaler';
import { readDirection } from '@/server/rollout/model';
import { readAutoscaler, readPod, readRollout, readWorkload, scalesOf, underTerms } from '@/server/rollout/objects';
import { anEntry } from './simulation';

const AT = '2026-01-01T09:00:00Z';
const MIN = 'autoscaling.knative.dev/min-scale';
const MAX = 'autoscaling.knative.dev/max-scale';
type Words = Readonly<Record<string, string>>;

const aDeployment = ({
  metadata = {},
  spec = {},
  status = {},
}: {
  metadata?: object;
  spec?: object;
  status?: object;
} = {}): KubeObject => ({
  ...KINDS.deployment,
  metadata: { name: 'web-v1', namespace: 'shop', ...metadata },
  spec,
  status,
});
const aScaler = (spec: object = {}, annotations?: Words, status: object = {}, name = 'web-v1'): KubeObject => ({
  ...KINDS.horizontalPodAutoscaler,
  metadata: { name, namespace: 'shop', ...(annotations ? { annotations } : {}) },
  spec: { scaleTargetRef: { ...KINDS.deployment, name: 'web-v1' }, ...spec },
  status,
});
const aRollout = (spec: object, annotations: Words = {}, status: object = {}): KubeObject => ({
  ...KINDS.rolloutOrchestrator,
  metadata: { name: 'web', namespace: 'shop', annotations },
  spec: { targetRevisions: [anEntry('web-v2', 4)], ...spec },
  status,
});

describe('[rollout 13.2] a workload as it is read', () => {
  it('asks for one replica and has none where nothing is said, and is nobody’s to judge', () => {
    expect(readWorkload(aDeployment())).toMatchObject({
      revision: 'web-v1',
      replicas: 1,
      readyReplicas: 0,
      availableReplicas: 0,
      livePods: 0,
    });
    expect(readWorkload(aDeployment())).toMatchObject({
      available: false,
      unavailableSince: undefined,
      minScale: undefined,
      maxScale: undefined,
    });
  });

  it('tells its counts, and since when it is not available', () => {
    const conditions = (status: string) => [
      { type: 'Progressing', status: 'False', lastTransitionTime: '2026-01-01T08:00:00Z' },
      { type: 'Available', status, lastTransitionTime: AT },
    ];
    const status = { replicas: 5, readyReplicas: 3, availableReplicas: 2 };
    const unwell = readWorkload(aDeployment({ spec: { replicas: 4 }, status: { ...status, conditions: conditions('False') } }));
    expect(unwell).toMatchObject({ replicas: 4, readyReplicas: 3, availableReplicas: 2, livePods: 5, available: false });
    expect(unwell.unavailableSince).toBe(Date.parse(AT));
    const well = readWorkload(aDeployment({ status: { conditions: conditions('True') } }));
    expect([well.available, well.unavailableSince]).toEqual([true, undefined]);
  });

  it.each([
    [undefined, undefined, false],
    [2, 1, false],
    [2, 2, true],
    [2, 3, true],
    [undefined, 1, true],
  ])('of generation %s, looked at up to %s, is as its controller saw it: %s', (generation, observedGeneration, observed) => {
    const workload = readWorkload(
      aDeployment({ metadata: { generation }, spec: { replicas: 4 }, status: { observedGeneration, readyReplicas: 3 } }),
    );
    expect(workload.observed).toBe(observed);
    expect(scalesOf(workload)).toEqual(observed ? { desiredScale: 4, actualScale: 3 } : undefined);
  });

  it('has the bounds of its annotations, else those that its autoscaler was made with, and no maximum where that is nought', () => {
    const bounds = (annotations?: Words, scaler?: KubeObject) => {
      const { minScale, maxScale } = readWorkload(aDeployment({ metadata: annotations ? { annotations } : {} }), scaler);
      return [minScale, maxScale];
    };
    const scaler = aScaler({ minReplicas: 2, maxReplicas: 6 });
    expect([bounds({ [MIN]: '1', [MAX]: '9' }, scaler), bounds(undefined, scaler)]).toEqual([
      [1, 9],
      [2, 6],
    ]);
    expect([bounds({ [MIN]: '0', [MAX]: '0' }), bounds({ [MIN]: '0', [MAX]: '0' }, scaler)]).toEqual([
      [0, undefined],
      [0, 6],
    ]);
  });

  it('wants what its autoscaler wants, where that scales, and nothing where it is parked', () => {
    const scaling = (status: string) =>
      aScaler({ maxReplicas: 9 }, undefined, { desiredReplicas: 7, conditions: [{ type: 'ScalingActive', status }] });
    const wanted = (replicas: number, scaler?: KubeObject) =>
      scalesOf(readWorkload(aDeployment({ spec: { replicas }, status: { observedGeneration: 1 } }), scaler))?.desiredScale;
    expect([wanted(4), wanted(4, scaling('True')), wanted(4, scaling('False')), wanted(0, scaling('True'))]).toEqual([4, 7, 4, 0]);
    expect(scalesOf(undefined)).toBeUndefined();
  });
});

describe('[rollout 13.2] an autoscaler as it is read', () => {
  it('may come to one where it names no minimum, and to its minimum where it names no maximum', () => {
    expect(readHorizontalAutoscaler(aScaler())).toMatchObject({ range: { min: 1, max: 1 }, own: { min: 1, max: 1 }, desired: undefined });
    expect(readHorizontalAutoscaler(aScaler({ minReplicas: 3 })).range).toEqual({ min: 3, max: 3 });
    expect(readHorizontalAutoscaler(aScaler({ minReplicas: 3, maxReplicas: 5 })).range).toEqual({ min: 3, max: 5 });
  });

  it('remembers what it was made with beside it, and is asked for another range with that', () => {
    const made = readHorizontalAutoscaler(aScaler({ minReplicas: 2, maxReplicas: 6, metrics: [] }, { 'a.b/c': 'kept' }));
    const parked = withRange(made, { min: 1, max: 1 });
    expect(parked).toMatchObject({ metadata: { name: 'web-v1', annotations: { 'a.b/c': 'kept', [MIN]: '2', [MAX]: '6' } } });
    expect(parked.spec).toMatchObject({ minReplicas: 1, maxReplicas: 1, metrics: [], scaleTargetRef: { name: 'web-v1' } });
    expect(readHorizontalAutoscaler(parked)).toMatchObject({ range: { min: 1, max: 1 }, own: { min: 2, max: 6 } });
    expect(readHorizontalAutoscaler(aScaler({ maxReplicas: 4 }, { [MIN]: '0', [MAX]: '0' })).own).toEqual({ min: 0, max: 4 });
  });

  it('scales a Deployment, and nothing else of that name', () => {
    const scaled = (ref: object) => scaledDeployment(aScaler({ scaleTargetRef: { ...KINDS.deployment, name: 'web-v1', ...ref } }));
    expect([scaled({}), scaled({ apiVersion: 'apps/v1beta1' })]).toEqual(['web-v1', 'web-v1']);
    expect([
      scaled({ kind: 'StatefulSet' }),
      scaled({ apiVersion: 'example.com/v1' }),
      scaledDeployment(aScaler({ scaleTargetRef: undefined })),
    ]).toEqual([undefined, undefined, undefined]);
  });

  it('is the namesake of its workload where several scale it, else the first by name that stays', () => {
    const named = (name: string, going = false): KubeObject => {
      const scaler = aScaler({}, undefined, {}, name);
      return going ? { ...scaler, metadata: { ...scaler.metadata, deletionTimestamp: AT } } : scaler;
    };
    const chosen = (...scalers: readonly KubeObject[]) => chooseAutoscaler(scalers, 'web-v1')?.metadata.name;
    expect(chosen(named('b'), named('web-v1'), named('a'))).toBe('web-v1');
    expect(chosen(named('b'), named('c'), named('a'))).toBe('a');
    expect([chosen(named('a', true), named('b')), chosen(named('web-v1', true)), chosen()]).toEqual(['b', undefined, undefined]);
  });
});

describe('[rollout 14.7] a pod as it is read', () => {
  const aPod = (metadata: object = {}, status: object = {}): KubeObject => ({ ...KINDS.pod, metadata: { name: 'a', ...metadata }, status });

  it('counts the restarts of all its containers, and is ready since its condition says so', () => {
    const containerStatuses = [{ restartCount: 2 }, { restartCount: 3 }, {}];
    expect(readPod(aPod({}, { containerStatuses })).restarts).toBe(5);
    const ready = (status: string) => {
      const conditions = [
        { type: 'Initialized', status: 'True', lastTransitionTime: '2026-01-01T08:00:00Z' },
        { type: 'Ready', status, lastTransitionTime: AT },
      ];
      return readPod(aPod({}, { conditions })).readySince;
    };
    expect([ready('True'), ready('False'), readPod(aPod()).readySince]).toEqual([Date.parse(AT), undefined, undefined]);
  });

  it('is of the revision of its label, and a replica where a ReplicaSet made it', () => {
    const madeBy = (kind: string) =>
      readPod(aPod({ ownerReferences: [{ apiVersion: 'apps/v1', kind, name: 'x', uid: '1', controller: true }] })).isReplica;
    expect([madeBy('ReplicaSet'), madeBy('Job'), readPod(aPod()).isReplica]).toEqual([true, false, false]);
    const labels = { 'serving.knative.dev/revision': 'web-v2' };
    expect([readPod(aPod({ labels })).revision, readPod(aPod()).revision]).toEqual(['web-v2', '']);
    expect(readPod(aPod({ deletionTimestamp: AT, deletionGracePeriodSeconds: 30 }))).toMatchObject({
      deletionAt: Date.parse(AT),
      gracePeriodSeconds: 30,
    });
  });
});

describe('a rollout as it is read', () => {
  const gates = { control: { gates: 'every-stage' } };

  it('[issue 9.3] has its policy in the field, else in the annotation, and one that is no JSON is a fault', () => {
    const policyOf = (spec: object, annotations?: Words) => readRollout(aRollout(spec, annotations)).policy.gates;
    const annotation = { 'slipway.dev/control': JSON.stringify({ gates: 'every-stage' }) };
    expect([policyOf(gates), policyOf({}, annotation), policyOf({ control: {} }, annotation)]).toEqual([
      'every-stage',
      'every-stage',
      policyOf({}),
    ]);
    const { fault, policy } = readRollout(aRollout({}, { 'slipway.dev/control': '{' }));
    expect(fault).toMatchObject({ field: 'metadata.annotations.slipway.dev/control', problem: expect.stringMatching(/^must be JSON: ./) });
    expect(policy.gates).toEqual(policyOf({}));
  });

  it('[issue 9.3] names the first field that cannot be read, with defaults for it', () => {
    const { fault, rollout, control } = readRollout(
      aRollout({ targetRevisions: [{ revisionName: 7 }] }, { 'slipway.dev/overlap': 'false' }, { control: { state: 'nowhere' } }),
    );
    expect([fault?.field, rollout.spec, control]).toEqual([expect.stringMatching(/^status\.control/), {}, undefined]);
    expect(readRollout(aRollout({ targetRevisions: [{ revisionName: 7 }] })).fault).toEqual({
      field: 'spec.targetRevisions[0].revisionName',
      problem: 'must be a string, found 7',
    });
    expect(readRollout(aRollout({}, {}, { stageRevisionStatus: 'all' })).fault?.field).toBe('status.stageRevisionStatus');
  });

  it('[issue 9.3] lets stages overlap unless the field says no, or the annotation where there is no field', () => {
    const overlap = (spec: object, text?: string) =>
      readRollout(aRollout(spec, text === undefined ? {} : { 'slipway.dev/overlap': text })).asked.overlap;
    expect([
      overlap({}),
      overlap({}, 'true'),
      overlap({}, 'false'),
      overlap({ overlap: false }),
      overlap({ overlap: true }, 'false'),
    ]).toEqual([true, true, false, false, true]);
  });

  it('[rollout 14.3] is paused by its spec or by its policy', () => {
    const paused = (spec: object) => readRollout(aRollout(spec)).pausedBySpec;
    expect([paused({}), paused({ paused: true }), paused({ control: { paused: true } }), paused({ paused: false })]).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it('[issue 9.3] goes by the settings of its fields, of its annotations where there are none, and by defaults', () => {
    const settings = (spec: object, annotations?: Words) => {
      const { config, fault } = readRollout(aRollout(spec, annotations));
      expect(fault).toBeUndefined();
      const { overConsumptionRatio, stageRolloutTimeoutMinutes, progressiveRolloutStrategy } = config;
      return [overConsumptionRatio, stageRolloutTimeoutMinutes, progressiveRolloutStrategy];
    };
    const annotations = { 'rollout.knative.dev/over-consumption-ratio': '30', 'rollout.knative.dev/stage-rollout-timeout-minutes': '7' };
    expect(settings({})).toEqual([10, 2, 'availability']);
    expect(settings({}, annotations)).toEqual([30, 7, 'availability']);
    expect(settings({ overConsumptionRatio: 25, stageTimeoutMinutes: 5, rolloutStrategy: 'resourceutil' }, annotations)).toEqual([
      25,
      5,
      'resourceutil',
    ]);
  });

  it('[issue 10.2] knows who asked for the policy since it waits, else who asked for the target, else nobody', () => {
    const asked = (annotations: Words) => readRollout(aRollout({}, annotations)).policyRequestedBy;
    const target = { 'slipway.dev/requested-by': 'ann' };
    expect([asked({}), asked(target), asked({ ...target, 'slipway.dev/policy-requested-by': 'ben\ncat' })]).toEqual([
      [],
      ['ann'],
      ['ben', 'cat'],
    ]);
  });

  it('[issue 10.2] under the terms that are kept goes by the stricter ratio of both', () => {
    const ro = readRollout(aRollout({ overConsumptionRatio: 50, ...gates }));
    const kept = { terms: { ratio: 20, overlap: true, control: { gates: 'every-stage' as const } } };
    const bound = underTerms(ro, kept);
    expect([ro.config.overConsumptionRatio, bound.config.overConsumptionRatio, bound.terms.ratio]).toEqual([50, 20, 20]);
    expect([bound.config.stageRolloutTimeoutMinutes, bound.loosening?.fields]).toEqual([ro.config.stageRolloutTimeoutMinutes, ['ratio']]);
  });
});

it('[rollout 2.2] a StagePodAutoscaler has its bounds and figures, and is ready where its condition says so', () => {
  const read = (status: string) =>
    readAutoscaler({
      ...KINDS.stagePodAutoscaler,
      metadata: { name: 'web-v1' },
      spec: { stageMinScale: 2, stageMaxScale: 3 },
      status: { desiredScale: 3, actualScale: 1, replicasTerminating: 2, conditions: [{ type: 'PodAutoscalerStageReady', status }] },
    });
  const figures = { desiredScale: 3, actualScale: 1, replicasTerminating: 2 };
  expect(read('True')).toEqual({ name: 'web-v1', bounds: { stageMinScale: 2, stageMaxScale: 3 }, figures, ready: true });
  expect(read('False').ready).toBe(false);
});

it.each([
  [undefined, 'up'],
  ['', 'up'],
  [' UP ', 'up'],
  ['Down', 'down'],
  [' down', 'down'],
  ['stay', 'stay'],
  ['sideways', 'stay'],
])('[rollout 1] the direction %j is read as %s', (direction, read) => {
  expect(readDirection({ revisionName: 'web-v1', ...(direction === undefined ? {} : { direction }) })).toBe(read);
});
