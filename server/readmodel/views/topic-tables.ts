import type { Keyed } from '@/lib/contract/live';
import type { ReleaseRow } from '@/lib/contract/release-rows';
import type { Topic } from '@/lib/contract/topic';
import type { RowTable } from '../row-table';
import type { Tables } from '../tables';
import type { Visibility, WindowVisibility } from './window';

/** The rows of which the inbox tells what waits for a person. */
export function inboxSources({ applications, rollouts, releases, fluxReleases, fluxSources, trackers }: Tables) {
  return {
    applications: applications.rows().values(),
    rollouts: rollouts.rows().values(),
    releases: releases.rows().values(),
    fluxReleases: fluxReleases.rows().values(),
    fluxSources: fluxSources.rows().values(),
    trackers: trackers.rows().values(),
  };
}

/** The tables whose rows a topic shows or counts. */
export function tablesOf(topic: Topic, tables: Tables): readonly Table[] {
  switch (topic.kind) {
    case 'facets':
      return tablesOf({ kind: topic.of, query: {} }, tables);
    case 'applications':
    case 'rollouts':
    case 'trackers':
    case 'strays':
      return [tables[topic.kind]];
    case 'releases':
      return [tables.releases, tables.fluxReleases];
    case 'flux-sources':
      return [tables.fluxSources];
    case 'inbox':
    case 'status':
      return [tables.applications, tables.rollouts, tables.releases, tables.fluxReleases, tables.fluxSources, tables.trackers];
    case 'application':
    case 'tree':
    case 'tree-location':
    case 'tree-facets':
    case 'graph':
    case 'ledger':
    case 'ledger-page':
    case 'rollout':
    case 'release':
    case 'flux':
    case 'tracker':
    case 'activity':
    case 'engine':
      return [];
  }
}

/** Rows of releases, those that Flux drives among them, each by the namespaces whose releases of that sort a reader may see. */
export function* visibleReleases(tables: Tables, { visibility, releases: flux, olderReleases }: WindowVisibility): Iterable<ReleaseRow> {
  yield* releasesIn(visibility, olderReleases, tables.releases.rows().values());
  yield* releasesIn(flux, [], tables.fluxReleases.rows().values());
}

/** Of some rows of releases those of the namespaces that a reader may see; those of the older kind where they may see these too. */
export function* releasesIn(visibility: Visibility, older: Visibility, rows: Iterable<ReleaseRow>): Iterable<ReleaseRow> {
  const isIn = (seen: Visibility, { ns }: ReleaseRow) => seen === 'all' || seen.includes(ns);
  for (const row of rows) if (isIn(visibility, row) && (row.kind !== 'helmrelease-v1beta1' || isIn(older, row))) yield row;
}

type Table = Pick<RowTable<Keyed>, 'backlog' | 'onRows' | 'whenComplete'>;

/** What makes a view of whole tables dirty. */
export function markDirtyOn(tables: readonly Table[]) {
  return tables.map((table) => (onDirty: () => void) => table.onRows(onDirty));
}
