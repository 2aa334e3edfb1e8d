'use client';

import type { UseQueryResult } from '@tanstack/react-query';
import { useQueries } from '@tanstack/react-query';
import type { QueryLike } from '@/components/ui/data/query-view';
import { messageOf } from '@/lib/contract/app-error';
import type { ObjectTable } from '@/lib/contract/object-rows';
import type { TableRequest } from '../object-queries';
import { objectQueries } from '../object-queries';

/** Namespaces that are read at once: each is asked of the API server by itself, since it lists one or all. */
export const MAX_NAMESPACES = 10;

/** What of one namespace, or of all of them, a page shows. */
export interface TablePart {
  readonly ns?: string | undefined;
  readonly next?: string | undefined;
}

/** A page of a table, put together of its parts. */
export interface TablePage extends Omit<ObjectTable, 'next'> {
  /** What the next page shows; empty on the last one. */
  readonly next: readonly TablePart[];
  /** Namespaces that could not be read, with the sentence why; the others are shown. */
  readonly unread: readonly { readonly ns: string; readonly why: string }[];
}

/** The parts of the first page. */
export function firstParts(ns: readonly string[]): readonly TablePart[] {
  return ns.length === 0 ? [{}] : ns.slice(0, MAX_NAMESPACES).map((one) => ({ ns: one }));
}

/** A page of the objects of a kind; there once each of its parts is read or refused. */
export function useTable(asked: Omit<TableRequest, keyof TablePart>, parts: readonly TablePart[]): QueryLike<TablePage> {
  return useQueries({
    queries: parts.map((part) => objectQueries.table({ ...asked, ...part })),
    combine: (results) => combine(parts, results),
  });
}

function combine(
  parts: readonly TablePart[],
  results: readonly Pick<UseQueryResult<ObjectTable>, 'data' | 'error' | 'isFetching' | 'refetch'>[],
): QueryLike<TablePage> {
  const isSettled = results.every(({ data, error }) => data !== undefined || error !== null);
  const read = results.flatMap(({ data }, at) => (data === undefined ? [] : [{ part: parts[at] ?? {}, data }]));
  const unread = results.flatMap(({ data, error }, at) =>
    data === undefined && error !== null ? [{ ns: parts[at]?.ns ?? '', why: messageOf(error) }] : [],
  );
  return {
    data: isSettled ? mergeTables(read, unread) : undefined,
    // Why a part was never read is told beside the others.
    error: results.find(({ data, error }) => error !== null && (data !== undefined || read.length === 0))?.error ?? null,
    isFetching: results.some(({ isFetching }) => isFetching),
    refetch: () => Promise.all(results.map(({ refetch }) => refetch())),
  };
}

/** The rows of all that was read, in the order that was asked for; undefined where nothing was. */
function mergeTables(
  read: readonly { readonly part: TablePart; readonly data: ObjectTable }[],
  unread: TablePage['unread'],
): TablePage | undefined {
  const [first] = read;
  if (first === undefined) return undefined;
  const tables = read.map(({ data }) => data);
  const left = tables.map(({ next, remaining }) => (next === null ? 0 : remaining));
  const scanned = tables.filter((table) => table.scanned !== null);
  return {
    ...first.data,
    rows: tables.flatMap(({ rows }) => rows),
    next: read.flatMap(({ part: { ns }, data: { next } }) => (next === null ? [] : [{ ns, next }])),
    remaining: left.reduce((sum, one) => (sum === null || one === null ? null : sum + one), 0),
    scanned: scanned.length === 0 ? null : tables.reduce((sum, table) => sum + (table.scanned ?? table.rows.length), 0),
    readAt: tables.map(({ readAt }) => readAt).sort()[0] ?? first.data.readAt,
    unread,
  };
}
