import type { TreeQuery } from '@/lib/contract/lists/tree-query';
import { formatTreeQuery, MAX_CLOSED, parseMarks, parseTreeQuery } from '@/lib/contract/lists/tree-query';

/** What the address says of the objects of an application: how they are shown, which of them, and which one is picked. */
export interface TreeView {
  readonly query: TreeQuery;
  readonly isGraph: boolean;
  /** The id of the picked object. */
  readonly object: string | null;
  /** Whether the picked object is looked at close up. */
  readonly isLook: boolean;
  /** What of it is looked at then: its manifest, its events; null of what comes first. */
  readonly tab: string | null;
  /** Marks of the groups of the graph that are taken apart. */
  readonly open: readonly string[];
}

const LONGEST_ID = 600;
const LONGEST_TAB = 40;

/** Reads the view from the address; pages of the list are no part of it. */
export function parseTreeView(params: URLSearchParams): TreeView {
  const { page: _page, ...query } = parseTreeQuery(params);
  const object = params.get('object')?.slice(0, LONGEST_ID) || null;
  const isLook = object !== null && params.get('look') === '1';
  return {
    query,
    isGraph: params.get('view') === 'graph',
    object,
    isLook,
    tab: (isLook && params.get('tab')?.slice(0, LONGEST_TAB)) || null,
    open: parseMarks(params.get('open')),
  };
}

/** The text of the address that shows this view; what stands for nothing is left out. */
export function formatTreeView({ query, isGraph, object, isLook, tab, open }: TreeView): string {
  const text = new URLSearchParams(formatTreeQuery(query));
  if (isGraph) text.set('view', 'graph');
  if (open.length > 0) text.set('open', open.join('.'));
  if (object !== null) text.set('object', object);
  if (isLook) text.set('look', '1');
  if (isLook && tab !== null) text.set('tab', tab);
  return text.toString();
}

/** A list of marks with one put in or taken out; beyond so many the first are let go. */
export function toggleMark(marks: readonly string[], mark: string): readonly string[] {
  return marks.includes(mark) ? marks.filter((one) => one !== mark) : [...marks, mark].slice(-MAX_CLOSED);
}
