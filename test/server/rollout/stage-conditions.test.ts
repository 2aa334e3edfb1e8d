import { describe, expect, it } from 'vitest';
import type { Condition } from '@/lib/kube/condition';
import { toInstant, toKubeTime } from '@/lib/std/instant';
import { getStageFault, StageFault } from '@/server/rollout/fault';
import { manageConditions, manageRolloutConditions, ROLLOUT_SET, statusOf, withTimesOf } from '@/server/rollout/stage/conditions';
import type { SpaSources } from '@/server/rollout/stage/spa-status';
import { computeSpaStatus, countTerminating, figuresOfGone } from '@/server/rollout/stage/spa-status';
import { StageTransaction } from '@/server/rollout/stage/transaction';

const NOW = toInstant(Date.UTC(2026, 0, 1));
const LATER = toInstant(NOW + 60_000);
type Conditions = readonly Condition[];
const find = (conditions: Conditions, type: string) => conditions.find((one) => one.type === type);
const { initialise, stageReady, stageInProgress, lastStageComplete, lastStageIncomplete, stageFailed, scaleUpReady, newGeneration } =
  manageRolloutConditions(NOW);
const complete = () => lastStageComplete(stageReady([]));

describe('whether a rollout is ready', () => {
  it.each<{ readonly what: string; readonly made: () => Conditions; readonly ready: string; readonly reason?: string }>([
    { what: 'nothing is known', made: () => initialise([]), ready: 'Unknown' },
    { what: 'its stage is through, and of the last nothing is known', made: () => stageReady([]), ready: 'Unknown' },
    { what: 'its last stage is through', made: complete, ready: 'True' },
    { what: 'its stage is under way', made: () => stageInProgress(complete()), ready: 'Unknown', reason: 'StageRevisionStart' },
    { what: 'stages are to come', made: () => lastStageIncomplete(complete()), ready: 'Unknown', reason: 'RevisionRollingInProgress' },
    { what: 'its stage failed', made: () => stageFailed(complete()), ready: 'False', reason: 'RevisionRolloutFailed' },
    {
      what: 'its stage failed, though another is under way',
      made: () => stageInProgress(stageFailed([])),
      ready: 'False',
      reason: 'RevisionRolloutFailed',
    },
    { what: 'another spec is there', made: () => newGeneration(complete()), ready: 'Unknown', reason: 'NewObservedGenFailure' },
    { what: 'one half of its stage is through', made: () => scaleUpReady(complete()), ready: 'True' },
  ])('[issue 10.7] where $what: $ready', ({ made, ready, reason }) => {
    const conditions = made();
    expect(find(conditions, 'Ready')).toMatchObject({ status: ready });
    expect(find(conditions, 'Ready')?.reason).toBe(reason);
  });

  it('[issue 10.7] goes by what failed, and by what is unknown only where nothing did', () => {
    const marks = manageConditions({ dependents: ['A', 'B', 'C'] }, NOW);
    const failed = marks.markFalse(marks.markUnknown([], 'A', 'StageRevisionStart'), 'B', 'RevisionRolloutFailed', 'no pod came up');
    const later = marks.markTrue(marks.markUnknown(failed, 'A', 'StageRevisionStart', 'waits'), 'C');
    expect(find(later, 'Ready')).toMatchObject({ status: 'False', reason: 'RevisionRolloutFailed', message: 'no pod came up' });
    expect(find(marks.markTrue(later, 'B'), 'Ready')).toMatchObject({ status: 'Unknown', reason: 'StageRevisionStart', message: 'waits' });
  });

  it('[issue 10.7] is told by what changed last, also within one second and whatever its name', () => {
    const reasonOf = (marks: ReturnType<typeof manageConditions>, conditions: Conditions) =>
      find(marks.markTrue(conditions, 'X'), 'Ready')?.message;
    for (const order of [
      ['A', 'B'],
      ['B', 'A'],
    ]) {
      const set = { dependents: ['A', 'B', 'X'] };
      const at = manageConditions(set, NOW);
      const within = order.reduce<Conditions>((held, type) => at.markUnknown(held, type, 'StageRevisionStart', type), []);
      expect(reasonOf(at, within)).toBe(order[1]);
      const [first = '', last = ''] = order;
      const later = manageConditions(set, LATER).markUnknown(
        at.markUnknown([], first, 'StageRevisionStart', first),
        last,
        'StageRevisionStart',
        last,
      );
      expect(reasonOf(manageConditions(set, LATER), later)).toBe(last);
    }
  });

  it('[rollout 4] stays failed while something else is under way: by the same words, or, where it did not say so yet, by those of what begins', () => {
    const failed = stageFailed([], 'no pod came up');
    const held = manageRolloutConditions(LATER).stageInProgress(failed);
    expect(find(held, 'Ready')).toBe(find(failed, 'Ready'));
    const cured = manageConditions(ROLLOUT_SET, LATER).markUnknown(
      [...failed.filter(({ type }) => type !== 'Ready')],
      'StageReady',
      'StageRevisionStart',
    );
    expect(find(cured, 'Ready')).toMatchObject({ status: 'False', reason: 'StageRevisionStart' });
  });

  it('[rollout 4] is unknown of a newer spec, and false of one whose stage failed', () => {
    const { newGeneration } = manageConditions(ROLLOUT_SET, LATER);
    expect(find(newGeneration(complete()), 'Ready')).toMatchObject({ status: 'Unknown', reason: 'NewObservedGenFailure' });
    const failed = stageFailed([], 'no pod came up').filter(({ type }) => type !== 'Ready');
    expect(find(newGeneration(failed), 'Ready')).toMatchObject({ status: 'False', reason: 'NewObservedGenFailure' });
    expect(newGeneration(failed).filter(({ type }) => type !== 'Ready')).toEqual(failed);
  });

  it('[issue 10.7] is listed by name, whatever came first', () => {
    const types = lastStageComplete(scaleUpReady(stageReady([]))).map(({ type }) => type);
    expect(types).toEqual([...types].sort());
  });

  it('[issue 10.7] does not hang on what only informs, which says so', () => {
    const marks = manageConditions(ROLLOUT_SET, NOW);
    const failed = marks.markFalse(complete(), 'StageScaleUpReady', 'StageRevisionStart');
    expect(statusOf(failed, 'Ready')).toBe('True');
    expect(find(failed, 'StageScaleUpReady')?.severity).toBe('Info');
    expect(find(failed, 'StageReady')?.severity).toBeUndefined();
    expect(find(failed, 'Ready')?.severity).toBeUndefined();
    const unknown = marks.markUnknown(complete(), 'StageScaleUpReady', 'StageRevisionStart');
    expect(statusOf(unknown, 'Ready')).toBe('True');
  });

  it('[issue 10.7] begins with every condition that it hangs on, as far as one was not there', () => {
    const types = (conditions: Conditions) => conditions.map(({ type, status }) => `${type} ${status}`);
    expect(types(initialise([]))).toEqual(['LastStageReady Unknown', 'Ready Unknown', 'StageReady Unknown']);
    expect(types(initialise([{ type: 'Ready', status: 'True' }]))).toEqual(['LastStageReady True', 'Ready True', 'StageReady True']);
    const made = complete();
    expect(initialise(made)).toBe(made);
  });
});

