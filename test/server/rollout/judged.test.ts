import { describe, expect, it } from 'vitest';
import { toInstant } from '@/lib/std/instant';
import { evaluateRollout } from '@/server/rollout/control/evaluation';
import { evaluateHealth, evaluateProgress, sampleHealth } from '@/server/rollout/control/health';
import type { StateOf } from '@/server/rollout/control/state';
import type { RolloutView } from '@/server/rollout/control/view';
import {
  activeTargets,
  isStageReached,
  lostTargetOf,
  scalesOfView,
  stagePositionOf,
  storedView,
  withOwnBounds,
} from '@/server/rollout/control/view';
import type { TargetRevision } from '@/server/rollout/model';
import type { Workload } from '@/server/rollout/objects';
import type { Simulation } from './simulation';
import { anEntry, aSimulation } from './simulation';

const GATED = { overConsumptionRatio: 25, control: { gates: 'every-stage' } };
const viewOf = (simulation: Simulation): RolloutView => simulation.observe().view;
const withSpec = (view: RolloutView, spec: object): RolloutView => ({
  ...view,
  ro: { ...view.ro, rollout: { ...view.ro.rollout, spec: { ...view.ro.rollout.spec, ...spec } } },
});

/** A rollout in its first stage. */
function inStage(more: Readonly<Record<string, unknown>> = GATED): Simulation {
  const simulation = aSimulation(4, more);
  simulation.settleUntil('a stage is under way', () => simulation.stored.state === 'stage');
  return simulation;
}
const stageOf = ({ control }: RolloutView): StateOf<'stage'> => {
  if (control.state !== 'stage') throw new Error(`found ${control.state}, wanted a stage`);
  return control;
};
const later = (simulation: Simulation, seconds: number) => toInstant(simulation.now + seconds * 1000);

describe('[rollout 14.2] a stage that does not move', () => {
  const simulation = inStage({ ...GATED, control: { ...GATED.control, progressDeadlineSeconds: 60 } });
  const view = viewOf(simulation);
  const at = (seconds: number, more: Partial<RolloutView> = {}) => evaluateRollout({ ...view, ...more }, later(simulation, seconds));
  const noted: RolloutView = {
    ...view,
    control: { ...stageOf(view), progress: { score: 99, at: new Date(simulation.now).toISOString() } },
  };

  it('is stalled at its deadline and not before', () => {
    expect([at(59, noted).phase, at(60, noted).phase, at(60, noted).stalled]).toEqual(['Progressing', 'Degraded', true]);
  });

  it('is paused and not stalled where somebody paused it, however long that takes', () => {
    const paused = { ...noted, control: { ...stageOf(noted), paused: true } };
    expect(at(3600, paused)).toMatchObject({ phase: 'Paused', stalled: false, hold: { reason: 'UserPaused' } });
  });
});

describe('[rollout 14.3] a rollout that is through', () => {
  it('is healthy though its spec or a person pauses it, or it cannot be seen', () => {
    const simulation = aSimulation(4);
    simulation.settle();
    const view = viewOf(simulation);
    const blind = { of: 'Pod', kind: 'old', since: simulation.now, reason: 'cut' } as const;
    for (const held of [
      { ...view, ro: { ...view.ro, pausedBySpec: true } },
      { ...view, staleKind: blind },
    ])
      expect(evaluateRollout(held, simulation.now)).toMatchObject({ position: 'complete', hold: undefined, phase: 'Healthy' });
  });

  it('has lost a target that is to have traffic and has no workload, as far as that can be seen', () => {
    const simulation = aSimulation(4);
    simulation.settle();
    const view = viewOf(simulation);
    const targets = (...targetRevisions: readonly TargetRevision[]) => withSpec(view, { targetRevisions });
    const blind = { of: 'Deployment', kind: 'old', since: simulation.now, reason: 'cut' } as const;
    const gone = { ...anEntry('web-v9', 1), percent: 50 };
    expect([lostTargetOf(view), lostTargetOf(targets(gone)), lostTargetOf({ ...targets(gone), staleKind: blind })]).toEqual([
      undefined,
      'web-v9',
      undefined,
    ]);
    expect([
      lostTargetOf(targets({ ...gone, percent: 0 })),
      lostTargetOf(targets({ revisionName: 'web-v9' })),
      lostTargetOf(withSpec(view, { targetRevisions: undefined })),
    ]).toEqual([undefined, undefined, undefined]);
  });
});

