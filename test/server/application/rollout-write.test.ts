import { describe, expect, it } from 'vitest';
import { KINDS, POLICY_REQUESTED_BY, REQUESTED_BY, ROLLED_BACK } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { InitialWorkload, RolloutStep } from '@/server/application/decide/model';
import { adoptionPatch, decideRolloutWrite } from '@/server/application/decide/rollout';
import type { Observation } from '@/server/application/observe/observe';
import { readObservedRollout } from '@/server/application/observe/observed-rollout';
import { rollbackWrite } from '@/server/application/rollback/rolled-back';
import { parseApplication } from '@/server/application/spec/parse';
import { ANNOTATION, LABEL } from '@/server/dispatch';
import { seenAfter } from './seen';
import { POLICY, planned, shop } from './staged-shop';

const ada = { user: 'ada', groups: ['ops'] };
const bounds = { minScale: 4, maxScale: 4 };
const bare = (revisionName: string) => ({ revisionName, percent: 100, latestRevision: true });
const stepTo = (revisionName: string, more: object = bounds, initial?: InitialWorkload): RolloutStep => ({
  ...(planned(seenAfter([], shop('web:1'))).rollout as Extract<RolloutStep, { kind: 'ensure' }>),
  target: { ...bare(revisionName), ...more },
  initial,
});
const deployment = (name: string, replicas?: number, metadata: object = {}): KubeObject => ({
  ...KINDS.deployment,
  metadata: { name, namespace: 'shop', uid: name, ...metadata },
  spec: replicas === undefined ? {} : { replicas },
});

interface Given {
  readonly application?: KubeObject | undefined;
  readonly rollout?: KubeObject | undefined;
  readonly workloads?: readonly KubeObject[];
  readonly requester?: typeof ada | null;
}
function write(step: RolloutStep, { application = shop('web:2'), rollout, workloads = [], requester = ada }: Given = {}) {
  const plan = { ...planned(seenAfter([], shop('web:2'))), application: parseApplication(application), rollout: step };
  const seen = { rollout: rollout && readObservedRollout(rollout, []), revisions: [] } as unknown as Observation;
  return decideRolloutWrite(plan, seen, { workloads, requester: requester ?? undefined, dropped: () => null });
}
function made(step: RolloutStep, given?: Given): KubeObject {
  const written = write(step, given);
  if (written.kind === 'none' || written.kind === 'remove') throw new Error(`it is ${written.kind}`);
  return { ...written.object, metadata: { ...written.object.metadata, uid: 'ro' } };
}
const specOf = (object: KubeObject) => object.spec as { readonly [member: string]: unknown };

describe('a rollout that an application makes', () => {
  it('[rollout 3.2] is its own, told with who asked for it, and where it goes', () => {
    expect(write(stepTo('web-v2'))).toEqual({
      kind: 'create',
      object: {
        ...KINDS.rolloutOrchestrator,
        metadata: {
          name: 'web',
          namespace: 'shop',
          labels: { [LABEL.rolloutService]: 'web', [LABEL.appName]: 'web', [LABEL.appNamespace]: 'shop', [LABEL.component]: 'web' },
          annotations: { [REQUESTED_BY.user]: 'ada' },
          ownerReferences: [{ ...KINDS.application, name: 'web', uid: 'app', controller: true, blockOwnerDeletion: true }],
        },
        spec: expect.objectContaining({ targetRevisions: [{ ...bare('web-v2'), ...bounds }], control: { scaleDownDelaySeconds: 30 } }),
      },
      started: { target: 'web-v2', sentence: 'web rolls out to web-v2, requested by ada' },
    });
    const nobodys = write(stepTo('web-v2'), { requester: null });
    expect(nobodys).toMatchObject({ started: { sentence: 'web rolls out to web-v2' } });
    expect(nobodys.kind === 'create' && nobodys.object.metadata).not.toHaveProperty('annotations');
  });

  it('[rollout 3.2] starts from what ran before, and from nothing where that is the same', () => {
    const from = (revisionName: string) =>
      specOf(made(stepTo('web-v2', bounds, { entry: { revisionName, percent: 100, ...bounds }, adopt: false })));
    expect(from('web-v1').initialRevisions).toEqual([{ revisionName: 'web-v1', percent: 100, ...bounds }]);
    expect(from('web-v2')).not.toHaveProperty('initialRevisions');
    expect(specOf(made(stepTo('web-v2')))).not.toHaveProperty('initialRevisions');
  });

  it.each<[string, object, readonly KubeObject[], object]>([
    ['of its own', { minScale: 2 }, [deployment('web-v2', 7)], { minScale: 2 }],
    ['of its own, the other way', { maxScale: 2 }, [deployment('web-v2', 7)], { maxScale: 2 }],
    ['as what runs', {}, [deployment('web-v1', 9), deployment('web-v2', 7)], { minScale: 7, maxScale: 7 }],
    ['none where nothing runs', {}, [deployment('web-v2', 0)], {}],
    ['none where nothing is told', {}, [deployment('web-v2')], {}],
    ['none where another runs', {}, [deployment('web-v1', 7)], {}],
  ])('[rollout 3.3] has bounds %s', (_what, scale, workloads, expected) => {
    expect(specOf(made(stepTo('web-v2', scale), { workloads })).targetRevisions).toEqual([{ ...bare('web-v2'), ...expected }]);
    const start = { entry: { revisionName: 'web-v2', percent: 100, ...scale }, adopt: false };
    expect(specOf(made(stepTo('web-v3', bounds, start), { workloads })).initialRevisions).toEqual([
      { revisionName: 'web-v2', percent: 100, ...expected },
    ]);
  });
});

