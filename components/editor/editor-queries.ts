import { queryOptions } from '@tanstack/react-query';
import { z } from 'zod';
import { applicationPath } from '@/components/applications/application-queries';
import { postJson, readExactly, readJson } from '@/components/live/request';
import { schemaShape } from '@/components/ui/editor/editor-schema';
import type { SavePreview, WrittenProblem } from '@/lib/contract/change-rows';
import { savePreview, writtenApplication, writtenProblem } from '@/lib/contract/change-rows';
import type { ApplyRequest } from '@/lib/contract/requests';

const checked = z.object({ problems: z.array(writtenProblem) });

/** What saving a manifest would do, object by object; nothing is changed. */
export function readSavePreview(request: Omit<ApplyRequest, 'dryRun'>): Promise<SavePreview> {
  return postJson('/api/v1/applications', { ...request, dryRun: true }, savePreview);
}

/** What is wrong with a manifest as it is being written. */
async function readProblems(manifest: string): Promise<readonly WrittenProblem[]> {
  return (await postJson('/api/v1/applications/check', { manifest }, checked)).problems;
}

/** What the editor reads. */
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
};