describe('[rollout 14.2] how far a stage has got', () => {
  const simulation = inStage();
  const view = viewOf(simulation);
  const counts = (all: Readonly<Record<string, { readonly replicas: number; readonly ready: number }>>): RolloutView['workloads'] =>
    new Map(
      Object.entries(all).map(([name, { replicas, ready }]) => [name, { revision: name, replicas, readyReplicas: ready } as Workload]),
    );
  const up = (revisionName: string, part: Partial<TargetRevision>): TargetRevision => ({ revisionName, direction: 'up', ...part });
  const down = (revisionName: string): TargetRevision => ({ revisionName, direction: 'down' });
  const scoreOf = (stageTargetRevisions: readonly TargetRevision[], workloads: RolloutView['workloads']) => {
    const bare = { ...stageOf(view), progress: undefined };
    return evaluateProgress({ ...withSpec(view, { stageTargetRevisions }), control: bare, workloads }, view.ro.policy, simulation.now)
      ?.score;
  };

  it('is what is ready of what grows, up to what the stage wants of it, less what is left of what shrinks', () => {
    const stage = [up('a', { targetReplicas: 3, minScale: 5 }), up('b', { minScale: 2 }), down('c'), down('d')];
    expect(
      scoreOf(
        stage,
        counts({ a: { replicas: 3, ready: 2 }, b: { replicas: 2, ready: 1 }, c: { replicas: 4, ready: 0 }, d: { replicas: 3, ready: 3 } }),
      ),
    ).toBe(2 + 1 - 4 - 3);
    expect(scoreOf(stage, counts({ a: { replicas: 9, ready: 9 }, b: { replicas: 9, ready: 9 } }))).toBe(3 + 2);
    expect(scoreOf([up('a', { targetReplicas: 5, minScale: 4 })], counts({ a: { replicas: 9, ready: 9 } }))).toBe(4);
    expect(scoreOf(stage, new Map())).toBe(0);
  });

  it('is noted where it is further than ever before, and counts its deadline from then', () => {
    const progress = (score: number, at: string) =>
      evaluateProgress(
        { ...view, control: { ...stageOf(view), progress: { score, at } } },
        { ...view.ro.policy, progressDeadlineSeconds: 10 },
        simulation.now,
      );
    const now = progress(Number.NEGATIVE_INFINITY, '2026-01-01T08:00:00Z')?.score ?? 0;
    const before = new Date(simulation.now - 4000).toISOString();
    expect(progress(now - 1, before)).toEqual({ score: now, stalled: false, deadlineAt: simulation.now + 10_000 });
    expect(progress(now, before)).toEqual({ score: undefined, stalled: false, deadlineAt: simulation.now + 6000 });
    expect(progress(now, new Date(simulation.now - 10_000).toISOString())).toMatchObject({ stalled: true });
    expect(progress(now, 'long ago')).toMatchObject({ deadlineAt: simulation.now + 10_000 });
  });
});

describe('[rollout 14.7] samples of the new revision', () => {
  const control = { gates: 'every-stage', autoAbort: { failureLimit: 1, intervalSeconds: 10 } };

  it('are taken in the middle of a stage as well, at their interval', () => {
    const simulation = inStage({ ...GATED, control });
    const { view, nextSampleAt } = evaluateHealth(viewOf(simulation), simulation.now);
    expect([view.control.state, nextSampleAt]).toEqual(['stage', later(simulation, 10)]);
  });

  it('are not taken on the way back, or where it is through', () => {
    const simulation = inStage({ ...GATED, control });
    const { attempt } = stageOf(viewOf(simulation));
    for (const state of ['returning', 'aborted', 'done'] as const) {
      const view = {
        ...viewOf(simulation),
        control: { ...viewOf(simulation).control, state, stage: 2, attempt, rejected: 'web-v2' } as never,
      };
      expect(evaluateHealth(view, simulation.now), state).toEqual({ view });
    }
  });

  it('find nothing wrong with a revision that has no workload or was never unavailable', () => {
    const simulation = inStage({ ...GATED, control });
    const view = viewOf(simulation);
    const [[name, workload] = []] = [...view.workloads].filter(([one]) => one === 'web-v2');
    const seen = (workloads: RolloutView['workloads']) => sampleHealth({ ...view, workloads }, toInstant(simulation.now * 2)).kind;
    expect(seen(new Map())).toBe('healthy');
    expect(seen(new Map([[name ?? '', { ...workload, replicas: 4, unavailableSince: undefined } as Workload]]))).toBe('healthy');
    expect(seen(new Map([[name ?? '', { ...workload, replicas: 4, failure: 'no image' } as Workload]]))).toBe('failing');
  });
});

