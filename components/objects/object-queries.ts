import { queryOptions } from '@tanstack/react-query';
import { readJson } from '@/components/live/request';
import { editableObject } from '@/lib/contract/acts/object-edit';
import type { ObjectPage } from '@/lib/contract/object-address';
import { kindPath } from '@/lib/contract/object-address';
import { foundObjects, kindsPage, objectDetail, objectTable } from '@/lib/contract/object-rows';
import { podsPage } from '@/lib/contract/pod-rows';

/** What is read as the person is as old as its answer, so it is read again while somebody looks. */
const AGAIN_MS = 10_000;
/** Pods start and end within seconds. */
const PODS_AGAIN_MS = 5000;

/** What narrows a table, and where it goes on. */
export interface TableRequest {
  readonly group: string;
  readonly named: string;
  readonly version?: string | undefined;
  readonly ns?: string | undefined;
  readonly labels?: string | undefined;
  readonly q?: string | undefined;
  readonly owner?: string | undefined;
  readonly next?: string | undefined;
}

/** Where the API reads one object, or what lies beside it. */
export function objectUrl(at: ObjectPage, what: 'object' | 'events' | 'pods', more: Readonly<Record<string, string>> = {}): string {
  return `${kindPath(at)}/${what}?${toQuery({ version: at.version, ns: at.ns ?? undefined, name: at.name, ...more })}`;
}

/** What the pages about any object read. */
export const objectQueries = {
  kinds: (ns: string | undefined) =>
    queryOptions({
      queryKey: ['kinds', ns ?? ''],
      queryFn: ({ signal }) => readJson(`/api/v1/kinds?${toQuery({ ns })}`, kindsPage, signal),
      staleTime: AGAIN_MS,
      retry: false,
    }),
  table: ({ group, named, ...query }: TableRequest) =>
    queryOptions({
      queryKey: ['kinds', group, named, query],
      queryFn: ({ signal }) => readJson(`${kindPath({ group, named })}/table?${toQuery(query)}`, objectTable, signal),
      // A page further on is bound to the state of the list that it is part of.
      refetchInterval: query.next === undefined ? AGAIN_MS : false,
      staleTime: 0,
      retry: false,
    }),
  object: (at: ObjectPage) =>
    queryOptions({
      queryKey: ['kinds', at.group, at.named, at.ns, at.name, at.version ?? ''],
      queryFn: ({ signal }) => readJson(objectUrl(at, 'object'), objectDetail, signal),
      refetchInterval: AGAIN_MS,
      staleTime: 0,
      retry: false,
    }),
  text: (of: { readonly apiVersion: string; readonly kind: string; readonly name: string; readonly ns?: string } | undefined) =>
    queryOptions({
      queryKey: ['objects', 'text', of],
      queryFn: ({ signal }) => readJson(`/api/v1/objects/manifest?${toQuery({ ...of })}`, editableObject, signal),
      enabled: of !== undefined,
      staleTime: 0,
      gcTime: 0,
      retry: false,
    }),
  pods: (at: ObjectPage) =>
    queryOptions({
      queryKey: ['kinds', at.group, at.named, at.ns, at.name, 'pods'],
      queryFn: ({ signal }) => readJson(objectUrl(at, 'pods'), podsPage, signal),
      refetchInterval: PODS_AGAIN_MS,
      staleTime: 0,
      retry: false,
    }),
  find: (q: string) =>
    queryOptions({
      queryKey: ['objects', 'find', q],
      queryFn: ({ signal }) => readJson(`/api/v1/objects/find?${toQuery({ q })}`, foundObjects, signal),
      enabled: q.length > 1,
      staleTime: 5000,
      retry: false,
      placeholderData: (before) => before,
    }),
};

function toQuery(asked: Readonly<Record<string, string | undefined>>): string {
  return new URLSearchParams(Object.entries(asked).flatMap(([name, value]) => (value ? [[name, value]] : []))).toString();
}
