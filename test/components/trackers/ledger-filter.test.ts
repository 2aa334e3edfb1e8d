import { describe, expect, it } from 'vitest';
import type { LedgerFilter } from '@/components/trackers/ledger-filter';
import { filterLedger } from '@/components/trackers/ledger-filter';
import { backFrom } from '@/test/support/fixture/times';
import { trackerDetail } from '@/test/support/fixture/trackers';

const { entries } = trackerDetail(backFrom(0));

describe('the ledger of a tracker', () => {
  it.each([
    ['everything', {}, entries.length],
    ['what it owns itself', { ownership: 'this' }, 2],
    ['what another one took over', { ownership: 'other' }, 3],
    ['what nobody owns', { ownership: 'nobody' }, 0],
    ['what is not in the cluster', { ownership: 'absent' }, 1],
    ['what waits to go', { waiting: true }, 2],
    ['a name', { q: 'BANNER' }, 1],
    ['all of it at once', { q: 'web', ownership: 'this', waiting: true }, 2],
  ] as const satisfies readonly [string, LedgerFilter, number][])('[dispatch 3] shows %s', (_what, filter, count) => {
    expect(filterLedger(entries, filter)).toHaveLength(count);
  });
});
