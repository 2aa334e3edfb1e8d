import { queryOptions } from '@tanstack/react-query';
import { z } from 'zod';
import { postJson, readExactly, readJson } from '@/components/live/request';
import { schemaShape } from '@/components/ui/editor/editor-schema';
import type { ChangeFilter, SavePreview, WrittenProblem } from '@/lib/contract/change-rows';
import { comparePage, movedPlan, savePreview, waitingPage, writtenApplication, writtenProblem } from '@/lib/contract/change-rows';
import type { ApplyRequest } from '@/lib/contract/requests';

const checked = z.object({ problems: z.array(writtenProblem) });

/** Path of an application in the API. */
function applicationPath(ns: string, name: string): string {
  return `/api/v1/namespaces/${encodeURIComponent(ns)}/applications/${encodeURIComponent(name)}`;
}

/** What saving a manifest would do, object by object; nothing is changed. */
export function readSavePreview(request: Omit<ApplyRequest, 'dryRun'>): Promise<SavePreview> {
  return postJson('/api/v1/applications', { ...request, dryRun: true }, savePreview);
}

/** What is wrong with a manifest as it is being written. */
async function readProblems(manifest: string): Promise<readonly WrittenProblem[]> {
  return (await postJson('/api/v1/applications/check', { manifest }, checked)).problems;
}

type PageQuery = ChangeFilter & { readonly page?: number | undefined };

function pageParams(query: PageQuery): URLSearchParams {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '' && value !== 0);
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
}

/** What the editor, the preview and the comparison of revisions read. */
export const editorQueries = {
  schema: () =>
    queryOptions({
      queryKey: ['applications', 'schema'],
      queryFn: ({ signal }) => readJson('/api/v1/schemas/application', schemaShape, signal),
      staleTime: Number.POSITIVE_INFINITY,
    }),
  text: (ns: string, name: string) =>
    queryOptions({
      queryKey: ['applications', 'text', ns, name],
      queryFn: ({ signal }) => readExactly(`${applicationPath(ns, name)}/text`, writtenApplication, signal),
      staleTime: 0,
      gcTime: 0,
      retry: false,
      refetchOnWindowFocus: false,
    }),
  problems: (manifest: string) =>
    queryOptions({
      queryKey: ['applications', 'problems', manifest],
      queryFn: () => readProblems(manifest),
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 0,
      retry: false,
    }),
  /** What waits to be collected; `state` is the application as it is shown, so that another state is another read. */
  waiting: (ns: string, name: string, query: PageQuery, state: string) =>
    queryOptions({
      queryKey: ['applications', 'waiting', ns, name, query, state],
      queryFn: ({ signal }) => readJson(`${applicationPath(ns, name)}/preview?${pageParams(query)}`, waitingPage, signal),
      staleTime: 0,
      retry: false,
    }),
  /** Both plans of a change that waits; `state` is the application as it is shown. */
  moved: (ns: string, name: string, state: string) =>
    queryOptions({
      queryKey: ['applications', 'moved', ns, name, state],
      queryFn: ({ signal }) => readJson(`${applicationPath(ns, name)}/moved-plan`, movedPlan, signal),
      staleTime: 0,
      gcTime: 0,
      retry: false,
      refetchOnWindowFocus: false,
    }),
  compare: (ns: string, name: string, between: { readonly from: string; readonly to: string }, query: PageQuery) =>
    queryOptions({
      queryKey: ['applications', 'revisions', ns, name, between, query],
      queryFn: ({ signal }) => readJson(`${applicationPath(ns, name)}/compare?${pageParams({ ...between, ...query })}`, comparePage, signal),
      staleTime: Number.POSITIVE_INFINITY,
      retry: false,
    }),
};
