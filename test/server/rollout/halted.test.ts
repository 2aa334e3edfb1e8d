import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { toInstant, toKubeTime } from '@/lib/std/instant';
import type { Store } from '@/server/kube';
import { attemptOf, pausedAtOf } from '@/server/rollout/control/control-facts';
import type { RolloutDecision } from '@/server/rollout/decide';
import { decide } from '@/server/rollout/decide';
import { REVISION_LABEL } from '@/server/rollout/model';
import { readPod } from '@/server/rollout/objects';
import type { FreshnessStores } from '@/server/rollout/pass/freshness';
import { evaluateFreshness } from '@/server/rollout/pass/freshness';
import { EngineRig } from './engine-rig';
import { anEntry, aRolloutSpec, aSimulation, Simulation } from './simulation';

const GATED = { overConsumptionRatio: 25, control: { gates: 'every-stage' } };

/** A rollout in its second stage, whose pods come at once. */
function underWay(spec: object = {}): Simulation {
  const simulation = aSimulation(4, { ...GATED, ...spec });
  simulation.settle();
  simulation.decide({ verb: 'approve' });
  simulation.pass();
  return simulation;
}

/** What a pass would come to, without carrying it out. */
function decided(simulation: Simulation, more: object = {}): RolloutDecision {
  const seen = simulation.observe();
  return decide({ ...seen, view: { ...seen.view, ...more } }, simulation.now);
}

/** What keeps a rollout from going on, each by itself. */
const HALTS: readonly (readonly [string, (simulation: Simulation) => RolloutDecision])[] = [
  ['may not be moved', (simulation) => decided(simulation, { ungranted: 'the server may not scale in shop' })],
  [
    'cannot be seen',
    (simulation) => {
      simulation.readable = false;
      const decision = decided(simulation);
      simulation.readable = true;
      return decision;
    },
  ],
  [
    'is paused by a person',
    (simulation) => {
      const seen = simulation.observe([simulation.decision({ verb: 'pause' })]);
      return decide(seen, simulation.now);
    },
  ],
];

describe('a rollout that is halted', () => {
  it.each(HALTS)('[rollout 14.5] brings no stage to its end while it %s, though all of it is there', (_what, halted) => {
    const simulation = underWay();
    simulation.settleUntil('the stage could end', () => decided(simulation).control?.state === 'boundary');
    expect(halted(simulation).control?.state).toBe('stage');
    expect(decided(simulation).control?.state).toBe('boundary');
  });

  it.each(HALTS)('[rollout 14.5] notes since when it %s, so that the time of it counts for no deadline', (_what, halted) => {
    const simulation = underWay();
    const { control } = halted(simulation);
    expect(control && pausedAtOf(control)).toBe('2026-01-01T09:00:00.000Z');
    const going = decided(simulation).control;
    expect(going && pausedAtOf(going)).toBeUndefined();
  });

  /** One whose stage is overdue, since somebody keeps its old side up. */
  function overdue(): Simulation {
    const simulation = underWay();
    simulation.settlePods();
    simulation.deploy('web-v1', 4);
    simulation.advance(3600);
    return simulation;
  }
  const sharesOf = ({ spec }: RolloutDecision) =>
    spec.stageTargetRevisions?.map(({ revisionName, percent }) => `${revisionName} ${percent}`);

  it.each(HALTS)('[rollout 8.6] moves no traffic of an overdue stage while it %s', (_what, halted) => {
    expect(sharesOf(halted(overdue()))).toEqual(['web-v1 50', 'web-v2 50']);
  });

  it('[rollout 8.6] moves the traffic of an overdue stage once it goes on, sets another deadline, and looks again by then', () => {
    const shifted = decided(overdue());
    expect(sharesOf(shifted)).toEqual(['web-v1 25', 'web-v2 75']);
    expect([shifted.spec.targetFinishTime, shifted.requeueAfterMs]).toEqual(['2026-01-01T10:02:00Z', 120_000]);
  });

  it('[rollout 8.6] moves none where a side is not available, or where nobody set a deadline', () => {
    const unavailable = overdue();
    unavailable.deploy('web-v2', 2, 1);
    const timeless = overdue();
    timeless.change({ targetFinishTime: undefined });
    for (const simulation of [unavailable, timeless]) expect(sharesOf(decided(simulation))).toEqual(['web-v1 50', 'web-v2 50']);
    expect(decided(unavailable).fault).toBeUndefined(); // the stage waits, and nothing is wrong with the rollout
    expect(decided(unavailable).requeueAfterMs).toBe(120_000);
  });
});

