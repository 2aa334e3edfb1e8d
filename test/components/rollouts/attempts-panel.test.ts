import { describe, expect, it } from 'vitest';
import { nameAttempt, stageTitle } from '@/components/rollouts/attempts-panel';
import { countGarbage, describeGarbage } from '@/components/rollouts/garbage-words';
import type { AttemptView, RolloutDetail, StageView } from '@/lib/contract/rollout-rows';

const stage = (index: number, state: StageView['state'], way: StageView['way'] = 'forward'): StageView => ({
  index,
  way,
  state,
  gate: 'none',
  percent: index * 25,
  entries: [],
  startedAt: null,
  finishedAt: null,
});
const attempt = (stages: readonly StageView[] = [], more: Partial<AttemptView> = {}): AttemptView => ({
  key: 'a',
  kind: 'rollout',
  from: ['web-v1'],
  to: 'web-v2',
  outcome: 'under-way',
  firstGate: 'none',
  stages: [...stages],
  startedAt: null,
  endedAt: null,
  ...more,
});
const at = (over: Partial<Pick<RolloutDetail, 'attempts' | 'currentStage' | 'stageCount' | 'promoted' | 'activity'>>) => ({
  attempts: [attempt()],
  currentStage: 2,
  stageCount: 4,
  promoted: false,
  activity: 'rolling-out' as const,
  ...over,
});

describe('the title of the rail', () => {
  it.each<[string, Parameters<typeof at>[0], string]>([
    ['before the first stage', { currentStage: 0 }, '4 stages ahead'],
    ['before the first attempt', { currentStage: 0, attempts: [] }, '4 stages ahead'],
    ['after an abort without an attempt', { activity: 'aborted', attempts: [] }, 'Aborted after 0 stages'],
    ['before an only stage', { currentStage: 0, stageCount: 1 }, '1 stage ahead'],
    ['in a stage', {}, 'Stage 2 of 4'],
    ['while fewer stages are planned than were reached', { currentStage: 5 }, 'Stage 4 of 4'],
    ['once it is promoted', { promoted: true }, 'Last stage of 4, promoted fully'],
    ['on the way back, before its first stage', { activity: 'aborting', currentStage: 0, stageCount: 2 }, 'Returning, stage 1 of 2'],
    ['on the way back', { activity: 'aborting', stageCount: 2 }, 'Returning, stage 2 of 2'],
    ['on the way back from a promotion', { activity: 'aborting', promoted: true, stageCount: 2 }, 'Returning, stage 2 of 2'],
  ])('[issue 9.3] %s', (_when, over, title) => {
    expect(stageTitle(at(over))).toBe(title);
  });

  it('[issue 9.3] after an abort it counts the stages that were reached on the way forward, of the present attempt alone', () => {
    const stages = [stage(1, 'done'), stage(2, 'done'), stage(3, 'failed'), stage(1, 'done', 'back'), stage(2, 'done', 'back')];
    const former = attempt([stage(1, 'done'), stage(2, 'done'), stage(3, 'done')]);
    expect(stageTitle(at({ activity: 'aborted', attempts: [attempt(stages), former] }))).toBe('Aborted after 2 stages');
    expect(stageTitle(at({ activity: 'aborted', attempts: [attempt(stages.slice(1)), former] }))).toBe('Aborted after 1 stage');
  });
});

it.each<[Partial<AttemptView>, string]>([
  [{}, 'Rollout to web-v2, in progress'],
  [{ kind: 'retry', outcome: 'completed' }, 'Retry of web-v2, completed'],
  [{ kind: 'rollback', to: 'web-v1', outcome: 'aborted' }, 'Rollback to web-v1, aborted'],
  [{ outcome: 'superseded' }, 'Rollout to web-v2, superseded'],
])('[issue 9.3] an attempt is chosen by what it was, where it went and how it ended: %o', (more, name) => {
  expect(nameAttempt(attempt([], more))).toBe(name);
});

describe('what the end of a rollout deletes, in one sentence', () => {
  it.each([
    [{ deleted: 0, held: 0, kept: 0 }, 'At the end of the rollout nothing is deleted.'],
    [{ deleted: 1, held: 0, kept: 0 }, 'At the end of the rollout 1 object is deleted.'],
    [{ deleted: 2, held: 1, kept: 1 }, 'At the end of the rollout 2 objects are deleted, 1 is held back, 1 is kept or handed over.'],
    [{ deleted: 0, held: 2, kept: 3 }, 'At the end of the rollout nothing is deleted, 2 are held back, 3 are kept or handed over.'],
  ])('[issue 9.3] %o', (counts, sentence) => {
    expect(describeGarbage(counts)).toBe(sentence);
  });

  it('[issue 9.4] counts what is handed over as kept, and nothing that is new or gone already', () => {
    const rows = ['deleted', 'held', 'kept', 'handed-over', 'new', 'gone', 'deleted'].map((verdict) => ({ verdict }) as never);
    expect(countGarbage({ rows })).toEqual({ deleted: 2, held: 1, kept: 2 });
  });
});
