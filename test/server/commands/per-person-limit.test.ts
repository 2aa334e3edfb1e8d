import { describe, expect, it } from 'vitest';
import { PerPersonLimit } from '@/server/commands/per-person-limit';

describe('places of a person', () => {
  it('[issue 10.4] are so many each, whatever others hold', () => {
    const places = new PerPersonLimit(2);
    expect([places.take('ada'), places.take('ada'), places.take('ada')].map((free) => free !== undefined)).toEqual([true, true, false]);
    expect(places.take('ben')).toBeDefined();
  });

  it('[issue 10.4] come back once, however often they are given back', () => {
    const places = new PerPersonLimit(2);
    const first = places.take('ada');
    places.take('ada');
    first?.();
    first?.();
    expect([places.take('ada') !== undefined, places.take('ada') !== undefined]).toEqual([true, false]);
  });

  it('[issue 14.1] that become free are told to who waits for one of that person, until they listen no more', () => {
    const places = new PerPersonLimit(3);
    const [first, second, third] = [places.take('ada'), places.take('ada'), places.take('ada')];
    const bens = places.take('ben');
    let heard = 0;
    const listener = () => void heard++;
    const [unlisten, other] = [places.onFree('ada', listener), places.onFree('ada', listener)];
    bens?.();
    expect(heard).toBe(0);
    first?.();
    expect(heard).toBe(2);
    first?.();
    expect(heard).toBe(2);
    unlisten();
    second?.();
    expect(heard).toBe(3);
    other();
    places.onFree('ada', listener);
    unlisten(); // once more, of a list that is another by now
    third?.();
    expect(heard).toBe(4);
  });
});
