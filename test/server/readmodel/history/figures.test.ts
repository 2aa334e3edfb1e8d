import { describe, expect, it } from 'vitest';
import type { PastAttempt } from '@/lib/contract/history/history-rows';
import { toInstant } from '@/lib/std/instant';
import { pageOfAttempts, toFigures, toWeeks, weekOf } from '@/server/readmodel/history/figures';

const NOW = toInstant(Date.parse('2026-03-04T12:00:00Z')); // a Wednesday
const attempt = (startedAt: string, rest: Partial<PastAttempt> = {}): PastAttempt => ({
  key: `${startedAt} ${rest.name ?? ''}`,
  ns: 'shop',
  name: 'web',
  kind: 'rollout',
  to: 'web-v2',
  outcome: 'completed',
  startedAt,
  endedAt: startedAt,
  leadMs: null,
  waitedMs: null,
  backMs: null,
  ...rest,
});

describe('figures of the last weeks', () => {
  it('[issue 14.2] count attempts by the Monday, in UTC, of the week in which they began', () => {
    const weeks = toWeeks(
      [
        attempt('2026-03-02T00:00:00.000Z'),
        attempt('2026-03-01T23:59:59.999Z'),
        attempt('2026-01-12T00:00:00.000Z'),
        attempt('2026-01-11T23:59:59.999Z'),
      ],
      NOW,
    );
    expect(weeks.map(({ week, figures }) => `${week} ${figures.started}`)).toEqual([
      '2026-01-12 1',
      '2026-01-19 0',
      '2026-01-26 0',
      '2026-02-02 0',
      '2026-02-09 0',
      '2026-02-16 0',
      '2026-02-23 1',
      '2026-03-02 1',
    ]);
  });

  it('[issue 14.2] take the Monday itself for the beginning of its week', () => {
    const monday = Date.parse('2026-03-02T00:00:00Z');
    expect([weekOf(toInstant(monday)), weekOf(toInstant(monday - 1))]).toEqual([monday, monday - 7 * 86_400_000]);
  });

  it('[issue 14.2] are medians of those that have a length, and nothing where none has', () => {
    const leads = [10, 40, 20].map((leadMs) => attempt('2026-03-02T00:00:00.000Z', { leadMs }));
    expect(toFigures([...leads, attempt('2026-03-02T00:00:00.000Z', { outcome: 'aborted' })])).toMatchObject({
      started: 4,
      completed: 3,
      aborted: 1,
      leadMs: 20,
      waited: 0,
      waitedMs: null,
      returned: 0,
      backMs: null,
    });
    expect(toFigures(leads.slice(0, 2)).leadMs).toBe(25);
  });

  it('[issue 14.2] lead to the rows that they are made from, the longest first where that is asked for', () => {
    const rows = [
      attempt('2026-03-02T00:00:00.000Z', { name: 'a', waitedMs: 5 }),
      attempt('2026-03-03T00:00:00.000Z', { name: 'b', waitedMs: 9 }),
      attempt('2026-03-03T01:00:00.000Z', { name: 'c', outcome: 'aborted', backMs: 3 }),
      attempt('2026-02-03T01:00:00.000Z', { name: 'd' }),
    ];
    const names = (query: Parameters<typeof pageOfAttempts>[1]) => pageOfAttempts([...rows], query).rows.map(({ name }) => name);
    expect(names({})).toEqual(['c', 'b', 'a', 'd']);
    expect(names({ week: '2026-03-02', show: 'completed' })).toEqual(['b', 'a']);
    expect(names({ show: 'waited', sort: 'waited' })).toEqual(['b', 'a']);
    expect(names({ show: 'returned' })).toEqual(['c']);
    expect(names({ q: 'D' })).toEqual(['d']);
    expect(pageOfAttempts([...rows], { page: 1 })).toEqual({ total: 4, rows: [] });
  });
});
