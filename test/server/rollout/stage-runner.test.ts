import { describe, expect, it } from 'vitest';
import { toInstant, toKubeTime } from '@/lib/std/instant';
import { StageFault } from '@/server/rollout/fault';
import type { Rollout, RolloutSpec, StageAutoscaler, StagePod } from '@/server/rollout/model';
import { manageRolloutConditions, statusOf } from '@/server/rollout/stage/conditions';
import type { RunOptions } from '@/server/rollout/stage/runner';
import { runStage } from '@/server/rollout/stage/runner';
import { strategyOf } from '@/server/rollout/stage/steps';
import type { StageAction } from '@/server/rollout/stage/transaction';
import { StageTransaction } from '@/server/rollout/stage/transaction';

const NOW = toInstant(Date.UTC(2026, 0, 1));
const FROM = { revisionName: 'v1', percent: 100, minScale: 4, maxScale: 4 };
const OLD = { ...FROM, direction: 'down', percent: 75, targetReplicas: 3 };
const NEW = { revisionName: 'v2', direction: 'up', percent: 25, targetReplicas: 1, minScale: 4, maxScale: 4 };
const TARGET = { revisionName: 'v2', percent: 100, minScale: 4, maxScale: 4 };

interface Given {
  readonly spec?: Partial<RolloutSpec>;
  readonly status?: Partial<Rollout['status']>;
  readonly generation?: number;
  readonly autoscalers?: readonly StageAutoscaler[];
  readonly pods?: readonly StagePod[];
  readonly options?: Partial<RunOptions>;
}

/** An autoscaler with as many replicas as it wants. */
function at(
  name: string,
  scale: number | undefined,
  more: Partial<StageAutoscaler> & { readonly terminating?: number } = {},
): StageAutoscaler {
  const { terminating = 0, ...rest } = more;
  const figures = { desiredScale: scale, actualScale: scale, replicasTerminating: terminating };
  return { name, ready: true, bounds: { stageMinScale: scale, stageMaxScale: scale }, figures, ...rest };
}

/** One pass over the first stage from v1 to v2; `did` is what it wants written, in order. */
function pass({ spec = {}, status = {}, generation = 1, autoscalers = [], pods = [], options = {} }: Given = {}) {
  const ro: Rollout = {
    name: 'web',
    namespace: 'shop',
    uid: 'ro-1',
    generation,
    spec: {
      initialRevisions: [FROM],
      targetRevisions: [TARGET],
      stageTargetRevisions: [OLD, NEW],
      rolloutStrategy: 'availability',
      ...spec,
    },
    status: { observedGeneration: 1, conditions: manageRolloutConditions(NOW).launchNewStage([]), ...status },
  };
  const result = runStage(ro, new StageTransaction({ autoscalers, pods }), { now: NOW, ...options });
  const is = (type: string) => statusOf(result.status.conditions, type);
  return { ...result, did: result.actions.map(toText), is };
}

function toText(action: StageAction): string {
  if (action.verb === 'delete')
    return `delete ${action.kind} ${action.name}${'gracePeriodSeconds' in action ? ` in ${action.gracePeriodSeconds} s` : ''}`;
  const { stageMinScale, stageMaxScale } = action.verb === 'create' ? action.object.spec : action.bounds;
  return `${action.verb} ${action.name} ${stageMinScale}-${stageMaxScale}`;
}