describe('an overdue stage whose old side has no traffic left', () => {
  it('[rollout 8.6] moves none, since what it still has is pods', () => {
    const half = (revisionName: string) => ({ ...anEntry(revisionName, 2), percent: 50 });
    const simulation = new Simulation({
      rolloutStrategy: 'availability',
      overConsumptionRatio: 50,
      initialRevisions: [half('web-v0'), half('web-v1')],
      targetRevisions: [anEntry('web-v2', 4)],
    });
    for (const [revision, replicas] of [
      ['web-v0', 2],
      ['web-v1', 2],
      ['web-v2', 0],
    ] as const)
      simulation.deploy(revision, replicas);
    simulation.pass();
    const stage = simulation.stage.map(({ revisionName, percent }) => `${revisionName} ${percent}`);
    expect(stage).toEqual(['web-v0 50', 'web-v1 undefined', 'web-v2 50']);
    simulation.settlePods();
    simulation.bounds.set('web-v1', {});
    simulation.advance(3600);
    expect(decided(simulation).spec.stageTargetRevisions?.map(({ revisionName, percent }) => `${revisionName} ${percent}`)).toEqual(stage);
  });
});

describe('what a pass deletes', () => {
  const deletions = ({ actions }: RolloutDecision) =>
    actions.flatMap(({ verb, kind, name }) => (verb === 'delete' ? `${kind} ${name}` : []));

  it('[rollout 7.1] is the StagePodAutoscaler of a revision that is gone, and not of one that cannot be seen', () => {
    const simulation = aSimulation(4, GATED);
    simulation.settle();
    simulation.bounds.set('web-v0', {});
    expect(deletions(decided(simulation))).toEqual(['StagePodAutoscaler web-v0']);
    simulation.readable = false;
    expect(deletions(decided(simulation))).toEqual([]);
  });

  it('[rollout 8.8] is a pod that overstayed its grace, and none that was told already to go at once', () => {
    const of = (gracePeriodSeconds: number) => {
      const simulation = aSimulation(4, { ...GATED, rolloutStrategy: 'resourceutil' });
      for (let turn = 0; turn < 3; turn++) simulation.pass();
      const deletionTimestamp = toKubeTime(toInstant(simulation.now - 60_000));
      const metadata = {
        name: 'web-v1-a',
        labels: { [REVISION_LABEL]: 'web-v1' },
        deletionTimestamp,
        deletionGracePeriodSeconds: gracePeriodSeconds,
      };
      simulation.pods = [readPod({ ...KINDS.pod, metadata, status: { phase: 'Running' } })];
      simulation.bounds.set('web-v1', { stageMinScale: 9, stageMaxScale: 9 });
      return deletions(decided(simulation));
    };
    expect([of(30), of(0)]).toEqual([['Pod web-v1-a'], []]);
  });
});

describe('an abort that keeps the rejected pods for a while', () => {
  it('[rollout 14.6] is looked at again when that is over, and takes them away then', () => {
    const simulation = aSimulation(4, { ...GATED, control: { gates: 'every-stage', abortScaleDownDelaySeconds: 60 } });
    simulation.settle();
    simulation.decide({ verb: 'abort' });
    simulation.settle();
    simulation.advance(20);
    expect([simulation.stored.state, simulation.deployments.get('web-v2')?.replicas, decided(simulation).requeueAfterMs]).toEqual([
      'returning',
      1,
      40_000,
    ]);
    simulation.advance(40);
    simulation.settle();
    expect([simulation.stored.state, simulation.deployments.get('web-v2')?.replicas, decided(simulation).requeueAfterMs]).toEqual([
      'aborted',
      0,
      undefined,
    ]);
  });
});

describe('the gates on record', () => {
  it('[design 13 J] are those that somebody was asked at: none of a first deployment, and none of the way back', () => {
    const first = new Simulation({
      targetRevisions: [anEntry('web-v1', 3)],
      control: { gates: 'every-stage', autoPromotionEnabled: false },
    });
    first.deploy('web-v1', 0);
    first.settle();
    expect([first.stored.state, attemptOf(first.stored)?.gates ?? []]).toEqual(['done', []]);
    const back = aSimulation(4, GATED);
    back.settle();
    back.decide({ verb: 'approve' });
    back.settle();
    const passed = attemptOf(back.stored)?.gates;
    expect(passed?.map(({ stage }) => stage)).toEqual([1]);
    back.decide({ verb: 'abort' });
    back.settle();
    expect([back.stored.state, attemptOf(back.stored)?.gates]).toEqual(['aborted', passed]);
  });
});

