import { describe, expect, it } from 'vitest';
import type { TrackerEntry } from '@/server/dispatch';
import type { MatrixColumn } from '@/server/readmodel/ledger/matrix';
import { cellsOf, stateBit, statesOf, toMatrixRows } from '@/server/readmodel/ledger/matrix';

const entry = (name: string): TrackerEntry => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  namespace: 'shop',
  name,
  cluster: 'local',
  component: '',
  deleted: false,
  skipGC: false,
});
const id = (name: string) => `Deployment.apps/shop/${name}`;
const column = (number: number, names: readonly string[]): MatrixColumn => ({
  tracker: `web-v${number}-shop`,
  entries: names.map(entry),
  collected: undefined,
});
const collected = (number: number, deleted: readonly string[], handedOver: readonly string[] = []): MatrixColumn => {
  const tracker = `web-v${number}-shop`;
  return {
    tracker,
    entries: undefined,
    collected: { tracker, at: '2026-01-01T00:00:00Z', deleted: deleted.map(id), handedOver: handedOver.map(id) },
  };
};
const cells = (
  columns: readonly MatrixColumn[],
  name: string,
  now: { readonly exists?: boolean | undefined; readonly owner?: number | undefined },
) => {
  const row = toMatrixRows(columns).find((one) => one.id === id(name));
  return row && cellsOf(row, { exists: true, owner: undefined, newest: 0, ...now }, columns.length);
};

describe('the ledger across revisions', () => {
  it('[issue 14.2] tells of an object of two revisions which one owns it and which one handed it over', () => {
    const columns = [column(2, ['web']), column(1, ['web'])];
    expect(cells(columns, 'web', { owner: 0 })).toEqual(['owned', 'handed-over']);
  });

  it('[issue 14.2] tells that what an older revision still owns and the newest does not list waits to be collected', () => {
    const columns = [column(2, ['web']), column(1, ['web', 'old'])];
    expect(cells(columns, 'old', { owner: 1 })).toEqual([null, 'waiting']);
  });

  it('[issue 14.2] tells what is listed and in nobody’s hands, and what is listed and not there', () => {
    expect(cells([column(1, ['web'])], 'web', {})).toEqual(['recorded']);
    expect(cells([column(1, ['web'])], 'web', { exists: false })).toEqual(['missing']);
  });

  it('[issue 14.2] calls nothing missing of which nobody knows whether it is there', () => {
    const columns = [column(2, ['web']), column(1, ['web', 'old'])];
    expect(cells(columns, 'web', { exists: undefined })).toEqual(['unknown', 'unknown']);
    expect(cells(columns, 'old', { exists: undefined })).toEqual([null, 'unknown']);
  });

  it('[issue 14.2] tells an owner that is no revision shown here from this one', () => {
    expect(cells([column(1, ['web'])], 'web', { owner: -1 })).toEqual(['handed-over']);
  });

  it('[issue 14.2] tells of revisions that were collected what the record says: deleted, handed over, or nothing', () => {
    const columns = [column(3, ['web']), collected(2, ['old'], ['web']), collected(1, ['older'])];
    expect(cells(columns, 'web', { owner: 0 })).toEqual(['owned', 'handed-over', null]);
    expect(cells(columns, 'old', { exists: false })).toEqual([null, 'deleted', null]);
    expect(cells(columns, 'older', { exists: false })).toEqual([null, null, 'deleted']);
  });

  it('[issue 14.2] tells of an object that a collection deleted while its tracker stayed that it was deleted, not that it is missing', () => {
    const tracker = column(1, ['old']);
    const columns = [column(2, []), { ...tracker, collected: collected(1, ['old']).collected }];
    expect(cells(columns, 'old', { exists: false })).toEqual([null, 'deleted']);
  });

  it('[issue 14.2] lists an object once, however many revisions have it, and knows all its states for the filter', () => {
    const columns = [column(2, ['web']), column(1, ['web']), collected(0, ['web'])];
    const rows = toMatrixRows(columns);
    expect(rows).toHaveLength(1);
    const now = { exists: true, owner: 0, newest: 0 };
    expect(rows.map((row) => statesOf(row, now, columns.length))).toEqual([
      stateBit('owned') | stateBit('handed-over') | stateBit('deleted'),
    ]);
  });
});
