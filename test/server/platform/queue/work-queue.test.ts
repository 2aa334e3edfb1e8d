import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRandom } from '@/server/platform';
import type { AddOptions, Priority } from '@/server/platform/queue/work-queue';
import { PRIORITIES, WorkQueue } from '@/server/platform/queue/work-queue';
import { ManualClock } from '@/test/support/manual-clock';

function aQueue(options: { mayHandOut?: (key: string) => boolean; laneOf?: (key: string) => number } = {}) {
  const clock = new ManualClock();
  const queue = new WorkQueue<string>({ clock, random: createRandom(1), ...options });
  return { clock, queue };
}

/** Takes whatever is ready now, in order, and marks each done. */
async function drain(queue: WorkQueue<string>): Promise<string[]> {
  const taken: string[] = [];
  while (queue.depth > 0) {
    const key = await queue.take();
    if (key === undefined) break;
    taken.push(key);
    queue.done(key);
  }
  return taken;
}

describe('work queue', () => {
  it('[framework L7] holds a key once however often it is added', async () => {
    const { queue } = aQueue();
    for (const key of ['a', 'b', 'a', 'a']) queue.add(key);
    expect(queue.depth).toBe(2);
    expect(await drain(queue)).toEqual(['a', 'b']);
  });

  it('[framework L7] hands a key out again only after it is done', async () => {
    const { clock, queue } = aQueue();
    queue.add('a');
    expect(await queue.take()).toBe('a');
    queue.add('a');
    const taken: string[] = [];
    void queue.take().then((key) => taken.push(String(key)));
    await new Promise((resolve) => setImmediate(resolve));
    expect(taken).toEqual([]);
    queue.done('a');
    await new Promise((resolve) => setImmediate(resolve));
    expect(taken).toEqual(['a']);
    queue.done('a');
    await clock.settle();
  });

  it('[house 3.4] serves persons before changes before resynchronisation, first in first out', async () => {
    const { queue } = aQueue();
    queue.add('r1', { priority: 'resync' });
    queue.add('n1');
    queue.add('p1', { priority: 'person' });
    queue.add('n2');
    queue.add('p2', { priority: 'person' });
    queue.add('r1', { priority: 'person' });
    queue.add('n1', { priority: 'resync' });
    expect(await drain(queue)).toEqual(['p1', 'p2', 'r1', 'n1', 'n2']);
  });

  it('[house 3.4] keeps the earliest time of a delayed key', async () => {
    const { clock, queue } = aQueue();
    queue.add('a', { afterMs: 1000 });
    queue.add('a', { afterMs: 300 });
    queue.add('a', { afterMs: 700 });
    await clock.advance(299);
    expect(queue.depth).toBe(0);
    await clock.advance(1);
    expect(await drain(queue)).toEqual(['a']);
    await clock.advance(5000);
    expect(queue.depth + queue.delayed).toBe(0);
  });

  it('[house 3.4] takes an undelayed add as now', async () => {
    const { queue } = aQueue();
    queue.add('a', { afterMs: 1000 });
    queue.add('a');
    expect(await drain(queue)).toEqual(['a']);
    expect(queue.delayed).toBe(0);
  });

  it('[house 3.4] waits 5 ms after the first failure and at most 1000 s after many', async () => {
    const { queue } = aQueue();
    const waits = Array.from({ length: 40 }, () => queue.retry('a'));
    expect(waits[0]).toBeGreaterThanOrEqual(5);
    expect(waits[0]).toBeLessThan(6.25);
    for (const wait of waits.slice(20)) {
      expect(wait).toBeGreaterThanOrEqual(800_000);
      expect(wait).toBeLessThan(1_000_000);
    }
    expect(new Set(waits.slice(20)).size).toBeGreaterThan(1);
    queue.forget('a');
    expect(queue.retry('a')).toBeLessThan(6.25);
  });

  it('[house 3.4] keeps the priority of a key that failed', async () => {
    const { clock, queue } = aQueue();
    queue.add('asked', { priority: 'person' });
    await queue.take();
    queue.retry('asked');
    queue.done('asked');
    queue.add('changed', { afterMs: 1 });
    await clock.advance(10);
    expect(await drain(queue)).toEqual(['asked', 'changed']);
  });

  it('[house 3.4] hands nothing out while it may not, and goes on by itself', async () => {
    let leads = false;
    const { clock, queue } = aQueue({ mayHandOut: () => leads });
    const taken: string[] = [];
    void queue.take().then((key) => taken.push(String(key)));
    queue.add('a');
    await clock.advance(10_000);
    expect(taken).toEqual([]);
    // What another replica acts on does not wait here.
    expect({ depth: queue.depth, deferred: queue.deferred, oldest: queue.oldest, delayed: queue.delayed }).toEqual({
      depth: 0,
      deferred: 1,
      oldest: undefined,
      delayed: 0,
    });
    leads = true;
    const moved = clock.advance(1000);
    await new Promise((resolve) => setImmediate(resolve));
    while (taken.length === 0) await new Promise((resolve) => setImmediate(resolve));
    queue.done('a');
    await moved;
    expect(taken).toEqual(['a']);
  });

  it('[leadership 0010.8] sets aside what it may not hand out, serves the rest, and brings a lane back as a whole', async () => {
    const mine = new Set(['a']);
    const asked: string[] = [];
    const mayHandOut = (key: string) => {
      asked.push(key);
      return mine.has(key.slice(0, 1));
    };
    const { clock, queue } = aQueue({ mayHandOut, laneOf: (key) => key.charCodeAt(0) });
    const taken: string[] = [];
    const work = async () => {
      for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
        taken.push(key);
        queue.done(key);
      }
    };
    const working = work();
    for (const key of ['b1', 'c1', 'a1', 'b2', 'a2']) queue.add(key);
    queue.add('b3', { priority: 'person' });
    await clock.settle();
    expect(taken).toEqual(['a1', 'a2']);
    expect([queue.depth, queue.deferred]).toEqual([0, 4]);

    asked.length = 0;
    await clock.advance(1000);
    expect(asked).toEqual(['b1', 'c1', 'b1', 'c1']);

    mine.add('b');
    await clock.advance(500);
    expect(taken).toEqual(['a1', 'a2', 'b3', 'b1', 'b2']);
    expect([queue.depth, queue.deferred]).toEqual([0, 1]);
    queue.close();
    await working;
    expect([queue.depth, queue.deferred]).toEqual([0, 0]);
  });

  it('[issue 4] does not count keys of other shards as waiting, also while nobody takes keys', async () => {
    const { clock, queue } = aQueue({ mayHandOut: (key) => key.startsWith('a'), laneOf: (key) => key.charCodeAt(0) });
    for (const key of ['b1', 'b2']) queue.add(key);
    queue.add('b3', { afterMs: 50 });
    await clock.advance(100);
    queue.add('a1');
    await clock.advance(10);
    expect([queue.depth, queue.deferred, queue.delayed]).toEqual([1, 3, 0]);
    expect(queue.oldest).toEqual({ key: 'a1', waitedMs: 10 });
  });

  it('[leadership 0010.8] asks again about a key that is added again, since it may be of another lane by now', async () => {
    let lane = 1;
    const { clock, queue } = aQueue({ mayHandOut: () => lane === 2, laneOf: () => lane });
    const taking = queue.take();
    queue.add('a');
    lane = 2;
    queue.add('a', { priority: 'person' });
    expect(await taking).toBe('a');
    queue.done('a');
    expect(queue.depth).toBe(0);
    await clock.settle();
  });

  it('[house 3.4] closes by dropping what waits, while what is under way is done in its time', async () => {
    const { clock, queue } = aQueue();
    queue.add('a');
    queue.add('b');
    expect(await queue.take()).toBe('a');
    queue.close();
    queue.add('c');
    expect(await queue.take()).toBeUndefined();
    queue.done('a');
    expect(queue.depth).toBe(0);
    await clock.settle();
  });
});