describe('a rollout that is there', () => {
  const rollout = made(stepTo('web-v1'));

  it('[rollout 13] is not written where it is as wished, and taken away where it is not wished', () => {
    expect(write(stepTo('web-v1'), { rollout })).toEqual({ kind: 'none' });
    expect(write({ kind: 'none' }, { rollout })).toEqual({ kind: 'none' });
    expect(write({ kind: 'remove', rollout: readObservedRollout(rollout, []) }, { rollout })).toEqual({ kind: 'remove', object: rollout });
  });

  it('[rollout 4] gets another target, whoever asks for that noted anew', () => {
    const written = write(stepTo('web-v2'), { rollout, requester: { user: 'bob', groups: [] } });
    expect(written).toMatchObject({
      kind: 'update',
      object: {
        metadata: { uid: 'ro', annotations: { [REQUESTED_BY.user]: 'bob' } },
        spec: { targetRevisions: [{ ...bare('web-v2'), ...bounds }], control: { scaleDownDelaySeconds: 30 } },
      },
      started: { target: 'web-v2', sentence: 'web rolls out to web-v2 from web-v1, requested by bob' },
    });
    expect(written).not.toHaveProperty(['object', 'metadata', 'annotations', POLICY_REQUESTED_BY.user]);
    expect(write(stepTo('web-v2'), { rollout, requester: null })).toMatchObject({
      started: { sentence: 'web rolls out to web-v2 from web-v1' },
    });
  });

  it('[rollout 14.2] gets another policy under the same target, and who asked for that is noted apart', () => {
    const every = shop('web:2', [{ ...POLICY, properties: { ...POLICY.properties, control: { gates: 'every-stage' } } }]);
    const step = planned(seenAfter([], every)).rollout as Extract<RolloutStep, { kind: 'ensure' }>;
    const asked = (given: Given) => write({ ...step, target: { ...bare('web-v1'), ...bounds } }, { rollout, ...given });
    const bob = asked({ requester: { user: 'bob', groups: [] } });
    expect(bob).toMatchObject({
      kind: 'update',
      object: {
        metadata: { annotations: { [REQUESTED_BY.user]: 'ada', [POLICY_REQUESTED_BY.user]: 'bob' } },
        spec: { targetRevisions: [{ ...bare('web-v1'), ...bounds }], control: { gates: 'every-stage' } },
      },
    });
    expect(bob).not.toHaveProperty('started');
    const nobody = asked({ requester: null });
    expect(nobody.kind === 'update' && nobody.object.metadata.annotations).toEqual({ [REQUESTED_BY.user]: 'ada' });
    const both = write({ ...step, target: { ...bare('web-v2'), ...bounds } }, { rollout, requester: { user: 'bob', groups: [] } });
    expect(both).toMatchObject({
      object: { metadata: { annotations: { [REQUESTED_BY.user]: 'bob', [POLICY_REQUESTED_BY.user]: 'bob' } } },
    });
    const noted = { ...rollout, metadata: { ...rollout.metadata, annotations: { 'rollout.knative.dev/over-consumption-ratio': '5' } } };
    expect(made(stepTo('web-v1'), { rollout: noted }).metadata.annotations, 'the field says it').toEqual({
      [POLICY_REQUESTED_BY.user]: 'ada',
    });
  });

  it('[design 13 B] keeps the target that was rejected and gets the present policy', () => {
    const every = planned(
      seenAfter([], shop('web:2', [{ ...POLICY, properties: { ...POLICY.properties, control: { gates: 'every-stage' } } }])),
    ).rollout;
    const { policy } = every as Extract<RolloutStep, { kind: 'ensure' }>;
    const left = { kind: 'leave', why: 'x', isRejected: true } as const;
    const written = write({ ...left, policy }, { rollout });
    expect(written).toMatchObject({
      kind: 'update',
      object: { spec: { targetRevisions: [{ ...bare('web-v1'), ...bounds }], control: { gates: 'every-stage' } } },
    });
    expect(written).not.toHaveProperty('started');
    expect([write(left, { rollout }), write({ ...left, policy })]).toEqual([{ kind: 'none' }, { kind: 'none' }]);
  });

  it('[issue 10.2] tells that a rollback made its target, until it gets another', () => {
    const back = rollbackWrite(shop('web:2'), { decision: 'one', message: 'back' }).note?.(shop('web:2'));
    const written = made(stepTo('web-v2'), { rollout, application: back });
    expect(written.metadata.annotations).toMatchObject({ [ROLLED_BACK]: 'web-v2' });
    expect(made(stepTo('web-v3'), { rollout: written }).metadata.annotations).not.toHaveProperty([ROLLED_BACK]);
  });

  it('[issue 10.7] that stays where it was rejected stays there whatever its targets: another list would begin it anew', () => {
    const every = shop('web:2', [{ ...POLICY, properties: { ...POLICY.properties, control: { gates: 'every-stage' } } }]);
    const { policy } = planned(seenAfter([], every)).rollout as Extract<RolloutStep, { kind: 'ensure' }>;
    const from = [{ revisionName: 'web-v0', percent: 100 }];
    const spec = { ...specOf(rollout), initialRevisions: from, targetRevisions: [bare('web-v1'), bare('web-v0')] };
    const left = made({ kind: 'leave', why: 'x', isRejected: true, policy }, { rollout: { ...rollout, spec } });
    expect(specOf(left)).toEqual({ ...spec, control: expect.objectContaining({ gates: 'every-stage' }) });
    expect(left.metadata.annotations).not.toHaveProperty([ROLLED_BACK]);
    const { targetRevisions: _none, ...untargeted } = specOf(rollout);
    expect(specOf(made(stepTo('web-v2'), { rollout: { ...rollout, spec: untargeted } })).targetRevisions).toEqual([
      { ...bare('web-v2'), ...bounds },
    ]);
  });

  it('[issue 10.2] of nobody becomes the application’s, with what was asked of it dropped', () => {
    const { ownerReferences: _own, ...metadata } = rollout.metadata;
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'c', uid: 'c' };
    const free = {
      ...rollout,
      metadata: {
        ...metadata,
        labels: { mine: 'yes' },
        annotations: { [REQUESTED_BY.user]: 'eve', [REQUESTED_BY.groups]: 'ops', note: 'x' },
      },
    };
    const owner = { ...KINDS.application, name: 'web', uid: 'app', controller: true, blockOwnerDeletion: true };
    const taken = made(stepTo('web-v2'), { rollout: free });
    expect(taken.metadata).toMatchObject({ labels: { mine: 'yes', [LABEL.rolloutService]: 'web' }, ownerReferences: [owner] });
    expect(taken.metadata.annotations).toEqual({ note: 'x', [REQUESTED_BY.user]: 'ada' });
    const shared = { ...free, metadata: { ...free.metadata, ownerReferences: [other] } };
    const nobodys = made(stepTo('web-v2'), { rollout: shared, requester: null });
    expect(nobodys.metadata.ownerReferences).toEqual([other, owner]);
    expect(nobodys.metadata.annotations).toEqual({ note: 'x' });
  });
});

