import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DiffRow } from '@/components/drift/diff-rows';
import { toDiffRows } from '@/components/drift/diff-rows';
import { notRevertibleReason, revertTiming } from '@/components/drift/drift-words';
import type { ObjectDriftField } from '@/lib/contract/drift-rows';

const field = (path: string, desiredLine: number | null, liveLine: number | null): ObjectDriftField => ({
  path,
  kind: 'changed',
  kept: null,
  desired: null,
  live: null,
  hidden: null,
  setBy: null,
  desiredLine,
  liveLine,
});
const SOON = { when: 'soon', why: 'It is put back.' } as const;

describe('two texts beside each other', () => {
  it('[dispatch 13] pairs what differs, and names the field that stands there', () => {
    const rows = toDiffRows('a: 1\nb: 2\nc: 3\n', 'a: 1\nb: 5\n', [field('b', 2, 2), field('c', 3, null)]);
    expect(rows).toEqual([
      { kind: 'same', desired: { number: 1, text: 'a: 1' }, live: { number: 1, text: 'a: 1' } },
      { kind: 'changed', desired: { number: 2, text: 'b: 2' }, live: { number: 2, text: 'b: 5' }, fields: [field('b', 2, 2)] },
      { kind: 'changed', desired: { number: 3, text: 'c: 3' }, live: null, fields: [field('c', 3, null)] },
    ]);
  });

  it('[dispatch 13] leaves lines out that are far from any difference, and counts them', () => {
    const lines = Array.from({ length: 40 }, (_, at) => `k${at}: v`);
    const rows = toDiffRows(lines.join('\n'), lines.with(20, 'k20: other').join('\n'), []);
    expect(rows.filter(({ kind }) => kind === 'skipped')).toEqual([
      { kind: 'skipped', count: 17, at: 0 },
      { kind: 'skipped', count: 16, at: 24 },
    ]);
    expect(rows).toHaveLength(2 + 3 + 1 + 3);
  });

  it('[dispatch 13] tells every line of both texts once, or counts it', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 });
    fc.assert(
      fc.property(text, text, (wanted, found) => {
        const rows = toDiffRows(wanted.join('\n'), found.join('\n'), []);
        const told = (side: 'desired' | 'live') =>
          rows.reduce((sum, row) => sum + (row.kind === 'skipped' ? row.count : row[side] === null ? 0 : 1), 0);
        const lengths = [wanted, found].map((lines) => (lines.join('\n') === '' ? 0 : lines.length));
        expect([told('desired'), told('live')]).toEqual(lengths);
        const numbers = (side: 'desired' | 'live') =>
          rows.flatMap((row: DiffRow) => (row.kind === 'skipped' ? [] : (row[side]?.number ?? [])));
        expect(numbers('desired')).toEqual([...numbers('desired')].sort((a, b) => a - b));
      }),
    );
  });
});

describe('when a field is put back', () => {
  it.each([
    ['apply-once', SOON, /Not reverted automatically: the policy apply-once/],
    ['read-only', SOON, /Never reverted: the policy read-only/],
    [null, SOON, /within seconds/],
    [null, { when: 'waits', why: '' }, /while it waits/],
    [null, { when: 'never', why: '' }, /Not reverted automatically/],
  ] as const)('[dispatch 13] kept by %s', (kept, repair, words) => {
    expect(revertTiming(kept, repair)).toMatch(words);
  });

  it('[dispatch 13] a person is asked only where the engine does not do it by itself', () => {
    expect(notRevertibleReason([{ kept: null }], true, SOON)).toBe(SOON.why);
    expect(notRevertibleReason([], false, SOON)).toBe(SOON.why);
    expect(notRevertibleReason([{ kept: null }, { kept: 'apply-once' }], true, SOON)).toBeNull();
    expect(notRevertibleReason([{ kept: 'apply-once' }], true, { when: 'never', why: 'apply-once' })).toBeNull();
    expect(notRevertibleReason([{ kept: 'apply-once' }], true, { when: 'waits', why: 'It waits.' })).toBe('It waits.');
    expect(notRevertibleReason([{ kept: 'read-only' }], true, SOON)).toMatch(/read-only/);
  });
});
