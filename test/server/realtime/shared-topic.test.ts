import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Keyed, WindowDelta, WindowSnapshot } from '@/lib/contract/live';
import { foldWindow } from '@/lib/contract/live';
import { countFromOne, createWindow } from '@/server/readmodel/views/live-window';
import { SharedTopic } from '@/server/realtime/shared-topic';
import { TimeSlicer } from '@/server/realtime/time-slicer';
import { ManualClock } from '@/test/support/manual-clock';

const FRESH = { observedAt: '2026-01-01T00:00:00.000Z', source: 'watch', stale: null } as const;

interface Row extends Keyed {
  readonly value: number;
}

/** A shared topic over a real window of rows that the test changes. */
function aTopic() {
  const clock = new ManualClock();
  const rows = new Map<string, Row>();
  let computed = 0;
  let touch: () => void = () => undefined;
  const source = {
    compute: () => {
      computed++;
      return { order: [...rows.keys()].sort(), rows: new Map(rows), total: rows.size };
    },
    freshness: () => FRESH,
    watch: (onDirty: () => void) => {
      touch = onDirty;
      return () => undefined;
    },
  };
  const window = createWindow('things', 'boot', source, () => undefined, countFromOne());
  const sent: WindowDelta<Keyed>[] = [];
  const topic = new SharedTopic(window, { clock, slicer: new TimeSlicer(clock) }, (delta) => sent.push(delta));
  const put = (key: string, value: number) => {
    rows.set(key, { key, value });
    touch();
  };
  const remove = (key: string) => {
    rows.delete(key);
    touch();
  };
  return { clock, window, topic, sent, put, remove, computed: () => computed };
}

/** A browser that folds what it is sent, and is away now and then. */
function aReader(topic: SharedTopic, sent: readonly WindowDelta<Keyed>[]) {
  let held: WindowSnapshot<Keyed> | undefined;
  let seen = 0;
  let wasAway = true;
  const fold = (delta: WindowDelta<Keyed> | null) => {
    if (held !== undefined && delta !== null) held = foldWindow(held, delta);
  };
  const come = () => {
    const answer = topic.resume(held?.seq);
    if (answer.kind === 'snapshot') held = answer.snapshot;
    else fold(answer.delta);
  };
  return {
    look(away: boolean) {
      if (!wasAway) for (const delta of sent.slice(seen)) fold(delta);
      if (wasAway && !away) come();
      seen = sent.length;
      wasAway = away;
    },
    held: () => held,
  };
}

// Both ends present and quiet at last.
const LAST = [1, 2].map((value) => ({ key: 'z', value, waitMs: 150, away: false }));

