import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Keyed, WindowDelta, WindowSnapshot } from '@/lib/contract/live';
import { foldWindow } from '@/lib/contract/live';
import type { View } from '@/server/readmodel/views/live-window';
import { createWindow } from '@/server/readmodel/views/live-window';

interface Row extends Keyed {
  readonly value: number;
}

const FRESH = { observedAt: '2026-01-01T00:00:00.000Z', source: 'watch', stale: null } as const;

function aWindow() {
  const rows = new Map<string, Row>();
  const window = createWindow(
    'things',
    'boot',
    {
      compute: (): View => ({ order: [...rows.keys()].sort(), rows: new Map(rows), total: rows.size }),
      freshness: () => FRESH,
      watch: () => () => undefined,
    },
    () => undefined,
  );
  return { rows, window };
}

function foldAll(clients: readonly WindowSnapshot<Keyed>[], delta: WindowDelta<Keyed> | null) {
  return clients.map((held) => (delta === null ? held : foldWindow(held, delta)));
}

describe('a live window', () => {
  it('[issue 14] tells of counts that changed though no row of the page did', () => {
    const groups = { waits: 0, failing: 1, moving: 0 };
    const view = (over: object): View => ({
      order: [],
      rows: new Map(),
      total: 300,
      counts: { groups: { ...groups, ...over }, kinds: {} },
    });
    let now = view({});
    const source = { compute: () => now, freshness: () => FRESH, watch: () => () => undefined };
    const window = createWindow('inbox', 'boot', source, () => undefined);
    const held = window.snapshot();
    expect(window.refresh()).toBeNull();
    now = view({ failing: 0, moving: 1 });
    const delta = window.refresh();
    expect(delta).toMatchObject({ counts: { groups: { failing: 0, moving: 1 } } });
    expect(foldAll([held], delta)[0]?.counts).toEqual(now.counts);
  });

  it('[design 7] answers only what changed, and nothing when nothing did', () => {
    const { rows, window } = aWindow();
    rows.set('a', { key: 'a', value: 1 });
    expect(window.refresh()).toMatchObject({ total: 1, order: ['a'], rows: [{ key: 'a', value: 1 }] });
    expect(window.refresh()).toBeNull();
    rows.set('a', { key: 'a', value: 1 });
    expect(window.refresh()).toBeNull();
    rows.set('b', { key: 'b', value: 2 });
    expect(window.refresh()).toMatchObject({ order: ['a', 'b'], rows: [{ key: 'b', value: 2 }] });
  });

  it('[design 7] loses no change for the others when somebody takes a snapshot in between', () => {
    const { rows, window } = aWindow();
    const early = window.snapshot();
    rows.set('a', { key: 'a', value: 1 });
    const late = window.snapshot();
    const delta = window.refresh();
    expect(delta?.rows).toEqual([{ key: 'a', value: 1 }]);
    expect(foldWindow(early, delta as never).rows).toEqual(late.rows);
    expect(foldWindow(late, delta as never)).toBe(late);
  });

  it('[design 7] any client that folds the deltas holds what a snapshot says, whenever it joined', () => {
    const change = fc.record({
      key: fc.constantFrom('a', 'b', 'c', 'd'),
      value: fc.option(fc.integer({ min: 0, max: 3 })),
      flush: fc.boolean(),
      join: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const { rows, window } = aWindow();
        const clients: WindowSnapshot<Keyed>[] = [window.snapshot()];
        for (const { key, value, flush, join } of changes) {
          if (value === null) rows.delete(key);
          else rows.set(key, { key, value });
          if (join) clients.push(window.snapshot());
          const delta = flush ? window.refresh() : null;
          clients.splice(0, clients.length, ...foldAll(clients, delta));
        }
        const last = window.refresh();
        const final = window.snapshot();
        for (const folded of foldAll(clients, last)) {
          expect([folded.order, folded.rows]).toEqual([final.order, final.rows]);
        }
      }),
    );
  });
});
