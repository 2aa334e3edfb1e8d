import { queryOptions } from '@tanstack/react-query';
import { liveQuery } from '@/components/live/live-query';
import { readJson } from '@/components/live/request';
import { statusesBody } from '@/lib/contract/object-statuses';
import type { ReleaseKindName } from '@/lib/contract/release-kind';
import { releaseDetail, releaseHistory, releaseRow } from '@/lib/contract/release-rows';
import type { ListQuery } from '@/lib/contract/topic';

/** Statuses of what Helm stored are asked for again so often. */
const AGAIN_MS = 5000;

/** A resource that declares a release, as its page names it. */
export interface ReleasePlace {
  readonly ns: string;
  readonly kind: ReleaseKindName;
  readonly name: string;
}

/** What the screens about releases read. */
export const releaseQueries = {
  list: (query: ListQuery) => liveQuery({ kind: 'releases', query }, releaseRow),
  detail: ({ ns, kind, name }: ReleasePlace) => liveQuery({ kind: 'release', ns, of: kind, name }, releaseDetail),
  /** Keyed by what Helm stored last, so that another revision is another read. */
  history: (place: ReleasePlace, stored: string) =>
    queryOptions({
      queryKey: ['releases', 'history', place, stored],
      queryFn: ({ signal }) => readJson(pathOf(place, 'history'), releaseHistory, signal),
      staleTime: AGAIN_MS,
      retry: false,
    }),
  objects: (place: ReleasePlace) =>
    queryOptions({
      queryKey: ['releases', 'objects', place],
      queryFn: ({ signal }) => readJson(pathOf(place, 'status'), statusesBody, signal),
      refetchInterval: AGAIN_MS,
      retry: false,
    }),
};

function pathOf({ ns, kind, name }: ReleasePlace, part: string): string {
  return `/api/v1/namespaces/${encodeURIComponent(ns)}/releases/${encodeURIComponent(name)}/${part}?kind=${kind}`;
}
