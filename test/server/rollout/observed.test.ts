import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toInstant } from '@/lib/std/instant';
import { readAutoscaler, readRollout } from '@/server/rollout/objects';
import {
  assemble,
  observe,
  podsAmong,
  podsOf,
  readDecisionSpec,
  revisionOfPod,
  revisionsOfRollout,
  rolloutOfAutoscaler,
  rolloutOfDecision,
  rolloutsOfRevision,
  toPending,
} from '@/server/rollout/observe';
import type { Metadata } from './observed-scene';
import { aDecision, aMirror, an, aPod, aRollout, aWorkload, key, READY_AT, REVISION, SERVICE, storesWith } from './observed-scene';
import { anEntry, aSimulation } from './simulation';

const NOW = toInstant(Date.UTC(2026, 0, 1, 9, 0, 30));
const well = { of: () => ({ status: 'Current' }) } as never;
const look = (...objects: readonly KubeObject[]) => observe({ ...storesWith(...objects), status: well }, key('web'), NOW);

describe('[issue 9.3] what a rollout is judged by', () => {
  it('is nothing where it is gone or going', () => {
    expect([look(), look(aRollout({}, { deletionTimestamp: READY_AT }))]).toEqual([null, null]);
  });

  it('is every workload that it names anywhere, came from, can go back to, or has a StagePodAutoscaler for', () => {
    const simulation = aSimulation(4);
    simulation.settle();
    const control = { ...simulation.stored, attempt: { ...(simulation.stored as { attempt: object }).attempt, stable: [anEntry('e', 1)] } };
    const spec = { initialRevisions: [anEntry('a', 1)], targetRevisions: [anEntry('b', 1)], stageTargetRevisions: [anEntry('c', 1)] };
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const seen = look(
      aRollout(spec, {}, { control, stageRevisionStatus: [anEntry('d', 1)] }),
      ...[...names, 'g'].map((name) => aWorkload(name, 1)),
      aMirror('f'),
      aMirror('g', 'other'),
    );
    expect([...(seen?.view.workloads.keys() ?? [])].sort()).toEqual(names);
    expect(seen?.view.autoscalers.map(({ name }) => name)).toEqual(['f']);
    expect(look(aRollout(), aWorkload('web-v1', 1))?.view.workloads.size).toBe(0);
  });

  it('is what the computed status says of workloads that have failed, and of them alone', () => {
    const failed = {
      of: ({ metadata }: KubeObject) =>
        metadata.name === 'web-v2' ? { status: 'Failed', message: 'no image' } : { status: 'Current', message: 'fine' },
    };
    const stores = storesWith(aRollout({ initialRevisions: [anEntry('web-v1', 4)] }), aWorkload('web-v1', 4), aWorkload('web-v2', 0));
    const workloads = observe({ ...stores, status: failed as never }, key('web'), NOW)?.view.workloads;
    expect([workloads?.get('web-v1')?.failure, workloads?.get('web-v2')?.failure]).toEqual([
      undefined,
      expect.stringContaining('no image'),
    ]);
  });

  it('is what scales its workloads by load', () => {
    const scaler = (name: string, of: string, metadata: Metadata = {}) =>
      an(KINDS.horizontalPodAutoscaler, name, { maxReplicas: 5, scaleTargetRef: { ...KINDS.deployment, name: of } }, metadata);
    const others = [
      an(KINDS.horizontalPodAutoscaler, 'of-a-set', { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web-v2' } }),
      scaler('b', 'web-v1'),
      scaler('web-v2', 'web-v2', { namespace: 'other' }),
    ];
    const chosen = (...scalers: readonly KubeObject[]) =>
      look(aRollout(), aWorkload('web-v2', 1), ...others, ...scalers)?.view.workloads.get('web-v2')?.autoscaler?.name;
    const named = look(aRollout({ targetRevisions: [anEntry('undefined', 1)] }), aWorkload('undefined', 1), ...others);
    expect(named?.view.workloads.get('undefined')?.autoscaler).toBeUndefined();
    expect([chosen(), chosen(scaler('a', 'web-v2')), chosen(scaler('a', 'web-v2'), scaler('web-v2', 'web-v2'))]).toEqual([
      undefined,
      'a',
      'web-v2',
    ]);
  });

  it('is decisions about it that nobody has judged', () => {
    const seen = look(
      aRollout(),
      aDecision('mine'),
      aDecision('judged', {}, { phase: 'Rejected' }),
      aDecision('of-none', { rolloutRef: undefined, applicationRef: { name: 'store', uid: '1' } }),
      aDecision('of-another', { rolloutRef: { name: 'other', uid: 'uid-other' } }),
      { ...aDecision('elsewhere'), metadata: { name: 'elsewhere', namespace: 'other' } },
    );
    expect(seen?.decisions.map(({ name }) => name)).toEqual(['mine']);
  });
});

describe('[issue 10.2] a revision that another rollout scales', () => {
  const taken = (...mirrors: readonly KubeObject[]) => look(aRollout(), aWorkload('web-v2', 1), ...mirrors)?.view.taken;

  it('is taken, by its owner, else by its label, else by nobody known', () => {
    const owner = { ...KINDS.rolloutOrchestrator, name: 'owner', uid: '2', controller: true };
    expect(taken(aMirror('web-v2', 'other', { ownerReferences: [owner] }))).toEqual({ revision: 'web-v2', by: 'owner' });
    expect(taken(aMirror('web-v2', 'other'))).toEqual({ revision: 'web-v2', by: 'other' });
    expect(taken(an(KINDS.stagePodAutoscaler, 'web-v2'))).toEqual({ revision: 'web-v2', by: null });
  });

  it('is free where the StagePodAutoscaler is its own, or lies in another namespace', () => {
    expect([taken(), taken(aMirror('web-v2')), taken(aMirror('web-v2', 'other', { namespace: 'other' }))]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('is one whose workload another rollout has that is there', () => {
    const held = aWorkload('web-v2', 1, { labels: { [SERVICE]: 'other' } });
    expect(look(aRollout(), held)?.view.taken).toBeUndefined();
    expect(look(aRollout(), held, { ...aRollout(), metadata: { name: 'other', namespace: 'shop' } })?.view.taken).toMatchObject({
      by: 'other',
    });
  });
});

describe('[issue 9.3] pods of a revision', () => {
  const adopted = aWorkload('web-v1', 1, { labelled: false, selector: { app: 'web', track: 'stable' } });
  const selected = { app: 'web', track: 'stable' };

  it('are those of its label, and of its selector where its workload was adopted as it was', () => {
    const stores = storesWith(
      adopted,
      aWorkload('web-v2', 1),
      aPod('labelled', { [REVISION]: 'web-v2' }),
      aPod('selected', selected),
      aPod('half', { app: 'web' }),
      aPod('both', { ...selected, [REVISION]: 'web-v2' }),
      aPod('elsewhere', selected, { namespace: 'other' }),
    );
    const names = (revision: string) => podsOf(stores, key(revision)).map((pod) => `${pod.name} of ${pod.revision}`);
    expect([names('web-v2'), names('web-v1'), names('web-v9')]).toEqual([
      ['labelled of web-v2', 'both of web-v2'],
      ['selected of web-v1'],
      [],
    ]);
    const of = (name: string) => revisionOfPod(stores, stores.pods.get(key(name)) ?? aPod('none', {}));
    expect([of('labelled'), of('selected'), of('half'), of('both')]).toEqual([[key('web-v2')], [key('web-v1')], [], [key('web-v2')]]);
  });

  it('are none by an empty selector, nor by that of a workload that belongs to no rollout', () => {
    const pod = aPod('selected', selected);
    for (const workload of [
      aWorkload('web-v1', 1, { labelled: false, selector: {} }),
      aWorkload('web-v1', 1, { labelled: false, selector: selected, labels: {} }),
      aWorkload('web-v1', 1, { selector: selected }),
    ]) {
      const bare = aPod('bare', undefined);
      const stores = storesWith(workload, pod, bare, aWorkload('none', 1, { labels: undefined as never }));
      expect([podsOf(stores, key('web-v1')), revisionOfPod(stores, pod), podsAmong([pod, bare], [workload])]).toEqual([[], [], []]);
    }
  });

  it('are those that the expressions of its selector match as well', () => {
    const matchExpressions = [{ key: 'track', operator: 'NotIn', values: ['canary'] }];
    const workload = { ...adopted, spec: { ...(adopted.spec as object), selector: { matchLabels: { app: 'web' }, matchExpressions } } };
    const stores = storesWith(workload, aPod('selected', selected), aPod('canary', { app: 'web', track: 'canary' }));
    expect(podsOf(stores, key('web-v1')).map(({ name }) => name)).toEqual(['selected']);
  });

  it('are told apart among others alike', () => {
    const pods = [
      aPod('a', { [REVISION]: 'web-v2' }),
      aPod('b', selected),
      aPod('c', { [REVISION]: 'web-v9' }),
      aPod('d', { app: 'other' }),
      aPod('e', undefined),
    ];
    expect(podsAmong(pods, [adopted, aWorkload('web-v2', 1)]).map((pod) => `${pod.name} of ${pod.revision}`)).toEqual([
      'a of web-v2',
      'b of web-v1',
    ]);
  });
});

describe('[issue 9.3] figures of one moment', () => {
  const parts = (more: object = {}) => ({
    ro: readRollout(aRollout()),
    autoscalers: [readAutoscaler({ ...aMirror('web-v2'), status: { actualScale: 1, replicasTerminating: 2 } })],
    deployments: [aWorkload('web-v2', 3)],
    pods: undefined,
    decisions: [],
    ...more,
  });
  const settling = readRollout(aRollout({ control: { minReadySeconds: 60 } }));
  const figures = (more: object = {}) => assemble(parts(more), NOW).view.autoscalers[0];

  it('are those of the workload, and not those that were mirrored before', () => {
    expect(figures()).toMatchObject({ ready: true, livePods: 3, figures: { desiredScale: 3, actualScale: 3, replicasTerminating: 2 } });
    const pods = podsAmong([aPod('a', { [REVISION]: 'web-v2' }, { deletionTimestamp: READY_AT })], [aWorkload('web-v2', 3)]);
    expect(figures({ pods })).toMatchObject({ ready: true, livePods: 3, figures: { actualScale: 3, replicasTerminating: 1 } });
    expect(figures({ pods: pods.map((pod) => ({ ...pod, revision: 'web-v1' })) })).toMatchObject({ figures: { replicasTerminating: 0 } });
    const staying = pods.map((pod) => ({ ...pod, deletionAt: undefined }));
    expect(figures({ pods: staying })).toMatchObject({ figures: { replicasTerminating: 0 } });
  });

  it('are none where there is no workload, or its controller has not looked at it', () => {
    const behind = aWorkload('web-v2', 3, { generation: 2 });
    for (const deployments of [[], [behind]]) expect(figures({ deployments })).toMatchObject({ ready: false, figures: { actualScale: 1 } });
  });

  it('count pods that were ready for long enough, and change when the next one was; without pods the mirror says how many', () => {
    const pods = podsAmong([aPod('a', { [REVISION]: 'web-v2' })], [aWorkload('web-v2', 1)]);
    const young = assemble(parts({ ro: settling, pods, deployments: [aWorkload('web-v2', 1)] }), NOW);
    expect([young.view.workloads.get('web-v2')?.readyReplicas, young.changesAt]).toEqual([0, Date.parse(READY_AT) + 60_000]);
    expect(assemble(parts({ pods, freshness: { staleKind: undefined, until: 5 } }), NOW).changesAt).toBe(5);
    expect(
      assemble(parts({ ro: settling, pods, deployments: [aWorkload('web-v2', 1)], freshness: { staleKind: undefined, until: 5 } }), NOW)
        .changesAt,
    ).toBe(5);
    expect([assemble(parts({ pods }), NOW).changesAt, assemble(parts(), NOW).view.pods]).toEqual([undefined, []]);
    const others = pods.map((pod) => ({ ...pod, revision: 'web-v1' }));
    expect(assemble(parts({ ro: settling, pods: others, deployments: [aWorkload('web-v2', 1)] }), NOW).changesAt).toBeUndefined();
    const ready = (more: object) => assemble(parts(more), NOW).view.workloads.get('web-v2')?.readyReplicas;
    const mirrors = [readAutoscaler({ ...aMirror('web-v1'), status: { actualScale: 2 } }), ...parts().autoscalers];
    expect([ready({}), ready({ ro: settling, autoscalers: mirrors }), ready({ ro: settling, autoscalers: [] })]).toEqual([3, 1, 3]);
    expect(ready({ ro: settling, deployments: [aWorkload('web-v2', 0)] })).toBe(0);
  });
});

describe('[issue 9.3] what belongs to a rollout', () => {
  it('is found by the names in its lists, and by those it can go back to', () => {
    const spec = {
      initialRevisions: [anEntry('a', 1), {}, 'x'],
      targetRevisions: [anEntry('b', 1)],
      stageTargetRevisions: [anEntry('c', 1), anEntry('a', 1)],
    };
    const rollout = aRollout(spec, {}, { control: { attempt: { stable: [anEntry('d', 1)] } } });
    expect(revisionsOfRollout(rollout)).toEqual(['a', 'b', 'c', 'd'].map((name) => key(name)));
    expect(revisionsOfRollout(aRollout({ targetRevisions: undefined }))).toEqual([]);
    const stores = storesWith(rollout);
    expect([
      rolloutsOfRevision(stores, key('d')),
      rolloutsOfRevision(stores, key('e')),
      rolloutsOfRevision(stores, key('a', 'other')),
    ]).toEqual([[key('web')], [], []]);
  });

  it('is its StagePodAutoscalers by label, and decisions that name it', () => {
    expect([rolloutOfAutoscaler(aMirror('web-v2')), rolloutOfAutoscaler(an(KINDS.stagePodAutoscaler, 'web-v2'))]).toEqual([
      [key('web')],
      [],
    ]);
    expect([rolloutOfDecision(aDecision('d')), rolloutOfDecision(aDecision('d', { rolloutRef: undefined }))]).toEqual([[key('web')], []]);
  });

  it('is a decision that is Pending and can be read; a rollback is answered elsewhere', () => {
    const { name, namespace, uid, createdAt, spec } = toPending(aDecision('d')) ?? {};
    expect({ name, namespace, uid, createdAt, verb: spec?.verb }).toEqual({
      name: 'd',
      namespace: 'shop',
      uid: 'uid-d',
      createdAt: READY_AT,
      verb: 'pause',
    });
    expect(toPending(aDecision('d', {}, { phase: 'Pending' }))?.name).toBe('d');
    const unanswered = [{ verb: 'rollback' }, { rolloutRef: undefined, applicationRef: { name: 'store', uid: '1' } }, { verb: 'dance' }];
    expect(unanswered.map((one) => toPending(aDecision('d', one)))).toEqual([undefined, undefined, undefined]);
    expect([readDecisionSpec(aDecision('d'))?.verb, readDecisionSpec(aDecision('d', { verb: 'dance' }))]).toEqual(['pause', undefined]);
  });
});