type Step =
  | { readonly kind: 'add'; readonly key: string; readonly options: AddOptions }
  | { readonly kind: 'take' }
  | { readonly kind: 'done' }
  | { readonly kind: 'advance'; readonly ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('add' as const),
    key: fc.constantFrom('a', 'b', 'c', 'd'),
    options: fc.record({ priority: fc.constantFrom<Priority>(...PRIORITIES), afterMs: fc.constantFrom(0, 0, 10, 20, 50) }),
  }),
  fc.constant({ kind: 'take' as const }),
  fc.constant({ kind: 'done' as const }),
  fc.record({ kind: fc.constant('advance' as const), ms: fc.constantFrom(5, 10, 30) }),
);

/** The queue in the plainest words: a list of wishes, scanned for the best. */
class Model {
  now = 0;
  #order = 0;
  readonly wishes = new Map<string, { priority: Priority; at: number; filed: number }>();
  readonly locked: string[] = [];

  add(key: string, { priority = 'normal', afterMs = 0 }: AddOptions): void {
    const known = this.wishes.get(key);
    const best = known && PRIORITIES.indexOf(known.priority) <= PRIORITIES.indexOf(priority) ? known.priority : priority;
    const at = Math.min(known?.at ?? Number.POSITIVE_INFINITY, this.now + afterMs);
    const stays = known !== undefined && known.at <= this.now && known.priority === best;
    this.wishes.set(key, { priority: best, at, filed: stays ? known.filed : this.#order++ });
  }

  /** Keys that may come out next: of the best priority, in no stated order where they became ready by a timer. */
  best(): Set<string> {
    const ready = [...this.wishes].filter(([key, wish]) => wish.at <= this.now && !this.locked.includes(key));
    const priority = PRIORITIES.find((one) => ready.some(([, wish]) => wish.priority === one));
    return new Set(ready.filter(([, wish]) => wish.priority === priority).map(([key]) => key));
  }
}

describe('work queue, any sequence of calls', () => {
  it('[house 3.4] never doubles a key, never hands out a locked one, never passes over a better priority, never loses one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const clock = new ManualClock();
        const queue = new WorkQueue<string>({ clock, random: createRandom(7) });
        const model = new Model();
        const takeOne = async () => {
          const best = model.best();
          expect(queue.depth === 0).toBe([...model.wishes].every(([, wish]) => wish.at > model.now));
          if (best.size === 0) return false;
          const key = (await queue.take()) ?? '';
          expect(best).toContain(key);
          model.wishes.delete(key);
          model.locked.push(key);
          return true;
        };
        const finishOne = () => {
          const key = model.locked.shift();
          if (key !== undefined) queue.done(key);
        };
        const advance = async (ms: number) => {
          // A locked key holds the clock, so time moves only between passes.
          while (model.locked.length > 0) finishOne();
          await clock.advance(ms);
          model.now += ms;
        };
        for (const one of steps) {
          if (one.kind === 'add') {
            queue.add(one.key, one.options);
            model.add(one.key, one.options);
          } else if (one.kind === 'take') await takeOne();
          else if (one.kind === 'done') finishOne();
          else await advance(one.ms);
        }
        await advance(100);
        while (await takeOne()) finishOne();
        expect(model.wishes.size).toBe(0);
        expect(queue.depth + queue.delayed + queue.active).toBe(0);
      }),
      { numRuns: 200 },
    );
  });

  it('[house 3.4] is first in first out among undelayed keys of one priority', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ minLength: 1, maxLength: 2 }), { maxLength: 50 }), async (keys) => {
        const { queue } = aQueue();
        for (const key of keys) queue.add(key);
        expect(await drain(queue)).toEqual([...new Set(keys)]);
      }),
    );
  });
});
