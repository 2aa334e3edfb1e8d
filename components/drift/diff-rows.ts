import type { ObjectDriftField } from '@/lib/contract/drift-rows';
import { diffLines } from '@/lib/std/line-diff';

/** A line of one of the two texts. */
export interface DiffSide {
  readonly number: number;
  readonly text: string;
}

/** Two texts beside each other: a line of both, a line that differs or stands on one side alone, or lines that are left out. */
export type DiffRow =
  | { readonly kind: 'same'; readonly desired: DiffSide; readonly live: DiffSide }
  | {
      readonly kind: 'changed';
      readonly desired: DiffSide | null;
      readonly live: DiffSide | null;
      readonly fields: readonly ObjectDriftField[];
    }
  | { readonly kind: 'skipped'; readonly count: number; readonly at: number };

const CONTEXT = 3;
/** Fewer lines than this are shown rather than counted. */
const FEWEST_SKIPPED = 4;

/** What is desired beside what is live, line by line; what differs is paired, and names the fields that stand there. */
export function toDiffRows(desired: string, live: string, fields: readonly ObjectDriftField[]): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  let [left, right] = [0, 0];
  let taken: DiffSide[] = [];
  let added: DiffSide[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(taken.length, added.length); at++) rows.push(pair(taken[at] ?? null, added[at] ?? null, fields));
    taken = [];
    added = [];
  };
  for (const { sign, text } of diffLines(desired, live)) {
    if (sign === '-') taken.push({ number: ++left, text });
    else if (sign === '+') added.push({ number: ++right, text });
    else {
      flush();
      rows.push({ kind: 'same', desired: { number: ++left, text }, live: { number: ++right, text } });
    }
  }
  flush();
  return fold(rows);
}

function pair(desired: DiffSide | null, live: DiffSide | null, fields: readonly ObjectDriftField[]): DiffRow {
  const here = fields.filter(
    ({ desiredLine, liveLine }) =>
      (live !== null && liveLine === live.number) || (liveLine === null && desired !== null && desiredLine === desired.number),
  );
  return { kind: 'changed', desired, live, fields: here };
}

/** Lines far from any difference are counted, not shown. */
function fold(rows: readonly DiffRow[]): readonly DiffRow[] {
  const near = rows.map((_row, at) => rows.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ kind }) => kind === 'changed'));
  const shown: DiffRow[] = [];
  for (let at = 0; at < rows.length; ) {
    let end = at;
    while (end < rows.length && !near[end]) end++;
    if (end - at >= FEWEST_SKIPPED) shown.push({ kind: 'skipped', count: end - at, at });
    else shown.push(...rows.slice(at, end));
    const row = rows[end];
    if (row !== undefined) shown.push(row);
    at = end + 1;
  }
  return shown;
}