describe('a plain workload that a rollout starts from', () => {
  const application = parseApplication(shop('web:2'));
  const entry = { revisionName: 'web', percent: 100 };

  it('[design 13 O] gets labels and bounds, those that it has before those of the revision, else what runs', () => {
    const marks = (min: string, max: string) => ({
      metadata: {
        labels: { [LABEL.rolloutService]: 'web', [LABEL.rolloutRevision]: 'web' },
        annotations: { [ANNOTATION.minScale]: min, [ANNOTATION.maxScale]: max },
      },
    });
    expect(adoptionPatch(application, deployment('web', 6), entry)).toEqual(marks('6', '6'));
    expect(adoptionPatch(application, deployment('web'), entry)).toEqual(marks('1', '1'));
    expect(adoptionPatch(application, deployment('web', 6), { ...entry, minScale: 2, maxScale: 3 })).toEqual(marks('2', '3'));
    const own = { annotations: { [ANNOTATION.minScale]: '8', [ANNOTATION.maxScale]: '9' } };
    expect(adoptionPatch(application, deployment('web', 6, own), { ...entry, ...bounds })).toEqual(marks('8', '9'));
  });

  it('[design 13 O] is left where it is one that rollouts find already', () => {
    const labelled = (service: string, revision: string) =>
      adoptionPatch(
        application,
        deployment('web', 6, { labels: { [LABEL.rolloutService]: service, [LABEL.rolloutRevision]: revision } }),
        entry,
      );
    expect(labelled('web', 'web')).toBeUndefined();
    expect([labelled('other', 'web'), labelled('web', 'other')].every((patch) => patch !== undefined)).toBe(true);
  });
});