describe('a stage that adds first', () => {
  it('[issue 10.7] creates the new side at its target, and waits for its figures', () => {
    const { did, fault, is } = pass({ autoscalers: [at('v1', 4)] });
    expect(did).toEqual(['create v2 1-4']);
    expect(fault?.code).toBe('SpaNotFound');
    expect(is('StageReady')).toBe('Unknown');
  });

  it.each([
    { what: 'is not there', side: at('v2', 0) },
    { what: 'is not wanted yet', side: { ...at('v2', 1), figures: { desiredScale: 0, actualScale: 1, replicasTerminating: 0 } } },
    { what: 'does not know its figures', side: at('v2', undefined) },
    { what: 'is not ready', side: at('v2', 1, { ready: false }) },
  ])('[issue 10.7] keeps every old replica while the new side $what', ({ side }) => {
    const { did, is } = pass({ autoscalers: [at('v1', 4), side] });
    expect(did).toEqual(['update v2 1-4', 'update v1 4-4']);
    expect([is('StageScaleUpReady'), is('StageScaleDownReady'), is('StageReady'), is('LastStageReady'), is('Ready')]).toEqual([
      'Unknown',
      'Unknown',
      'Unknown',
      'Unknown',
      'Unknown',
    ]);
  });

  it('[issue 10.7] takes old replicas away once the new side is there, and is not through before they are gone', () => {
    for (const old of [at('v1', 4), at('v1', 3, { terminating: 1 }), at('v1', 3, { livePods: 4 })]) {
      const { did, is, status } = pass({ autoscalers: [old, at('v2', 1)] });
      expect(did).toEqual(['update v2 1-4', 'update v1 3-3', 'update v1 3-3']);
      expect([is('StageScaleUpReady'), is('StageScaleDownReady'), is('StageReady')]).toEqual(['True', 'Unknown', 'Unknown']);
      expect(status.stageRevisionStatus).toBeUndefined();
    }
  });

  it.each([
    { what: 'as many as may stay', old: at('v1', 3, { livePods: 3 }), through: true },
    { what: 'as many as may stay, and one that terminates', old: at('v1', 3, { livePods: 3, terminating: 1 }), through: false },
    { what: 'one that terminates, where stages overlap', old: at('v1', 3, { livePods: 3, terminating: 1 }), overlap: true, through: true },
    { what: 'one too many, where stages overlap', old: at('v1', 3, { livePods: 4, terminating: 1 }), overlap: true, through: false },
    { what: 'nobody knows how many, where stages overlap', old: at('v1', 3, { terminating: 1 }), overlap: true, through: false },
    { what: 'none that terminates, where stages overlap', old: at('v1', 3), overlap: true, through: true },
  ])('[issue 10.7] with pods of the old side: $what: $through', ({ old, overlap, through }) => {
    const { is } = pass({ autoscalers: [old, at('v2', 1)], ...(overlap === undefined ? {} : { options: { overlap } }) });
    expect(is('StageReady')).toBe(through ? 'True' : 'Unknown');
  });

  it('[issue 10.7] is through once they are gone, and is the last one only where the target carries everything', () => {
    const first = pass({ autoscalers: [at('v1', 3), at('v2', 1)] });
    expect([first.is('StageReady'), first.is('LastStageReady'), first.is('Ready')]).toEqual(['True', 'Unknown', 'Unknown']);
    expect(first.status.stageRevisionStatus).toEqual([OLD, NEW]);
    const end = [
      { ...FROM, direction: 'down', percent: undefined },
      { ...NEW, percent: 100, targetReplicas: 4 },
    ];
    const last = pass({ spec: { stageTargetRevisions: end }, autoscalers: [at('v1', 0), at('v2', 4)] });
    expect(last.did).toEqual(['update v2 4-4', 'update v1 0-1', 'update v1 0-1']);
    expect([last.is('StageReady'), last.is('LastStageReady'), last.is('Ready')]).toEqual(['True', 'True', 'True']);
    expect(last.status.stageRevisionStatus?.map(({ revisionName }) => revisionName)).toEqual(['v2']);
  });

  it('[issue 10.7] takes no replica away where a person holds it, though the new side is there', () => {
    const { did, is } = pass({ autoscalers: [at('v1', 4), at('v2', 1)], options: { limit: 'first' } });
    expect(did).toEqual(['update v2 1-4']);
    expect([is('StageScaleUpReady'), is('StageReady')]).toEqual(['True', 'Unknown']);
  });

  it('[rollout 8.6] keeps what its first half came to where the other one is not there', () => {
    const { fault, is } = pass({ autoscalers: [at('v2', 1)] });
    expect(fault?.code).toBe('SpaNotFound');
    expect([is('StageScaleUpReady'), is('StageScaleDownReady'), is('StageReady')]).toEqual(['True', 'Unknown', 'Unknown']);
  });

  it('[issue 10.7] drains where the rollout came from when it is switched in one go', () => {
    const spec = { stageTargetRevisions: [{ ...NEW, percent: 100, targetReplicas: 4 }] };
    const { did } = pass({ spec, autoscalers: [at('v1', 4), at('v2', 4)] });
    expect(did).toEqual(['update v2 4-4', 'update v1 0-1']);
  });

  it('[issue 10.7] never drains the side that grows, though the rollout came from it', () => {
    const spec = { initialRevisions: [{ ...TARGET, percent: 50 }], stageTargetRevisions: [{ ...NEW, percent: 100, targetReplicas: 4 }] };
    expect(pass({ spec, autoscalers: [at('v2', 4)] }).did).toEqual(['update v2 4-4']);
  });
});