describe('a shared topic', () => {
  it('[design 7] sends the first change at once and what follows at most every 100 ms', async () => {
    const { clock, put, sent } = aTopic();
    put('a', 1);
    await clock.settle();
    expect(sent).toHaveLength(1);
    for (let value = 2; value < 50; value++) put('a', value);
    await clock.advance(99);
    expect(sent).toHaveLength(1);
    await clock.advance(1);
    expect(sent).toMatchObject([{}, { rows: [{ key: 'a', value: 49 }] }]);
    await clock.advance(1000);
    expect(sent).toHaveLength(2);
  });

  it('[design 7] computes once however many join', async () => {
    const { clock, put, topic, computed } = aTopic();
    put('a', 1);
    await clock.settle();
    const before = computed();
    for (let at = 0; at < 500; at++) expect(topic.resume(undefined)).toMatchObject({ kind: 'snapshot', snapshot: { order: ['a'] } });
    expect(computed()).toBe(before);
  });

  it('[style 1.4] gives who comes back exactly what was missed, and all of it when that is not remembered', async () => {
    const { clock, put, topic } = aTopic();
    put('a', 1);
    put('b', 1);
    await clock.settle();
    const answer = topic.resume(undefined);
    const held = answer.kind === 'snapshot' ? answer.snapshot : undefined;
    expect(topic.resume(held?.seq)).toEqual({ kind: 'resumed', delta: null });
    for (const value of [2, 3]) {
      await clock.advance(100);
      put('b', value);
      await clock.settle();
    }
    expect(topic.resume(held?.seq)).toMatchObject({ kind: 'resumed', delta: { order: ['a', 'b'], rows: [{ key: 'b', value: 3 }] } });
    expect(topic.resume({ bootId: 'another', seq: 1 })).toMatchObject({ kind: 'snapshot' });
    expect(topic.resume({ bootId: 'boot', seq: 999 })).toMatchObject({ kind: 'snapshot' });
    for (let value = 4; value < 80; value++) {
      await clock.advance(100);
      put('b', value);
      await clock.settle();
    }
    expect(topic.resume(held?.seq)).toMatchObject({ kind: 'snapshot' });
  });

  it('[design 7] computes nothing while nobody watches, and gives who comes back all of it at once', async () => {
    const { clock, put, topic, sent, computed } = aTopic();
    put('a', 1);
    await clock.advance(1000);
    const answer = topic.resume(undefined);
    const since = answer.kind === 'snapshot' ? answer.snapshot.seq : undefined;
    topic.rest();
    const before = [computed(), sent.length];
    for (let value = 2; value < 9; value++) {
      put('a', value);
      await clock.advance(1000);
    }
    expect([computed(), sent.length]).toEqual(before);
    topic.wake();
    expect(topic.resume(since)).toMatchObject({ kind: 'resumed', delta: { rows: [{ key: 'a', value: 8 }] } });
    put('a', 9);
    await clock.advance(1000);
    expect(sent.at(-1)).toMatchObject({ rows: [{ key: 'a', value: 9 }] });
  });

  it('[style 1.4] misses nothing between a read over HTTP and the subscription after it', async () => {
    const { clock, put, topic, window, sent } = aTopic();
    put('a', 1);
    await clock.settle();
    put('a', 2);
    const read = window.snapshot();
    expect(topic.resume(read.seq)).toEqual({ kind: 'resumed', delta: null });
    expect(sent.at(-1)).toMatchObject({ rows: [{ key: 'a', value: 2 }] });
  });

  it('[design 7] whoever comes, goes and comes back holds what the window shows', async () => {
    const step = fc.record({
      key: fc.constantFrom('a', 'b', 'c'),
      value: fc.option(fc.integer({ min: 0, max: 2 })),
      waitMs: fc.constantFrom(0, 30, 150),
      away: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { clock, put, remove, topic, window, sent } = aTopic();
        const reader = aReader(topic, sent);
        for (const { key, value, waitMs, away } of [...steps, ...LAST]) {
          if (value === null) remove(key);
          else put(key, value);
          await clock.advance(waitMs);
          reader.look(away);
        }
        const { rows, order, seq } = window.snapshot();
        expect(reader.held()).toMatchObject({ rows, order, seq });
      }),
      { numRuns: 200 },
    );
  });

  it('[style 1.4] a window that was closed and opened again never takes an old position for known', () => {
    const positions = countFromOne();
    let value = 1;
    const source = {
      compute: () => ({ order: ['a'], rows: new Map([['a', { key: 'a', value }]]), total: 1 }),
      freshness: () => FRESH,
      watch: () => () => undefined,
    };
    const first = createWindow('things', 'boot', source, () => undefined, positions);
    const held = first.snapshot();
    first.release();
    value = 2;
    const clock = new ManualClock();
    const again = new SharedTopic(
      createWindow('things', 'boot', source, () => undefined, positions),
      { clock, slicer: new TimeSlicer(clock) },
      () => undefined,
    );
    expect(again.resume(held.seq)).toMatchObject({ kind: 'snapshot', snapshot: { rows: [{ value: 2 }] } });
  });
});