describe('[rollout 13.2] bounds of a revision', () => {
  const workloads = new Map([
    ['noted', { minScale: 2, maxScale: 5, replicas: 4 }],
    ['least', { minScale: 2, replicas: 4 }],
    ['most', { maxScale: 5, replicas: 4 }],
    ['bare', { replicas: 4 }],
    ['parked', { replicas: 0 }],
  ]) as never as RolloutView['workloads'];
  const bounds = (revision: TargetRevision, stable: readonly TargetRevision[] = []) => {
    const [{ minScale, maxScale } = {}] = withOwnBounds([revision], workloads, stable) as readonly Partial<TargetRevision>[];
    return [minScale, maxScale];
  };

  it.each<[string, TargetRevision, readonly (number | undefined)[]]>([
    ['its own, where it has both', { revisionName: 'noted', minScale: 1, maxScale: 9 }, [1, 9]],
    ['its own, where it has one', { revisionName: 'noted', minScale: 1 }, [1, undefined]],
    ['its own, where it has the other', { revisionName: 'noted', maxScale: 9 }, [undefined, 9]],
    ['those of its workload', { revisionName: 'noted' }, [2, 5]],
    ['the one that its workload has', { revisionName: 'least' }, [2, undefined]],
    ['the other that its workload has', { revisionName: 'most' }, [undefined, 5]],
    ['what runs', { revisionName: 'bare' }, [4, 4]],
    ['one, where nothing runs', { revisionName: 'parked' }, [1, 1]],
    ['one, where there is no workload', { revisionName: 'gone' }, [1, 1]],
  ])('are %s', (_which, revision, expected) => {
    expect(bounds(revision)).toEqual(expected);
  });

  it('are those it had on the stable side, else those of the first there, before what runs', () => {
    const stable = [
      { revisionName: 'other', minScale: 7, maxScale: 8 },
      { revisionName: 'bare', minScale: 3, maxScale: 6 },
    ];
    expect([bounds({ revisionName: 'bare' }, stable), bounds({ revisionName: 'gone' }, stable)]).toEqual([
      [3, 6],
      [7, 8],
    ]);
    expect(bounds({ revisionName: 'bare' }, [{ revisionName: 'other' }])).toEqual([4, undefined]);
    expect(bounds({ revisionName: 'noted' }, stable)).toEqual([2, 5]);
  });
});

describe('[rollout 14.3] the lists that a rollout goes by', () => {
  const view = viewOf(inStage());
  const start = (initialRevisions: readonly TargetRevision[], more: object = {}) =>
    activeTargets(withSpec(view, { initialRevisions, ...more })).initialRevisions?.map(({ revisionName }) => revisionName);

  it('start without what was about to end, unless that is the target, which grows again', () => {
    const [kept, ending, target] = [anEntry('web-v1', 4), { revisionName: 'web-v0' }, { revisionName: 'web-v2' }];
    expect(start([kept, ending, target])).toEqual(['web-v1', 'web-v2']);
    expect([start([kept, ending], { targetRevisions: [] }), start([kept, ending], { targetRevisions: undefined })]).toEqual([
      ['web-v1'],
      ['web-v1'],
    ]);
  });

  it('are read once of one view', () => {
    expect(activeTargets(view)).toBe(activeTargets(view));
  });

  it('of nothing are at rest, and a stage of nothing is reached where nothing was', () => {
    const stored = storedView(view.ro.object);
    expect([stored.autoscalers, stored.pods, stored.workloads.size]).toEqual([[], [], 0]);
    expect(stagePositionOf(withSpec(view, { targetRevisions: undefined }))).toBe('idle');
    const fresh = { ...view, ro: { ...view.ro, rollout: { ...view.ro.rollout, spec: {}, status: { conditions: [] } } } };
    expect([stagePositionOf(fresh), isStageReached(fresh)]).toEqual(['idle', true]);
  });
});

describe('[rollout 14.6] the figures of a rejected revision', () => {
  it('are none where it is gone, so that it holds nothing back', () => {
    const simulation = aSimulation(4, GATED);
    simulation.settle();
    simulation.decide({ verb: 'abort' });
    const back = viewOf(simulation);
    expect(back.control.state).toBe('returning');
    expect(scalesOfView(back).actual.get('web-v2')).toBe(1);
    simulation.deployments.delete('web-v2');
    const gone = scalesOfView(viewOf(simulation)).actual;
    expect([gone.get('web-v2'), gone.size]).toEqual([0, 2]);
    expect([...scalesOfView(viewOf(inStage())).actual.keys()]).toEqual(['web-v1', 'web-v2']);
  });
});
