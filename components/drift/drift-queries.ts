import { queryOptions } from '@tanstack/react-query';
import { readJson } from '@/components/live/request';
import type { DriftedObject, ObjectDrift, RevertRequest } from '@/lib/contract/drift-rows';
import { driftAnswer, refusedObjects } from '@/lib/contract/drift-rows';

/** The application whose object it is. */
export interface DriftPlace {
  readonly ns: string;
  readonly name: string;
}

/** Where the API has what is about an application. */
export function pathOf({ ns, name }: DriftPlace): string {
  return `/api/v1/namespaces/${encodeURIComponent(ns)}/applications/${encodeURIComponent(name)}`;
}

/** What is sent to act on one object: its identity, and the fields that the person saw differ. */
export function seenOf({ apiVersion, kind, ns, name }: DriftedObject, { fields }: ObjectDrift): RevertRequest {
  return { apiVersion, kind, ...(ns === null ? {} : { ns }), name, seen: fields.map(({ path }) => path) };
}

type Named = Pick<DriftedObject, 'apiVersion' | 'kind' | 'ns' | 'name'>;

/** Queries about drift, object by object. */
export const driftQueries = {
  /** One object beside what is wanted, read live and as the person; `version` is another one when the object differs otherwise. */
  object: (place: DriftPlace, { apiVersion, kind, ns: objectNs, name: objectName }: Named, version: string) =>
    queryOptions({
      queryKey: ['drift', place.ns, place.name, apiVersion, kind, objectNs, objectName, version],
      queryFn: ({ signal }) => {
        const query = new URLSearchParams({ apiVersion, kind, name: objectName, ...(objectNs === null ? {} : { ns: objectNs }) });
        return readJson(`${pathOf(place)}/drift?${query}`, driftAnswer, signal);
      },
      staleTime: 0,
      gcTime: 0,
      retry: false,
    }),
  /** What the cluster refuses of a revision that could not be applied; `state` is another one after each try that comes to something else. */
  refused: (place: DriftPlace, state: string) =>
    queryOptions({
      queryKey: ['drift', 'refused', place.ns, place.name, state],
      queryFn: ({ signal }) => readJson(`${pathOf(place)}/refused-objects`, refusedObjects, signal),
      staleTime: 0,
      gcTime: 0,
      retry: false,
    }),
};