describe('copies that are no evidence', () => {
  const NOW = toInstant(Date.UTC(2026, 0, 2));
  const store = (kind: string, since?: number): Store =>
    ({
      scope: { apiVersion: 'v1', kind },
      health: () => ({
        state: since === undefined ? { kind: 'watching' } : { kind: 'retrying', reason: 'cut', since: toInstant(NOW - since) },
        objects: 1,
      }),
      knowledge: () => ({ kind: 'watched' }),
    }) as unknown as Store; // no more of a store is asked
  const stores = (lost: Partial<Record<keyof FreshnessStores, number>> = {}): FreshnessStores => ({
    deployments: store('Deployment', lost.deployments),
    horizontalAutoscalers: store('HorizontalPodAutoscaler', lost.horizontalAutoscalers),
    pods: store('Pod', lost.pods),
    autoscalers: store('StagePodAutoscaler', lost.autoscalers),
    decisions: store('StageDecision', lost.decisions),
  });
  const look = (lost: Partial<Record<keyof FreshnessStores, number>>) =>
    evaluateFreshness(stores(lost), ['shop/web-v1' as never], 'shop', NOW);

  it.each([
    ['deployments', 'Deployment'],
    ['horizontalAutoscalers', 'HorizontalPodAutoscaler'],
    ['pods', 'Pod'],
    ['autoscalers', 'StagePodAutoscaler'],
    ['decisions', 'StageDecision'],
  ] as const)('[rollout 14.2] are those of %s that were not heard of for 4.5 s, and not before', (name, kind) => {
    expect(look({ [name]: 4500 })).toEqual({
      staleKind: { of: kind, kind: 'old', since: toInstant(NOW - 4500), reason: 'cut' },
      until: undefined,
    });
    expect(look({ [name]: 4499 })).toEqual({ staleKind: undefined, until: toInstant(NOW + 1) });
  });

  it('[rollout 14.2] are none while every kind is watched, and the first that will be tells when to look', () => {
    expect(look({})).toEqual({ staleKind: undefined, until: undefined });
    expect(look({ pods: 1000, decisions: 3000 })).toEqual({ staleKind: undefined, until: toInstant(NOW + 1500) });
    expect(evaluateFreshness(stores({ deployments: 9000 }), [], 'shop', NOW).staleKind).toBeUndefined();
  });

  it('[rollout 14.2] are none of a kind that the cluster does not serve and of which there are none, and nobody looks again for it', () => {
    const state = { kind: 'retrying', reason: 'not served', since: toInstant(NOW - 4500), isMissing: true };
    const absent = { ...store('HorizontalPodAutoscaler'), health: () => ({ state, objects: 0 }) } as unknown as Store;
    const found = evaluateFreshness({ ...stores(), horizontalAutoscalers: absent }, [], 'shop', NOW);
    expect(found).toEqual({ staleKind: undefined, until: undefined });
  });

  it('[rollout 14.2] are judged for the namespace of the rollout where they are polled or forbidden by namespaces', () => {
    const state = { kind: 'refused', reason: 'forbidden', since: toInstant(NOW - 1000) };
    const knowledge = (key: string) =>
      key === 'shop/' ? { kind: 'forbidden', since: toInstant(NOW - 1), reason: 'pods is forbidden' } : { kind: 'watched' };
    const refused = { ...store('Pod'), health: () => ({ state, objects: 0 }), knowledge } as unknown as Store;
    expect(evaluateFreshness({ ...stores(), pods: refused }, [], 'shop', NOW).staleKind).toMatchObject({ of: 'Pod', kind: 'forbidden' });
    expect(evaluateFreshness({ ...stores(), pods: refused }, [], 'bank', NOW).staleKind).toBeUndefined();
  });

  it.each(['Deployment', 'HorizontalPodAutoscaler', 'Pod', 'StagePodAutoscaler', 'StageDecision'])(
    '[rollout 14.2] of %s open no gate and begin no stage, until they are heard of again',
    async (kind) => {
      await using rig = await new EngineRig().start();
      await rig.deploy('web-v1', 4);
      await rig.deploy('web-v2', 0);
      await rig.roll(
        aRolloutSpec('web-v1', 'web-v2', 4, { overConsumptionRatio: 50, control: { gates: 'every-stage', pause: { duration: 30 } } }),
      );
      await rig.clock.advance(20_000);
      expect(rig.control('state')).toBe('boundary');
      rig.informers.fall(kind, 'lost');
      await rig.clock.advance(120_000);
      expect([rig.control('state'), String(rig.control('message'))]).toEqual(['boundary', expect.stringContaining(kind)]);
      rig.informers.recover();
      await rig.clock.advance(120_000);
      expect(rig.control('state')).toBe('done');
    },
  );
});
