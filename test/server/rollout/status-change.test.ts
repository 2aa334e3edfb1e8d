import { describe, expect, it } from 'vitest';
import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { toInstant, toIso } from '@/lib/std/instant';
import type { StoreChange } from '@/server/kube';
import type { StateOf } from '@/server/rollout/control/state';
import type { Observation, RolloutDecision } from '@/server/rollout/decide';
import { decide } from '@/server/rollout/decide';
import { classifyChange, countedFieldsOf, LostStates, Progress } from '@/server/rollout/status-change';
import type { Simulation } from './simulation';
import { aSimulation } from './simulation';

const KEY = 'shop/web' as ObjectKey;
const OTHER = 'shop/other' as ObjectKey;

/** A rollout in its first stage, of which nothing is new to the status that is stored. */
function inStage(): { readonly seen: Observation; readonly decision: RolloutDecision; readonly simulation: Simulation } {
  const simulation = aSimulation(4, { overConsumptionRatio: 25, control: { gates: 'every-stage' } });
  simulation.settleUntil('a stage is under way', () => simulation.stored.state === 'stage');
  const seen = simulation.observe();
  return { seen, decision: decide(seen, simulation.now), simulation };
}

const stageOf = ({ view: { control } }: Observation): StateOf<'stage'> => {
  if (control.state !== 'stage') throw new Error(`found ${control.state}, wanted a stage`);
  return control;
};

describe('[issue 4] what a pass has to write of a status', () => {
  const { seen, decision } = inStage();
  const { ro } = seen.view;
  const control = stageOf(seen);
  const { status } = ro.rollout;
  const held = { ...decision, control, status };
  const told = (change: Partial<RolloutDecision>) => classifyChange(ro, { ...held, ...change });
  const conditions = (type: string, value: 'True' | 'False' | 'Unknown') =>
    ({
      ...status,
      conditions: [...status.conditions.filter((one) => one.type !== type), { type, status: value, message: 'other' }],
    }) as typeof status;

  it('is nothing where nothing is another, or nothing is to be told', () => {
    expect([told({}), told({ control: undefined })]).toEqual(['none', 'none']);
  });

  it('only counts where a stage moved on, or how far its two steps have got is another', () => {
    const progress = { score: 99, at: toIso(toInstant(0)) };
    expect(told({ control: { ...control, progress } })).toBe('counts');
    expect([
      told({ status: conditions('StageScaleUpReady', 'Unknown') }),
      told({ status: conditions('StageScaleDownReady', 'Unknown') }),
    ]).toEqual(['counts', 'counts']);
  });

  it('is news where anything else is another, or nothing is stored yet', () => {
    expect(told({ status: conditions('Ready', 'False') })).toBe('news');
    expect(told({ control: { ...control, message: 'another' } })).toBe('news');
    expect(told({ control: { ...control, message: 'another', progress: { score: 99, at: toIso(toInstant(0)) } } })).toBe('news');
    expect(classifyChange({ ...ro, control: undefined }, held)).toBe('news');
    expect(told({ status: undefined })).toBe('news');
  });

  it('counts by the progress of a stage and by the conditions', () => {
    expect(countedFieldsOf({ ...held, control: undefined })).toEqual([undefined, status.conditions]);
    const progress = { score: 2, at: toIso(toInstant(0)) };
    expect(countedFieldsOf({ ...held, control: { ...control, progress } })).toEqual([progress, status.conditions]);
    expect(countedFieldsOf({ ...held, control: { ...seen.view.control, state: 'idle' } as never, status: undefined })).toEqual([
      undefined,
      undefined,
    ]);
  });
});

