import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DueHeap } from '@/server/platform/queue/due-heap';

it('[house 3.4] gives items by due time, and in the order they went in where times are equal', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 80 }), fc.integer({ min: 0, max: 9 }), (times, now) => {
      const heap = new DueHeap<number>();
      times.forEach((at, index) => void heap.push(at, index));
      const expected = times
        .map((at, index) => ({ at, index }))
        .filter(({ at }) => at <= now)
        .sort((a, b) => a.at - b.at || a.index - b.index)
        .map(({ index }) => index);
      const found: number[] = [];
      for (let item = heap.popDue(now); item !== undefined; item = heap.popDue(now)) found.push(item);
      expect(found).toEqual(expected);
      expect(heap.size).toBe(times.length - expected.length);
      const rest = times.filter((at) => at > now);
      expect(heap.nextAt()).toBe(rest.length === 0 ? undefined : Math.min(...rest));
    }),
  );
});
