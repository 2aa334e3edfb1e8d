'use client';

import { useState } from 'react';
import type { TablePage, TablePart } from './use-table';

/** A page of the list that is not the first, and how many rows stand before it. */
interface Step {
  readonly parts: readonly TablePart[];
  readonly before: number;
}

interface Turned {
  /** The view that was turned in: what narrows a list makes another one of it, at its first page. */
  readonly view: string;
  readonly way: readonly Step[];
  readonly selected: ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();

export interface Pages {
  readonly parts: readonly TablePart[];
  /** Rows of the pages before. */
  readonly before: number;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (keys: ReadonlySet<string>) => void;
  /** Null on the first page. */
  readonly onBack: (() => void) | null;
  /** Null on the last page. */
  readonly nextOf: (page: TablePage) => (() => void) | null;
}

/** Which page of a list is shown, and what is selected on it. The API server tells the next page only, so the way back is kept here. */
export function usePages(view: string, first: readonly TablePart[]): Pages {
  const [held, setHeld] = useState<Turned>({ view, way: [], selected: NONE });
  const { way, selected } = held.view === view ? held : { way: [], selected: NONE };
  const { parts, before } = way.at(-1) ?? { parts: first, before: 0 };
  const turn = (to: readonly Step[]) => setHeld({ view, way: to, selected: NONE });
  return {
    parts,
    before,
    selected,
    onSelect: (keys) => setHeld({ view, way, selected: keys }),
    onBack: way.length > 0 ? () => turn(way.slice(0, -1)) : null,
    nextOf: ({ next, rows }) => (next.length === 0 ? null : () => turn([...way, { parts: next, before: before + rows.length }])),
  };
}