describe('a stage that makes room first', () => {
  const spec = { rolloutStrategy: 'resourceutil' };

  it('[issue 10.7] lets the new side wait without replicas until the old one has made room', () => {
    const { did, is } = pass({ spec, autoscalers: [at('v1', 4)] });
    expect(did).toEqual(['create v2 0-0', 'update v1 3-3', 'update v1 3-3']);
    expect([is('StageScaleDownReady'), is('StageScaleUpReady'), is('StageReady'), is('Ready')]).toEqual([
      'Unknown',
      'Unknown',
      'Unknown',
      'Unknown',
    ]);
  });

  it('[issue 10.7] grows the new side once old pods are gone, unless a person holds it there', () => {
    const room = pass({ spec, autoscalers: [at('v1', 3), at('v2', 0)] });
    expect(room.did).toEqual(['update v1 3-3', 'update v1 3-3', 'update v2 1-4', 'update v1 3-3']);
    expect([room.is('StageScaleDownReady'), room.is('StageReady')]).toEqual(['True', 'Unknown']);
    expect(pass({ spec, autoscalers: [at('v1', 3), at('v2', 0)], options: { limit: 'first' } }).did).toEqual([
      'update v1 3-3',
      'update v1 3-3',
    ]);
    expect(pass({ spec, autoscalers: [at('v1', 3), at('v2', 1)] }).is('StageReady')).toBe('True');
  });

  it('[issue 10.7] waits for pods that terminate, whatever may overlap', () => {
    const { is } = pass({ spec, autoscalers: [at('v1', 3, { terminating: 1, livePods: 3 }), at('v2', 0)], options: { overlap: true } });
    expect(is('StageScaleDownReady')).toBe('Unknown');
  });

  it('[issue 10.7] goes by its name whatever its case; a name that nobody knows adds first', () => {
    expect(['ResourceUtil', 'AVAILABILITY', undefined, '', 'sideways'].map(strategyOf)).toEqual([
      'resourceutil',
      'availability',
      'availability',
      'availability',
      'availability',
    ]);
  });
});

