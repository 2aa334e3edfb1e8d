import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffHunks, diffLines } from '@/lib/std/line-diff';

const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd: 1', '  e'), { maxLength: 40 });
const text = (all: readonly string[]) => all.map((line) => `${line}\n`).join('');

describe('the difference of two texts', () => {
  it('[design 9] holds both texts whole: without additions the older, without removals the newer', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const found = diffLines(text(before), text(after));
        expect(found.filter(({ sign }) => sign !== '+').map((line) => line.text)).toEqual(before);
        expect(found.filter(({ sign }) => sign !== '-').map((line) => line.text)).toEqual(after);
      }),
    );
  });

  it('[design 9] tells nothing where nothing differs, and never more than what does', () => {
    fc.assert(
      fc.property(lines, (same) => {
        expect(diffHunks(text(same), text(same))).toEqual([]);
      }),
    );
    expect(diffLines('a\nb\nc\n', 'a\nx\nc\n').map(({ sign, text: line }) => sign + line)).toEqual([' a', '-b', '+x', ' c']);
  });

  it('[design 9] leaves out what lies far from a change and says how much', () => {
    const before = Array.from({ length: 20 }, (_, at) => `line ${at}`);
    const hunks = diffHunks(text(before), text(before.with(10, 'other')));
    expect(hunks[0]).toEqual({ sign: '…', text: '7 lines are the same' });
    expect(hunks.filter(({ sign }) => sign !== ' ').map(({ sign, text: line }) => sign + line)).toEqual([
      '…7 lines are the same',
      '-line 10',
      '+other',
      '…6 lines are the same',
    ]);
  });

  it('[design 11] two long texts without a line in common are told as a whole at once', () => {
    const many = (mark: string) => text(Array.from({ length: 20_000 }, (_, at) => `${mark}${at}`));
    expect(diffLines(many('a'), many('b'))).toHaveLength(40_000);
  });
});
