import { describe, expect, it } from 'vitest';
import { controlState } from '@/server/rollout/control/state';

const at = (minute: number) => `2026-01-01T09:${String(minute).padStart(2, '0')}:00Z`;
const entry = (minute: number, action: string, message = '') => ({ id: `e${minute}`, at: at(minute), actor: 'slipway', action, message });
const ATTEMPT = { id: 'ro-1/web-v2/1', target: [{ revisionName: 'web-v2', percent: 100 }], startedAt: at(1) };
const AT_GATE = { phase: 'Paused', rollout: ATTEMPT, completedStages: 2, currentStageIndex: 2 };

// One flat record with flags, as the release before the states wrote it.
const read = (flat: object) => controlState.parse(flat);

describe('a flat record of the release before', () => {
  it('[issue 9.3] without a target is of a rollout that was asked for none, and keeps what was decided and what happened', () => {
    const kept = { phase: 'Healthy', message: 'nothing to do', handled: ['d1'], history: [entry(0, 'rollout.paused')] };
    expect(read(kept)).toMatchObject({ state: 'idle', ...kept });
  });

  it('[issue 9.3] that is through stays so at its last stage', () => {
    expect(read({ ...AT_GATE, phase: 'Healthy' })).toMatchObject({ state: 'done', stage: 2, attempt: { id: ATTEMPT.id } });
  });

  it('[issue 9.3] of an abort names what was rejected, or the target where it does not say, and knows the attempt by it alone', () => {
    const aborted = { abort: true, abortDone: true, abortReason: 'errors', abortedAt: at(5) };
    const told = { state: 'aborted', reason: 'errors', since: at(5) };
    expect(read({ ...aborted, rollout: ATTEMPT })).toMatchObject({ ...told, rejected: 'web-v2' });
    expect(read({ ...aborted, rollout: ATTEMPT, rejectedRevision: 'web-v3' })).toMatchObject({ ...told, rejected: 'web-v3' });
    const alone = read({ ...aborted, rejectedRevision: 'web-v3' });
    expect(alone).toMatchObject({ ...told, rejected: 'web-v3' });
    expect(alone).toMatchObject({ attempt: { id: 'web-v3', target: [{ revisionName: 'web-v3', percent: 100 }] } });
  });

  it('[issue 9.3] counts at its gate the approvals of that gate alone, since it was reached, and no advance of another', () => {
    const approvals = [1, 2, 3].map((stage) => ({ stage, actor: `person-${stage}`, at: at(stage) }));
    const gate = { state: 'boundary', stage: 2, since: at(7), approvals: [{ actor: 'person-2' }], advanced: false };
    expect(read({ ...AT_GATE, approvals, stageReadyAt: at(7), advanced: 1 })).toMatchObject(gate);
    expect(read({ ...AT_GATE, approvals })).toMatchObject({ ...gate, since: at(1) });
    expect(read({ ...AT_GATE, advanced: 2 })).toMatchObject({ approvals: [], advanced: true });
  });

  it('[issue 9.3] in a stage has been in it since that began, or since the rollout did', () => {
    const running = { ...AT_GATE, phase: 'Progressing', currentStageIndex: 3 };
    expect(read({ ...running, stageStartedAt: at(8) })).toMatchObject({ state: 'stage', stage: 3, since: at(8) });
    expect(read(running)).toMatchObject({ state: 'stage', stage: 3, since: at(1) });
  });
});

describe('the stages of a flat record', () => {
  const stagesOf = (history: readonly object[], more: object = {}) => {
    const found = read({ ...AT_GATE, history, ...more });
    if (found.state === 'idle') throw new Error('no attempt was found');
    return found.attempt.stages.map(({ index, startedAt, endedAt, revisions: [first] }) => [index, startedAt, endedAt, first?.percent]);
  };
  const through = (minute: number, percent: number) => entry(minute, 'stage.completed', `stage reached: web-v2 at ${percent} %`);

  it('[issue 9.3] are read from what happened since the rollout began, each from the end of the one before', () => {
    const history = [through(0, 50), entry(1, 'rollout.started'), through(2, 12.25), through(3, 50)];
    expect(stagesOf([...history, entry(4, 'rollout.completed', 'all traffic goes to web-v2')])).toEqual([
      [1, at(1), at(2), 12.25],
      [2, at(2), at(3), 50],
      [3, at(3), at(4), 100],
    ]);
  });

  it('[issue 9.3] are of the percent that was told, with a space before the sign or without', () => {
    expect(stagesOf([entry(1, 'rollout.started'), entry(2, 'stage.completed', 'stage reached: web-v2 at 25%')])).toEqual([
      [1, at(1), at(2), 25],
    ]);
  });

  it.each(['rollout.aborted', 'decision.abort'])('[issue 9.3] end with an abort (%s), and begin anew with a retry', (abort) => {
    const back = [entry(1, 'rollout.started'), through(2, 25), entry(3, abort), through(4, 75)];
    expect(stagesOf(back)).toEqual([[1, at(1), at(2), 25]]);
    expect(stagesOf([...back, entry(5, 'decision.retry'), through(6, 10)])).toEqual([[1, at(5), at(6), 10]]);
  });

  it('[issue 9.3] are all that happened where the beginning is forgotten, and those that it has itself where it has any', () => {
    expect(stagesOf([through(2, 25), through(3, 50)])).toEqual([
      [1, at(2), at(2), 25],
      [2, at(2), at(3), 50],
    ]);
    const own = { index: 1, way: 'forward', endedAt: at(9), revisions: [{ revision: 'web-v2', direction: 'up', percent: 33 }] };
    expect(stagesOf([through(2, 25)], { stages: [own] })).toEqual([[1, undefined, at(9), 33]]);
  });
});