describe('pods that do not go', () => {
  const stuck = { name: 'v1-a', revision: 'v1', deletionInMs: -1, gracePeriodSeconds: 30 };
  const going = { name: 'v1-b', revision: 'v1', deletionInMs: 5000, gracePeriodSeconds: 30 };
  const due = { name: 'v1-c', revision: 'v1', deletionInMs: 0 };
  const staying = { name: 'v1-d', revision: 'v1' };
  const other = { name: 'v2-a', revision: 'v2', deletionInMs: -1 };
  const pods = [stuck, going, due, staying, other];
  const left = (more: Given) => {
    const { did, requeueAfterSeconds } = pass({ pods, ...more });
    return [did.filter((text) => text.includes('Pod ')), requeueAfterSeconds];
  };

  it('[issue 10.7] are removed when their time is over, of the side that shrinks alone; the others are given theirs', () => {
    expect(left({ autoscalers: [at('v1', 3, { terminating: 2 }), at('v2', 1)] })).toEqual([['delete Pod v1-a in 0 s'], [30]]);
  });

  it('[issue 10.7] are removed at once where the new side waits for their room, and only then', () => {
    const spec = { rolloutStrategy: 'resourceutil' };
    const waiting = at('v2', 0);
    const went = ['delete Pod v1-a in 0 s', 'delete Pod v1-b in 0 s', 'delete Pod v1-c in 0 s'];
    expect(left({ spec, autoscalers: [at('v1', 3, { terminating: 2 }), waiting] })).toEqual([went, []]);
    for (const bounds of [
      { stageMinScale: 0, stageMaxScale: 4 },
      { stageMinScale: 1, stageMaxScale: 0 },
    ]) {
      expect(left({ spec, autoscalers: [at('v1', 3, { terminating: 2 }), { ...waiting, bounds }] })).toEqual([
        ['delete Pod v1-a in 0 s'],
        [30],
      ]);
    }
    // What adds first never has a side that waits for room, though it may have one that may have nothing.
    const none = [OLD, { ...NEW, minScale: 0, maxScale: 0 }];
    const found = left({ spec: { stageTargetRevisions: none }, autoscalers: [at('v1', 3, { terminating: 2 }), at('v2', 1)] });
    expect(found).toEqual([['delete Pod v1-a in 0 s'], [30]]);
  });

  it('[issue 10.7] are left alone once enough are gone', () => {
    expect(left({ autoscalers: [at('v1', 3), at('v2', 1)] })).toEqual([[], []]);
  });
});

describe('autoscalers of revisions that the rollout does not name', () => {
  const through = [at('v1', 3), at('v2', 1)];

  it('[issue 10.7] are drained, unless they are at nothing already', () => {
    const { did } = pass({ autoscalers: [at('v0', 2), at('v00', 0), ...through] });
    expect(did.filter((text) => text.includes('v0'))).toEqual(['update v0 0-1']);
    // Where it came from is named by the rollout, though not by its stage.
    expect(pass({ spec: { stageTargetRevisions: [NEW] }, autoscalers: [at('v1', 4), at('v2', 0)] }).did).toEqual(['update v2 1-4']);
  });

  it('[issue 10.7] are deleted once their revision is gone, and never where nobody says which revisions there are', () => {
    const autoscalers = [at('v0', 0), ...through];
    const deleted = (revisions?: ReadonlySet<string>) =>
      pass({ autoscalers, ...(revisions === undefined ? {} : { options: { revisions } }) }).did.filter((text) => text.startsWith('delete'));
    expect(deleted(new Set(['v1', 'v2']))).toEqual(['delete StagePodAutoscaler v0']);
    expect(deleted(new Set(['v0', 'v1', 'v2']))).toEqual([]);
    expect(deleted()).toEqual([]);
  });

  it('[issue 10.7] are deleted also in a pass that fails', () => {
    const { did, fault } = pass({
      spec: { stageTargetRevisions: [OLD] },
      autoscalers: [at('v0', 0)],
      options: { revisions: new Set(['v1']) },
    });
    expect(fault?.code).toBe('NoScaleUpRevision');
    expect(did).toEqual(['delete StagePodAutoscaler v0']);
  });
});

