import { queryOptions, useQuery } from '@tanstack/react-query';
import { readJson } from '@/components/live/request';
import type { ApplicationVerb } from '@/lib/contract/application-rights';
import { applicationRights, createRights } from '@/lib/contract/application-rights';
import { objectPath } from '@/lib/contract/requests';
import { outline } from './editor-outline';

const RIGHTS_KEPT_MS = 10_000;

interface Place {
  readonly ns: string;
  readonly name: string;
}

const rightsQueries = {
  ofApplication: (place: Place | null) =>
    queryOptions({
      queryKey: ['applications', 'rights', place?.ns, place?.name],
      queryFn: ({ signal }) =>
        readJson(
          `/api/v1/namespaces/${encodeURIComponent(place?.ns ?? '')}/applications/${encodeURIComponent(place?.name ?? '')}/rights`,
          applicationRights,
          signal,
        ),
      enabled: place !== null,
      staleTime: RIGHTS_KEPT_MS,
    }),
  toCreate: () =>
    queryOptions({
      queryKey: ['applications', 'rights'],
      queryFn: ({ signal }) => readJson('/api/v1/applications/rights', createRights, signal),
      staleTime: RIGHTS_KEPT_MS,
    }),
};

/** Why the person may not do something with an application. Null when they may, and while it is not known: the server decides. */
export function useApplicationRefusal(place: Place | null, verb: ApplicationVerb): string | null {
  return useQuery(rightsQueries.ofApplication(place)).data?.[verb] ?? null;
}

/** Why the person may create no application in any namespace; null when they may in one, and while it is not known. */
export function useCreateRefusal(): string | null {
  return useQuery(rightsQueries.toCreate()).data?.create ?? null;
}

/** Which application a text is about; null while it does not say. */
export function placeWritten(text: string): Place | null {
  const metadata = outline(text).children.find(({ name }) => name === 'metadata');
  const written = (key: string) => metadata?.children.find(({ name }) => name === key)?.value;
  const place = objectPath.safeParse({ ns: written('namespace'), name: written('name') });
  return place.success ? place.data : null;
}
