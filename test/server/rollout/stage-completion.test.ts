import { describe, expect, it } from 'vitest';
import type { Revisions } from '@/server/rollout/model';
import { completedStage, lastStage, overlapsNext, pruneStage, splitRevisions } from '@/server/rollout/stage/completion';

const entry = (revisionName: string, percent?: number, direction?: string) => ({
  revisionName,
  ...(percent === undefined ? {} : { percent }),
  ...(direction === undefined ? {} : { direction }),
});
const namesOf = (revisions: Revisions) => revisions.map(({ revisionName, direction = '' }) => `${revisionName} ${direction}`.trim());

describe('the sides of a stage', () => {
  it('[issue 10.7] are what grows and what shrinks; what stays is on neither', () => {
    const { up, down } = splitRevisions([entry('a', 50, 'down'), entry('b', 20, 'stay'), entry('c', 30, 'up'), entry('d', 0)]);
    expect([[...up.keys()], [...down.keys()]]).toEqual([['c', 'd'], ['a']]);
  });

  it('[issue 10.7] have each revision once, by its last entry', () => {
    const { up } = splitRevisions([entry('a', 10, 'up'), entry('a', 20, 'up')]);
    expect(up.get('a')?.percent).toBe(20);
  });
});

describe('a completed stage', () => {
  it('[issue 10.7] is without what ended, and the last that stayed is the next to drain', () => {
    const stage = [
      entry('gone', undefined, 'down'),
      entry('zero', 0, 'down'),
      entry('a', 10, 'stay'),
      entry('b', 10, 'stay'),
      entry('c', 80, 'up'),
    ];
    expect(namesOf(pruneStage(stage))).toEqual(['a stay', 'b down', 'c up']);
  });

  it('[issue 10.7] keeps the latest revision also at nothing, though not without a share', () => {
    const latest = { ...entry('c', 0, 'up'), latestRevision: true };
    expect(namesOf(pruneStage([latest, entry('a', 100, 'down'), { ...entry('b'), latestRevision: true }]))).toEqual(['c up', 'a down']);
    expect(namesOf(pruneStage([{ ...entry('c', 0, 'up'), latestRevision: false }, entry('a', 100, 'down')]))).toEqual(['a down']);
  });

  it('[issue 10.7] where nothing ended drains nothing that stayed', () => {
    expect(namesOf(pruneStage([entry('a', 50, 'stay'), entry('c', 50, 'up')]))).toEqual(['a stay', 'c up']);
  });

  it('[issue 10.7] is looked through only where it has more revisions than the target', () => {
    const [gone, next] = [entry('a', undefined, 'down'), entry('b', 100, 'up')];
    expect(namesOf(completedStage([gone, next], [next]))).toEqual(['b up']);
    expect(namesOf(completedStage([gone, next], [gone, next]))).toEqual(['a down', 'b up']);
  });
});

describe('the last stage', () => {
  const target = [entry('b', 100)];

  it.each<{ readonly what: string; readonly current: Revisions | undefined; readonly of: Revisions | undefined; readonly last: boolean }>([
    { what: 'is the target', current: target, of: target, last: true },
    { what: 'is none where there is nothing to do', current: undefined, of: undefined, last: true },
    { what: 'is none where there is nothing to do, in whatever words', current: [], of: undefined, last: true },
    { what: 'has the first target carry everything', current: [entry('a'), entry('b', 100, 'up')], of: target, last: true },
    { what: 'has it carry everything, not a part', current: [entry('b', 99, 'up')], of: target, last: false },
    { what: 'has that one carry everything, not another', current: [entry('a', 100)], of: target, last: false },
    { what: 'is not there at the beginning', current: undefined, of: target, last: false },
    { what: 'is not there without a target', current: target, of: undefined, last: false },
    { what: 'needs a target of one revision', current: [entry('b', 50, 'up')], of: [entry('b', 50), entry('a', 50)], last: false },
  ])('[issue 10.7] $what: $last', ({ current, of, last }) => {
    expect(lastStage(current, of)).toBe(last);
  });

  const first = { stageTargetRevisions: [entry('a', 80, 'down'), entry('b', 20, 'up')], targetRevisions: target };
  const end = { stageTargetRevisions: [entry('a', undefined, 'down'), entry('b', 100, 'up')], targetRevisions: target };

  it.each([
    { what: 'one that has one after it', spec: { ...first, rolloutStrategy: 'availability' }, overlap: true, overlaps: true },
    {
      what: 'one of a rollout that does not overlap',
      spec: { ...first, rolloutStrategy: 'availability' },
      overlap: false,
      overlaps: false,
    },
    { what: 'one that makes room first', spec: { ...first, rolloutStrategy: 'resourceutil' }, overlap: true, overlaps: false },
    { what: 'the last one', spec: { ...end, rolloutStrategy: 'availability' }, overlap: true, overlaps: false },
    { what: 'one of a rollout without stages', spec: {}, overlap: true, overlaps: false },
  ])('[issue 10.7] waits for pods that terminate; $what overlaps the next one: $overlaps', ({ spec, overlap, overlaps }) => {
    expect(overlapsNext(spec, overlap)).toBe(overlaps);
  });
});
