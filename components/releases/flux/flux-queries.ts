import { queryOptions } from '@tanstack/react-query';
import { z } from 'zod';
import { liveQuery } from '@/components/live/live-query';
import { readJson } from '@/components/live/request';
import { fluxRights } from '@/lib/contract/flux-acts';
import type { FluxKindName } from '@/lib/contract/flux-kind';
import { FLUX_RELEASE } from '@/lib/contract/flux-kind';
import { fluxReleaseDetail, fluxSourceDetail, fluxSourceRow } from '@/lib/contract/flux-rows';
import type { ListQuery } from '@/lib/contract/lists/list-query';
import { statusesBody } from '@/lib/contract/object-statuses';
import { FLUX_KINDS } from '@/lib/kube/flux-kinds';

const AGAIN_MS = 5000;
const RIGHTS_KEPT_MS = 10_000;

/** An object of Flux, as its page names it. */
export interface FluxPlace {
  readonly ns: string;
  readonly kind: FluxKindName;
  readonly name: string;
}

/** What the screens about Flux read. */
export const fluxQueries = {
  release: ({ ns, name }: Pick<FluxPlace, 'ns' | 'name'>) => liveQuery({ kind: 'flux', ns, of: FLUX_RELEASE, name }, fluxReleaseDetail),
  source: ({ ns, kind, name }: FluxPlace) => liveQuery({ kind: 'flux', ns, of: kind, name }, fluxSourceDetail),
  sources: (query: ListQuery) => liveQuery({ kind: 'flux-sources', query }, fluxSourceRow),
  rights: (place: FluxPlace) =>
    queryOptions({
      queryKey: ['flux', 'rights', place],
      queryFn: ({ signal }) => readJson(`${fluxPath(place)}/rights?kind=${place.kind}`, fluxRights, signal),
      staleTime: RIGHTS_KEPT_MS,
    }),
  objects: (place: FluxPlace) =>
    queryOptions({
      queryKey: ['flux', 'objects', place],
      queryFn: ({ signal }) => readJson(`${fluxPath(place)}/status`, statusesBody, signal),
      refetchInterval: AGAIN_MS,
      retry: false,
    }),
  /** Read as the person, whenever somebody opens it. */
  manifest: ({ ns, kind, name }: FluxPlace) =>
    queryOptions({
      queryKey: ['flux', 'manifest', ns, kind, name],
      queryFn: ({ signal }) =>
        readJson(`/api/v1/objects?${new URLSearchParams({ ...FLUX_KINDS[kind], ns, name })}`, z.object({ manifest: z.string() }), signal),
      staleTime: 0,
      gcTime: 0,
      retry: false,
    }),
};

/** Path of an object of Flux in the API. */
export function fluxPath({ ns, name }: Pick<FluxPlace, 'ns' | 'name'>): string {
  return `/api/v1/namespaces/${encodeURIComponent(ns)}/flux/${encodeURIComponent(name)}`;
}
