import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toStableJson } from '@/lib/std/stable-json';

/** The same by JSON.stringify alone: what every digest that is stored was made with. */
function sortedByReplacer(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
  });
}

describe('stable JSON', () => {
  it('is the text that JSON.stringify makes of sorted members, for any value', () => {
    fc.assert(
      fc.property(fc.anything({ withDate: true, withNullPrototype: true }), (value) => {
        if (value === undefined || typeof value === 'function') return;
        expect(toStableJson(value)).toBe(sortedByReplacer(value));
      }),
    );
  });

  it('puts whole numbers first and by size, as objects list them', () => {
    const numbered = { b: 1, 10: 1, 9: 1, '-1': 1, '01': 1, 4294967295: 1, 4294967294: 1, a: 1 };
    expect(toStableJson(numbered)).toBe(sortedByReplacer(numbered));
    expect(toStableJson({ 10: 'ten', 9: 'nine', a: 'letter' })).toBe('{"9":"nine","10":"ten","a":"letter"}');
  });

  it('gives equal text for members in another order, and leaves out what is undefined', () => {
    expect(toStableJson({ b: [{ d: 1, c: undefined }, undefined], a: 'x' })).toBe(toStableJson({ a: 'x', b: [{ d: 1 }, undefined] }));
    expect(toStableJson({ b: [{ d: 1, c: undefined }, undefined], a: 'x' })).toBe('{"a":"x","b":[{"d":1},null]}');
  });
});
