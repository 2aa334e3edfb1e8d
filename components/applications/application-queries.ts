import { queryOptions } from '@tanstack/react-query';
import { z } from 'zod';
import { liveQuery } from '@/components/live/live-query';
import { readJson } from '@/components/live/request';
import { applicationDetail, applicationRow, condition } from '@/lib/contract/application-rows';
import type { ListQuery } from '@/lib/contract/lists/list-query';
import { objectEvent } from '@/lib/contract/object-rows';
import type { TreeNode } from '@/lib/contract/tree-rows';

/** One object as it is in the cluster now, read as the person. */
export const objectView = z.object({
  manifest: z.string(),
  conditions: z.array(condition),
  events: z.array(objectEvent),
  left: z.array(z.string()),
});
export type ObjectView = z.infer<typeof objectView>;

/** What names one object for a closer look. */
export type ObjectRef = Pick<TreeNode, 'apiVersion' | 'kind' | 'ns' | 'name'>;

/** Path of an application in the API. */
export function applicationPath(ns: string, name: string): string {
  return `/api/v1/namespaces/${encodeURIComponent(ns)}/applications/${encodeURIComponent(name)}`;
}

/** What the screens about applications read. */
export const applicationQueries = {
  list: (query: ListQuery) => liveQuery({ kind: 'applications', query }, applicationRow),
  detail: (ns: string, name: string) => liveQuery({ kind: 'application', ns, name }, applicationDetail),
  object: ({ apiVersion, kind, ns, name }: ObjectRef) =>
    queryOptions({
      queryKey: ['objects', apiVersion, kind, ns, name],
      queryFn: ({ signal }) =>
        readJson(`/api/v1/objects?${new URLSearchParams({ apiVersion, kind, name, ...(ns === null ? {} : { ns }) })}`, objectView, signal),
      // Read as the person, from the cluster itself: every opening of the drawer asks anew.
      staleTime: 0,
      gcTime: 0,
      retry: false,
    }),
};