describe('[issue 4] progress that is not stored yet', () => {
  const { seen } = inStage();
  const control = stageOf(seen);
  const at = (score: number | undefined, more: Partial<StateOf<'stage'>> = {}): StateOf<'stage'> => ({
    ...control,
    ...more,
    progress: score === undefined ? undefined : { score, at: toIso(toInstant(score)) },
  });
  const look = (held: StateOf<'stage'>): Observation => ({ ...seen, view: { ...seen.view, control: held } });
  /** The score by which a pass goes that sees the one, where another was noted. */
  const recalled = (noted: Parameters<Progress['note']>[1], held: StateOf<'stage'>) => {
    const progress = new Progress();
    progress.note(KEY, noted);
    return stageOf(progress.recall(KEY, look(held))).progress?.score;
  };

  it('is recalled where it is further than what is stored', () => {
    expect([recalled(at(3), at(2)), recalled(at(3), at(undefined)), recalled(at(2), at(3)), recalled(at(undefined), at(1))]).toEqual([
      3, 3, 3, 1,
    ]);
  });

  it('is that of the very stage and of the very attempt', () => {
    expect(recalled(at(3, { stage: 7 }), at(2))).toBe(2);
    expect(recalled(at(3, { attempt: { ...control.attempt, id: 'another' } }), at(2))).toBe(2);
    const progress = new Progress();
    progress.note(KEY, at(3));
    const boundary = {
      ...seen,
      view: { ...seen.view, control: { ...control, state: 'boundary', percent: 25, progress: undefined } as never },
    };
    const again = look({ ...at(3), progress: { score: 3, at: toIso(toInstant(99)) } });
    for (const same of [boundary, again]) expect(progress.recall(KEY, same)).toBe(same);
    progress.forget(KEY);
    progress.note(OTHER, at(3));
    expect(progress.recall(KEY, look(at(2)))).toEqual(look(at(2)));
  });

  it('is forgotten where the rollout is in no stage any more, or gone', () => {
    const progress = new Progress();
    for (const forget of [() => progress.note(KEY, undefined), () => progress.forget(KEY)]) {
      progress.note(KEY, at(3));
      forget();
      expect(stageOf(progress.recall(KEY, look(at(2)))).progress?.score).toBe(2);
    }
  });
});

describe('[issue 9.3] a state that went from its object', () => {
  const { seen, simulation } = inStage();
  const { ro: object } = simulation;
  const bare = (uid = 'ro-1', more: object = {}): KubeObject => ({ ...object, metadata: { ...object.metadata, uid }, status: {}, ...more });
  /** What is recalled after changes; the rollout that is looked at has no state. */
  function recalledAfter(...changes: readonly Partial<StoreChange>[]) {
    const lost = new LostStates({
      subscribe: (hear) => {
        for (const change of changes) hear({ key: KEY, before: undefined, after: undefined, ...change });
        return () => undefined;
      },
    });
    const stateless = {
      ...seen,
      view: { ...seen.view, control: { ...seen.view.control, state: 'idle' } as never, ro: { ...seen.view.ro, control: undefined } },
    };
    const faulty = { ...stateless, view: { ...stateless.view, ro: { ...stateless.view.ro, fault: { field: 'spec', problem: 'bad' } } } };
    return {
      state: lost.recall(KEY, stateless).view.control.state,
      kept: lost.recall(KEY, stateless).view.ro.control?.state,
      faulty: lost.recall(KEY, faulty).view.control.state,
      held: lost.recall(KEY, seen).view === seen.view,
      other: lost.recall(OTHER, stateless).view.control.state,
    };
  }
  const dropped = { before: object, after: bare() };

  it('is recalled for that rollout alone, where it has none and can be read', () => {
    expect(recalledAfter(dropped)).toEqual({ state: 'stage', kept: 'stage', faulty: 'idle', held: true, other: 'idle' });
    expect(recalledAfter(dropped, { before: bare(), after: bare('ro-1', { spec: { paused: true } }) }).state).toBe('stage');
  });

  it('is forgotten where it is there again, and where the rollout is gone or another of its name', () => {
    for (const change of [
      { before: bare(), after: object },
      { before: bare(), after: undefined },
      { before: bare(), after: bare('ro-2') },
      { before: undefined, after: bare() },
    ])
      expect(recalledAfter(dropped, change).state).toBe('idle');
    expect(recalledAfter({ before: object, after: { ...object, metadata: { ...object.metadata, uid: 'ro-2' }, status: {} } }).state).toBe(
      'idle',
    );
  });

  it('goes with the terms in force that it held', () => {
    const terms = { ratio: 5, overlap: true, control: { gates: 'every-stage' } };
    const status = object.status as { readonly control: object };
    const stricter = { ...object, status: { ...status, control: { ...status.control, terms } } };
    const lost = new LostStates({
      subscribe: (hear) => {
        hear({ key: KEY, before: stricter, after: bare() });
        return () => undefined;
      },
    });
    const stateless = { ...seen, view: { ...seen.view, ro: { ...seen.view.ro, control: undefined } } };
    expect(lost.recall(KEY, stateless).view.ro.terms.ratio).toBe(5);
  });
});
