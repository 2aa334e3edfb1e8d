import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonDepth, MAX_READ_LEVELS } from '@/lib/kube/depth';
import { parseBounded } from '@/server/kube/json-bodies';

const nested = (levels: number, inner = '') => `${'['.repeat(levels)}${inner}${']'.repeat(levels)}`;
/** Levels of a value, by calling itself. */
const levelsOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(levelsOf)) : 0;
const isDeeper = (text: string, most: number, size = text.length) => {
  const depth = new JsonDepth(most);
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size)).some((piece) =>
    depth.take(piece),
  );
};

describe('levels of JSON', () => {
  it('[issue 10.4] are counted without parsing, whatever stands in its texts, and however it is cut into pieces', () => {
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom('', '"', '\\', '\\"', '[[[', '{"a":[', ']]', 'ü', 'a\\\\"'),
        fc.integer(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', '"[', '\\'), tie('value'), { maxKeys: 2, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(value, fc.integer({ min: 1, max: 7 }), (one, size) => {
        const [text, levels] = [JSON.stringify(one), levelsOf(one)];
        for (const piece of [size, text.length]) {
          expect(isDeeper(text, levels, piece)).toBe(false);
          if (levels > 0) expect(isDeeper(text, levels - 1, piece)).toBe(true);
        }
      }),
    );
  });

  it('[issue 10.4] are read as far as their limit, and what lies deeper can never be written', () => {
    const whole = parseBounded(nested(MAX_READ_LEVELS, '1'));
    expect([levelsOf(whole), JSON.stringify(whole)]).toEqual([MAX_READ_LEVELS, nested(MAX_READ_LEVELS, '1')]);
    const refused = 'it is nested deeper than 600 levels; what lies deeper is not read, so it cannot be shown or written as a whole';
    for (const levels of [MAX_READ_LEVELS + 1, 9999]) {
      const cut = parseBounded(`{"beside":9007199254740993,"deep":${nested(levels - 1)},"texts":"[[["}`) as Record<string, unknown>;
      expect(cut).toMatchObject({ beside: 9007199254740993n, texts: '[[[' });
      expect(levelsOf(cut.deep)).toBe(MAX_READ_LEVELS);
      expect(() => JSON.stringify(cut.deep)).toThrow(refused);
    }
  });
});
