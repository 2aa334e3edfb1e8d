import { describe, expect, it } from 'vitest';
import type { Clock } from '@/server/platform';
import { realClock } from '@/server/platform';
import { Batcher } from '@/server/status/live/batcher';

const MOST_ROUNDS = 20;

/** A clock that stands still but for the work itself, and a batcher whose items take as long as their names say. */
function aBatcher(startedAt = 1000) {
  let nowMs = startedAt;
  const due: { readonly delayMs: number; readonly task: () => void; isCancelled: boolean }[] = [];
  const clock: Clock = {
    ...realClock,
    steadyMs: () => nowMs,
    schedule(delayMs, task) {
      const timer = { delayMs, task, isCancelled: false };
      due.push(timer);
      return () => {
        timer.isCancelled = true;
      };
    },
  };
  let rounds = 0;
  const done: string[] = [];
  const batcher = new Batcher<string>(clock, (item) => {
    done.push(item);
    nowMs += Number(item.split(' ')[0]);
  });
  return {
    batcher,
    pass: (ms: number) => {
      nowMs += ms;
    },
    /** How long the next round waits; undefined where none is to come. */
    waits: () => due.find(({ isCancelled }) => !isCancelled)?.delayMs,
    /** Runs the next round: what was done in it. */
    round: () => {
      if (++rounds > MOST_ROUNDS) throw new Error(`the work did not end in ${MOST_ROUNDS} rounds`);
      const next = due.shift();
      if (next?.isCancelled === false) next.task();
      return done.splice(0);
    },
  };
}

describe('gathered work', () => {
  it('[issue 10.7] begins in the next turn after quiet, and does each thing once', () => {
    const { batcher, waits, round } = aBatcher();
    for (const item of ['1 a', '1 b', '1 a']) batcher.add(item);
    expect(waits()).toBe(0);
    expect(round()).toEqual(['1 a', '1 b']);
    expect(waits()).toBeUndefined();
  });

  it.each([
    { ms: 1, pieces: [4] },
    { ms: 4, pieces: [2, 2] },
    { ms: 5, pieces: [2, 2] },
    { ms: 8, pieces: [1, 1, 1, 1] },
  ])(
    '[issue 10.7] is done in pieces of 8 ms, with a turn for everybody else between them: four things of $ms ms each',
    ({ ms, pieces }) => {
      const { batcher, waits, round } = aBatcher();
      for (const name of ['a', 'b', 'c', 'd']) batcher.add(`${ms} ${name}`);
      const found: number[] = [];
      for (let wait = waits(); wait !== undefined; wait = waits()) {
        expect(wait).toBe(0);
        found.push(round().length);
      }
      expect(found).toEqual(pieces);
    },
  );

  it.each([
    { of: 'one piece', items: ['10 a'], quietMs: 0, wait: 20 },
    { of: 'all pieces together', items: ['8 a', '8 b', '4 c'], quietMs: 0, wait: 40 },
    { of: 'a piece, less what has passed since', items: ['10 a'], quietMs: 15, wait: 5 },
    { of: 'a piece that is long ago: not at all', items: ['10 a'], quietMs: 500, wait: 0 },
    { of: 'a long piece, though never longer than 100 ms', items: ['400 a'], quietMs: 0, wait: 100 },
  ])('[issue 10.7] waits for twice as long as the last round took: $of', ({ items, quietMs, wait }) => {
    const { batcher, pass, waits, round } = aBatcher();
    for (const item of items) batcher.add(item);
    while (waits() !== undefined) round();
    pass(quietMs);
    batcher.add('1 next');
    expect(waits()).toBe(wait);
  });

  it('[issue 10.7] leaves out what was taken back', () => {
    const { batcher, round } = aBatcher();
    for (const item of ['1 a', '1 b']) batcher.add(item);
    batcher.delete('1 a');
    expect(round()).toEqual(['1 b']);
  });

  it('[issue 10.7] is not done any more once it is stopped', () => {
    const { batcher, waits, round } = aBatcher();
    batcher.add('1 a');
    batcher.stop();
    expect(waits()).toBeUndefined();
    expect(round()).toEqual([]);
  });
});