describe('since when a condition holds', () => {
  it('[issue 10.7] is kept while it says the same, and set anew with whatever differs', () => {
    const marks = manageConditions(ROLLOUT_SET, LATER);
    const before = manageConditions(ROLLOUT_SET, NOW).markFalse([], 'StageReady', 'StageRevisionRolloutFailed', 'no pod came up');
    const at = (conditions: Conditions) => find(conditions, 'StageReady')?.lastTransitionTime;
    expect(at(marks.markFalse(before, 'StageReady', 'StageRevisionRolloutFailed', 'no pod came up'))).toBe(toKubeTime(NOW));
    expect(at(marks.markFalse(before, 'StageReady', 'StageRevisionRolloutFailed', 'another pod'))).toBe(toKubeTime(LATER));
    expect(at(marks.markFalse(before, 'StageReady', 'RevisionRolloutFailed', 'no pod came up'))).toBe(toKubeTime(LATER));
    expect(at(marks.markUnknown(before, 'StageReady', 'StageRevisionRolloutFailed', 'no pod came up'))).toBe(toKubeTime(LATER));
    const informing = marks.markTrue(
      [{ type: 'StageScaleUpReady', status: 'True', lastTransitionTime: toKubeTime(NOW) }],
      'StageScaleUpReady',
    );
    expect(find(informing, 'StageScaleUpReady')).toMatchObject({ severity: 'Info', lastTransitionTime: toKubeTime(LATER) });
  });

  it('[issue 10.7] is that of before where a pass took it back and said it again', () => {
    const [before, again] = [complete(), manageRolloutConditions(LATER)];
    const said = again.stageReady(again.stageInProgress(before));
    expect(find(said, 'StageReady')?.lastTransitionTime).toBe(toKubeTime(LATER));
    const kept = withTimesOf(before, said);
    expect(find(kept, 'StageReady')).toBe(find(before, 'StageReady'));
    const other = withTimesOf(before, again.stageInProgress(before));
    expect(find(other, 'StageReady')).toMatchObject({ status: 'Unknown', lastTransitionTime: toKubeTime(LATER) });
    expect(withTimesOf([], before)).toEqual(before);
  });
});

