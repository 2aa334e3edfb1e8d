import { describe, expect, it } from 'vitest';
import { toInstant } from '@/lib/std/instant';
import type { Clock } from '@/server/platform';
import { findBacklog } from '@/server/readmodel/freshness';
import { RowTable } from '@/server/readmodel/row-table';

/** A table on a clock that each row moves on, as computing does. */
function aTable({ rowTakesMs = 3 } = {}) {
  let now = 0;
  const tasks = new Set<() => void>();
  const clock: Clock = {
    now: () => toInstant(now),
    schedule(_delayMs, task) {
      tasks.add(task);
      return () => void tasks.delete(task);
    },
    sleep: async () => runNext(),
    hold: () => () => undefined,
  };
  const runNext = () => {
    const [task] = tasks;
    if (task === undefined) return;
    tasks.delete(task);
    task();
  };
  const gone = new Set<string>();
  const computed: string[] = [];
  const table = new RowTable((key) => {
    now += rowTakesMs;
    computed.push(key);
    return gone.has(key) ? undefined : { key };
  }, clock);
  const touch = (...keys: readonly string[]) => {
    for (const key of keys) table.touch(key);
  };
  return { table, computed, touch, runNext, gone, tasks, pass: (ms: number) => (now += ms) };
}

const KEYS = Array.from({ length: 10 }, (_, at) => `row-${at}`);

describe('rows of a table', () => {
  it('[design 7] that are few are computed when somebody looks, each once, and nothing is left', () => {
    const { table, computed, touch } = aTable();
    touch('a', 'b', 'a');
    expect(computed).toEqual([]);
    expect([...table.rows().keys()]).toEqual(['a', 'b']);
    expect([...table.rows().keys()]).toEqual(['a', 'b']);
    expect(computed).toEqual(['a', 'b']);
    expect(table.backlog()).toBeUndefined();
  });

  it('[design 1] that are many come in pieces, the oldest touch first; looking adds no work, and it is said how many lack', () => {
    const { table, computed, touch, runNext } = aTable();
    let heard = 0;
    touch(...KEYS);
    table.onRows(() => heard++);
    expect(table.rows().size).toBe(3);
    expect(table.rows().size).toBe(3);
    expect(table.backlog()).toEqual({ rows: 7, since: 0 });
    expect(findBacklog([table])).toMatchObject({ sentence: '7 rows are still to be computed.' });
    for (const [size, told] of [
      [6, 1],
      [9, 2],
      [10, 3],
    ]) {
      runNext();
      expect([table.rows().size, heard]).toEqual([size, told]);
    }
    expect(computed).toEqual(KEYS);
    expect(table.backlog()).toBeUndefined();
  });

  it('[design 7] of a table that was complete are behind for a second before it is said', () => {
    const { table, touch, runNext, pass } = aTable();
    touch('a');
    table.rows();
    touch(...KEYS);
    table.rows();
    expect(table.backlog()).toBeUndefined();
    pass(1000);
    expect(table.backlog()).toMatchObject({ rows: 7 });
    for (let piece = 0; piece < 3; piece++) runNext();
    expect(table.backlog()).toBeUndefined();
  });

  it('[design 1] that were touched long before anybody looked are said to be old', () => {
    const { table, touch, pass } = aTable();
    touch('a');
    table.rows();
    touch(...KEYS);
    pass(3_600_000);
    table.rows();
    expect(table.backlog()).toEqual({ rows: 7, since: 3 });
  });

  it('[design 7] are all there once the table is complete, and none is computed after its end', async () => {
    const { table, touch, gone, tasks } = aTable();
    gone.add('row-4');
    touch(...KEYS);
    await table.whenComplete(new AbortController().signal);
    expect(table.rows().size).toBe(9);
    touch(...KEYS);
    table.rows();
    table.release();
    expect(tasks.size).toBe(0);
  });
});
