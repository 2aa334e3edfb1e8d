import { describe, expect, it } from 'vitest';
import { cellAfter } from '@/components/trackers/matrix/grid-keys';

const EXTENT = { lines: 100, columns: 6, screen: 10 };
const reach = (key: string, line: number, column: number, isWhole = false) => {
  const cell = cellAfter({ key, isWhole }, { line, column }, EXTENT);
  return cell && [cell.line, cell.column];
};

describe('the ledger by keyboard', () => {
  it.each([
    ['ArrowDown', 3, 2, [4, 2]],
    ['ArrowDown', 99, 2, [99, 2]],
    ['ArrowUp', 0, 2, [0, 2]],
    ['ArrowRight', 3, 5, [3, 5]],
    ['ArrowLeft', 3, 0, [3, -1]],
    ['ArrowLeft', 3, -1, [3, -1]],
    ['PageDown', 3, 2, [13, 2]],
    ['PageUp', 3, 2, [0, 2]],
    ['Home', 3, 2, [3, -1]],
    ['End', 3, 2, [3, 5]],
    ['a', 3, 2, undefined],
  ])('[issue 14.2] goes with %s from line %i, column %i to the cell beside, and never outside', (key, line, column, to) => {
    expect(reach(key, line, column)).toEqual(to);
  });

  it('[issue 14.2] goes with Control to the first object and to the last revision of the last', () => {
    expect([reach('Home', 3, 2, true), reach('End', 3, 2, true)]).toEqual([
      [0, -1],
      [99, 5],
    ]);
  });
});