describe('the figures of one side', () => {
  const held = { conditions: [], desiredScale: 9, actualScale: 9, replicasTerminating: 1 };
  const going = { phase: 'Running', deleting: true };
  const of = (sources: SpaSources) => {
    const { conditions, ...figures } = computeSpaStatus(held, sources, NOW);
    const { status, message } = find(conditions, 'PodAutoscalerStageReady') ?? {};
    return { ...figures, status, message };
  };

  it.each<{ readonly what: string; readonly sources: SpaSources; readonly found: object }>([
    {
      what: 'are what is told, with the pods that are going',
      sources: { scales: { desiredScale: 3, actualScale: 2 }, pods: [going, going] },
      found: { desiredScale: 3, actualScale: 2, replicasTerminating: 2, status: 'True', message: undefined },
    },
    {
      what: 'stay as they were where nothing scales it, its pods too',
      sources: { pods: [going, going] },
      found: { desiredScale: 9, actualScale: 9, replicasTerminating: 1, status: 'Unknown', message: 'no scale is known for this revision' },
    },
    {
      what: 'stay where it is not told what is wanted, but for its pods',
      sources: { scales: { actualScale: 2 }, pods: [], missing: 'no Deployment' },
      found: { desiredScale: 9, actualScale: 9, replicasTerminating: 0, status: 'Unknown', message: 'no Deployment' },
    },
    {
      what: 'stay where it is not told what is there, but for its pods',
      sources: { scales: { desiredScale: 2 }, pods: [] },
      found: { desiredScale: 9, actualScale: 9, replicasTerminating: 0, status: 'Unknown', message: 'no scale is known for this revision' },
    },
  ])('[issue 10.7] $what', ({ sources, found }) => {
    expect(of(sources)).toEqual(found);
  });

  it('[issue 10.7] count pods that run and are being deleted, and no others', () => {
    const pods = [
      going,
      { phase: 'Running' },
      { phase: 'Running', deleting: false },
      { phase: 'Pending', deleting: true },
      { deleting: true },
    ];
    expect(countTerminating(pods)).toBe(1);
    expect(countTerminating([])).toBe(0);
  });

  it('[rollout 9] are none where its workload is gone, but for pods that still run', () => {
    const pods = [{ phase: 'Running' }, { phase: 'Running' }, { phase: 'Pending' }, {}];
    expect(figuresOfGone(pods)).toEqual({ desiredScale: 0, actualScale: 0, replicasTerminating: 2 });
  });

  it('[rollout 9] make it ready as long as both scales are known, and no longer', () => {
    const ready = (conditions: Conditions, scales?: SpaSources['scales']) =>
      computeSpaStatus({ ...held, conditions }, { scales, pods: [] }, NOW).conditions;
    const known = ready([], { desiredScale: 2, actualScale: 2 });
    expect([statusOf(ready([]), 'Ready'), statusOf(known, 'Ready'), statusOf(ready(known), 'Ready')]).toEqual([
      'Unknown',
      'True',
      'Unknown',
    ]);
  });
});

describe('what a pass has read', () => {
  const web = { name: 'v1', bounds: {}, figures: {}, ready: true };

  it('[issue 10.7] is what was there at its start, with the bounds that it sets itself', () => {
    const transaction = new StageTransaction({ autoscalers: [web] });
    transaction.update(web, { stageMinScale: 1, stageMaxScale: 2 });
    expect(transaction.require('v1').bounds).toEqual({ stageMinScale: 1, stageMaxScale: 2 });
    expect([transaction.list().length, transaction.get('v2'), transaction.peek('v2'), transaction.pods]).toEqual([
      1,
      undefined,
      undefined,
      [],
    ]);
    expect(() => transaction.require('v2')).toThrow('StagePodAutoscaler v2 does not exist yet');
  });

  it('[issue 10.7] is done without where it is only a look, unless something else is wrong than the reading', () => {
    class Unreadable extends StageTransaction {
      readonly #error: Error;
      constructor(error: Error) {
        super({ autoscalers: [] });
        this.#error = error;
      }
      override get(): never {
        throw this.#error;
      }
    }
    const fault = new StageFault('ReadFailed', 'could not be read');
    expect(new Unreadable(fault).peek('v1')).toBeUndefined();
    expect(() => new Unreadable(new TypeError('broken')).peek('v1')).toThrow('broken');
    expect([getStageFault(fault), getStageFault(new TypeError('broken'))]).toEqual([fault, undefined]);
  });
});
