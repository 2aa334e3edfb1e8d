import { afterEach, describe, expect, it, vi } from 'vitest';
import { realClock } from '@/server/platform';

afterEach(() => vi.restoreAllMocks());

/** Hands over tasks of so many milliseconds each, and counts how many ran in each turn of the event loop. */
async function turnsOf(tasks: readonly number[]): Promise<{ readonly ran: readonly number[]; readonly turns: readonly number[] }> {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const ran: number[] = [];
  const turns: number[] = [];
  let before = 0;
  const count = () => {
    if (ran.length > before) turns.push(ran.length - before);
    before = ran.length;
    if (ran.length < tasks.length) setImmediate(count);
  };
  for (const [at, ms] of tasks.entries()) {
    realClock.schedule(0, () => {
      ran.push(at);
      now += ms;
    });
  }
  setImmediate(count);
  await vi.waitFor(() => expect(turns.reduce((sum, turn) => sum + turn, 0)).toBe(tasks.length));
  return { ran, turns };
}

describe('work for the next turn of the event loop', () => {
  it('[issue 9] takes no more of a turn than it should, the oldest first', async () => {
    const { ran, turns } = await turnsOf(Array(7).fill(8));
    expect(ran).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(turns).toEqual([2, 2, 2, 1]);
  });

  it('[issue 9] all goes in one turn where it is short', async () => {
    expect((await turnsOf(Array(50).fill(0.1))).turns).toEqual([50]);
  });

  it('[issue 9] does not run what was released', async () => {
    const ran: string[] = [];
    const release = realClock.schedule(0, () => ran.push('released'));
    realClock.schedule(0, () => ran.push('kept'));
    release();
    await vi.waitFor(() => expect(ran).toEqual(['kept']));
  });
});
