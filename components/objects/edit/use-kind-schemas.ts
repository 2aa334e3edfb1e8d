'use client';

import { queryOptions, useQueries } from '@tanstack/react-query';
import { z } from 'zod';
import { readJson } from '@/components/live/request';
import { kindsWritten } from '@/components/ui/editor/editor-outline';
import type { Schema } from '@/components/ui/editor/editor-schema';
import { schemaShape } from '@/components/ui/editor/editor-schema';

/** So many kinds of one text are asked for. */
const MOST = 20;
/** Definitions bring kinds into groups whose names have a dot. */
const DEFINED = /^[-a-z0-9]+\.[-.a-z0-9]+\/v[a-z0-9]+ [A-Z][A-Za-z0-9]*$/;
const answer = z.object({ schema: schemaShape.nullable() });

/** The schemas of the kinds in a text that definitions of the cluster bring, by `apiVersion kind`, as far as they are known. One kind may be known better. */
export function useKindSchemas(text: string, known = ''): Readonly<Record<string, Schema>> {
  const kinds = kindsWritten(text)
    .filter((kind) => kind !== known && DEFINED.test(kind))
    .slice(0, MOST);
  const found = useQueries({ queries: kinds.map(kindQuery) });
  return Object.fromEntries(kinds.flatMap((kind, at) => (found[at]?.data ? [[kind, found[at].data]] : [])));
}

function kindQuery(written: string) {
  const [apiVersion = '', kind = ''] = written.split(' ');
  return queryOptions({
    queryKey: ['schemas', 'kind', written],
    queryFn: async ({ signal }) =>
      (await readJson(`/api/v1/schemas/kind?${new URLSearchParams({ apiVersion, kind })}`, answer, signal)).schema,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}