describe('a pass', () => {
  it('[issue 10.7] of a rollout without a stage does nothing and fails nothing', () => {
    const { did, fault, is } = pass({ spec: { stageTargetRevisions: undefined }, autoscalers: [at('v0', 3)] });
    expect([did, fault, is('Ready')]).toEqual([[], undefined, 'Unknown']);
  });

  it('[issue 10.7] takes note of the spec that it looked at, and takes Ready back where that is newer', () => {
    const done = manageRolloutConditions(NOW);
    const conditions = done.lastStageComplete(done.stageReady(done.scaleDownReady(done.scaleUpReady([]))));
    const held = { status: { conditions, stageRevisionStatus: [TARGET] }, spec: { stageTargetRevisions: [] } };
    expect(pass(held).is('Ready')).toBe('True');
    const newer = pass({ ...held, generation: 2 });
    expect([newer.is('Ready'), newer.is('StageReady'), newer.status.observedGeneration]).toEqual(['Unknown', 'True', 2]);
  });

  it('[issue 10.7] launches the stage that was set after the last one was through, unless it is held', () => {
    const { stageReady, lastStageIncomplete, scaleDownReady, scaleUpReady } = manageRolloutConditions(NOW);
    const conditions = lastStageIncomplete(stageReady(scaleDownReady(scaleUpReady([]))));
    const next = [
      { ...OLD, percent: 50, targetReplicas: 2 },
      { ...NEW, percent: 50, targetReplicas: 2 },
    ];
    const given = {
      spec: { stageTargetRevisions: next },
      status: { conditions, stageRevisionStatus: [OLD, NEW] },
      autoscalers: [at('v1', 3), at('v2', 1)],
      generation: 2,
    };
    const launched = pass(given);
    expect([launched.is('StageReady'), launched.is('StageScaleUpReady'), launched.is('Ready')]).toEqual(['Unknown', 'Unknown', 'Unknown']);
    const kept = pass({ ...given, options: { relaunch: false } });
    expect([kept.is('StageReady'), kept.is('LastStageReady')]).toEqual(['True', 'Unknown']);
    // The first side grows at once; nothing is taken away before the stage is under way.
    expect(launched.did).toEqual(['update v2 2-4']);
  });

  it.each([
    { what: 'failed', mark: (conditions: Rollout['status']['conditions']) => manageRolloutConditions(NOW).stageFailed(conditions) },
    { what: 'is complete', mark: (conditions: Rollout['status']['conditions']) => conditions },
  ])('[rollout 7.1] launches no stage over one that $what, though the target is not reached', ({ mark }) => {
    const { stageReady, lastStageComplete, scaleDownReady, scaleUpReady } = manageRolloutConditions(NOW);
    const conditions = mark(lastStageComplete(stageReady(scaleDownReady(scaleUpReady([])))));
    const { did, is } = pass({ status: { conditions, stageRevisionStatus: [OLD, NEW] }, autoscalers: [at('v1', 3), at('v2', 1)] });
    expect([is('StageReady'), is('LastStageReady'), is('Ready')]).toEqual(['True', 'True', 'True']);
    expect(did).toEqual(['update v2 1-4']);
  });

  it('[issue 10.7] over what is complete leaves it complete, since when it was', () => {
    const before = manageRolloutConditions(toInstant(NOW - 60_000));
    const conditions = before.lastStageComplete(before.stageReady(before.scaleDownReady(before.scaleUpReady([]))));
    const stage = [{ ...NEW, percent: 100, targetReplicas: 4 }];
    const { is, status } = pass({
      spec: { stageTargetRevisions: stage },
      status: { conditions, stageRevisionStatus: stage },
      autoscalers: [at('v2', 4)],
    });
    expect([is('Ready'), is('StageReady'), is('LastStageReady')]).toEqual(['True', 'True', 'True']);
    expect(new Set(status.conditions.map(({ lastTransitionTime }) => lastTransitionTime))).toEqual(
      new Set([toKubeTime(toInstant(NOW - 60_000))]),
    );
  });

  it('[issue 10.7] that comes upon what is no fault of a stage fails as a whole, and takes a fault for what became of it', () => {
    class Broken extends StageTransaction {
      readonly #error: Error;
      constructor(error: Error) {
        super({ autoscalers: [] });
        this.#error = error;
      }
      override get(): never {
        throw this.#error;
      }
      override list(): never {
        throw this.#error;
      }
    }
    class Unread extends Broken {
      override list = () => [] as never;
    }
    const spec = { stageTargetRevisions: [OLD, NEW], targetRevisions: [TARGET] };
    const status = { observedGeneration: 1, conditions: [] };
    const ro: Rollout = { name: 'web', namespace: 'shop', uid: 'ro-1', generation: 1, spec, status };
    for (const Ledger of [Broken, Unread]) {
      expect(() => runStage(ro, new Ledger(new TypeError('broken')), { now: NOW })).toThrow(new TypeError('broken'));
      expect(runStage(ro, new Ledger(new StageFault('ReadFailed', 'unread')), { now: NOW }).fault?.code).toBe('ReadFailed');
    }
  });
});
