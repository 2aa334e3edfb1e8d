import type { InboxCounts } from '@/lib/contract/inbox/inbox-query';
import type { Freshness, Keyed, WindowDelta, WindowSnapshot } from '@/lib/contract/live';
import { deepEqual } from '@/lib/std/deep-equal';
import type { Release } from '@/server/platform';
import type { LiveWindow } from './window';

/** What a view shows at one moment. */
export interface View {
  readonly order: readonly string[];
  readonly rows: ReadonlyMap<string, Keyed>;
  readonly total: number;
  /** Of the inbox, how many there are of each sort. */
  readonly counts?: InboxCounts;
}

/** Where a window takes its view from. */
export interface ViewSource {
  /** Computes the view; undefined when what it shows is gone. */
  readonly compute: () => View | undefined;
  readonly freshness: () => Freshness;
  /** Calls back at once when the view may have changed. */
  readonly watch: (onDirty: () => void) => Release;
}

const EMPTY: View = { order: [], rows: new Map(), total: 0 };

/** Positions of a window that stands alone. Windows that follow each other under one topic share theirs, so that none is given out twice. */
export function countFromOne(): () => number {
  let position = 0;
  return () => ++position;
}

/** What of a view is told whole each time. */
const shapeOf = ({ total, order, counts }: View) => ({ total, order, ...(counts && { counts }) });

/** A live window over a computed view: it keeps what it last answered and tells the difference. */
export function createWindow(
  topic: string,
  bootId: string,
  source: ViewSource,
  onRelease: () => void,
  nextPosition: () => number = countFromOne(),
): LiveWindow {
  const listeners = new Set<() => void>();
  let held = source.compute() ?? EMPTY;
  let freshness = source.freshness();
  let position = nextPosition();
  const unwatch = source.watch(() => {
    for (const listener of listeners) listener();
  });
  const head = () => ({ seq: { bootId, seq: position }, freshness, ...shapeOf(held) });
  // What changed since the last refresh, because a snapshot in between already moved the window on.
  const unsent = new Map<string, Keyed>();
  let moved = false;

  const advance = () => {
    const next = source.compute() ?? EMPTY;
    const fresh = source.freshness();
    const rows = next.order.flatMap((key) => {
      const row = next.rows.get(key);
      const before = held.rows.get(key);
      return row === undefined || row === before || deepEqual(row, before) ? [] : [row];
    });
    const reordered = !deepEqual(shapeOf(next), shapeOf(held));
    const aged = !deepEqual(fresh.stale, freshness.stale) || fresh.source !== freshness.source;
    if (rows.length === 0 && !reordered && !aged) return;
    held = next;
    freshness = fresh;
    position = nextPosition();
    moved = true;
    for (const row of rows) unsent.set(row.key, row);
  };

  return {
    topic,
    snapshot(): WindowSnapshot<Keyed> {
      advance();
      return { ...head(), rows: held.order.flatMap((key) => held.rows.get(key) ?? []) };
    },
    refresh(): WindowDelta<Keyed> | null {
      advance();
      if (!moved) return null;
      const rows = [...unsent.values()].filter((row) => held.rows.has(row.key));
      unsent.clear();
      moved = false;
      return { ...head(), rows };
    },
    onDirty(handler) {
      listeners.add(handler);
      return () => void listeners.delete(handler);
    },
    release() {
      unwatch();
      listeners.clear();
      onRelease();
    },
  };
}
