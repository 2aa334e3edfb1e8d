import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldPushed, newerWindow } from '@/components/live/fold-window';
import type { WindowDelta, WindowSnapshot } from '@/lib/contract/live';
import { foldWindow } from '@/lib/contract/live';

interface Row {
  readonly key: string;
  readonly value: number;
}

const freshness = { observedAt: '2026-11-20T09:00:00.000Z', source: 'watch', stale: null } as const;
const at = (seq: number, rows: readonly Row[], bootId = 'a'): WindowSnapshot<Row> => ({
  seq: { bootId, seq },
  freshness,
  total: rows.length,
  order: rows.map((row) => row.key),
  rows,
});

/** What a server would send between two states: the rows that changed, with the order and total of the second. */
function deltaOf(before: WindowSnapshot<Row>, after: WindowSnapshot<Row>): WindowDelta<Row> {
  const known = new Map(before.rows.map((row) => [row.key, row.value]));
  return { ...after, rows: after.rows.filter((row) => known.get(row.key) !== row.value) };
}

const state = fc.uniqueArray(fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), value: fc.integer({ min: 0, max: 3 }) }), {
  selector: (row) => row.key,
});
const history = fc.array(state, { minLength: 2, maxLength: 12 }).map((states) => states.map((rows, index) => at(index + 1, rows)));

function pairs(states: readonly WindowSnapshot<Row>[]): readonly WindowDelta<Row>[] {
  return states.slice(1).flatMap((after, index) => {
    const before = states[index];
    return before ? [deltaOf(before, after)] : [];
  });
}

describe('a live window in the browser', () => {
  it('[design 7] ends where the server is, whatever changed in between', () => {
    fc.assert(
      fc.property(history, (states) => {
        const [first] = states;
        if (!first) return;
        const folded = pairs(states).reduce((held, delta) => foldWindow(held, delta), first);
        expect(folded).toEqual(states.at(-1));
      }),
    );
  });

  it('[design 7] is not changed by what it has seen before: folding twice is folding once', () => {
    fc.assert(
      fc.property(history, (states) => {
        const [first] = states;
        if (!first) return;
        const once = pairs(states).reduce((held, delta) => foldWindow(held, delta), first);
        const again = pairs(states).reduce((held, delta) => foldWindow(held, delta), once);
        expect(again).toBe(once);
      }),
    );
  });

  it('[design 7] never shows a window with a hole: a missed delta asks for reading again, or ends with the rows of the server', () => {
    fc.assert(
      fc.property(history, fc.nat(), (states, pick) => {
        const deltas = pairs(states);
        const missed = pick % deltas.length;
        let held = states[0];
        for (const [index, delta] of deltas.entries()) {
          if (index === missed) continue;
          const outcome = foldPushed(held, delta);
          if (outcome.kind === 'read-again') held = states[index + 1];
          if (outcome.kind === 'folded') held = outcome.window;
          expect(held?.rows.map((row) => row.key)).toEqual(held?.order);
        }
      }),
    );
  });

  it('[style 3.7] never comes into being by a delta', () => {
    expect(foldPushed(undefined, at(2, []))).toEqual({ kind: 'ignored' });
  });

  it('[design 12.10] of another boot is read again', () => {
    expect(foldPushed(at(9, []), at(1, [], 'b'))).toEqual({ kind: 'read-again' });
  });

  it.each([
    ['nothing held', undefined, at(1, []), 'read'],
    ['an older one read', at(5, []), at(4, []), 'held'],
    ['a newer one read', at(5, []), at(6, []), 'read'],
    ['another boot read', at(5, []), at(1, [], 'b'), 'read'],
  ] as const)('[design 7] keeps the newer of two windows: %s', (_title, held, read, wins) => {
    expect(newerWindow<Row>(held, read)).toBe(wins === 'held' ? held : read);
  });
});
