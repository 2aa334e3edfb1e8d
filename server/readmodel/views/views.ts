import { FLUX_RELEASE, FLUX_SOURCE_NAMES } from '@/lib/contract/flux-kind';
import type { Freshness, Keyed } from '@/lib/contract/live';
import { RELEASE_TYPES } from '@/lib/contract/release-kind';
import type { ActivityRow, EngineMode } from '@/lib/contract/system-rows';
import type { Topic } from '@/lib/contract/topic';
import { formatTopic } from '@/lib/contract/topic';
import { FLUX_KINDS } from '@/lib/kube/flux-kinds';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectKey, TypeRef } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { Clock, FaultIsolation, Release } from '@/server/platform';
import { toApplicationDetail } from '../applications/application-detail';
import type { FactsDeps } from '../applications/application-facts';
import { gatherFacts } from '../applications/application-facts';
import { applicationList } from '../applications/application-row';
import { brokenApplicationDetail, brokenReleaseDetail, brokenRolloutDetail, brokenTrackerDetail } from '../broken-rows';
import type { Flux } from '../flux/flux';
import { fluxSourceList } from '../flux/flux-rows';
import type { BacklogSource, Place } from '../freshness';
import type { Ledgers } from '../ledger/ledgers';
import type { Releases } from '../releases/describe';
import { toReleaseDetail } from '../releases/release-detail';
import { releaseList } from '../releases/release-row';
import { toRolloutDetail } from '../rollouts/rollout-detail';
import { rolloutList } from '../rollouts/rollout-row';
import type { ScaleHistory } from '../rollouts/scale-history';
import type { RowTable } from '../row-table';
import { toInbox } from '../system/inbox';
import { pageInbox } from '../system/inbox-page';
import type { Journal } from '../system/journal';
import type { SystemRows } from '../system/system-rows';
import type { Tables } from '../tables';
import { strayList } from '../trackers/stray-row';
import { toTrackerDetail, trackerList } from '../trackers/tracker-row';
import type { TreeDeps } from '../trees/build';
import { toGraph } from '../trees/graph';
import type { DescribedTree, Trees } from '../trees/trees';
import { toFacets } from './facets';
import type { ListShape } from './list-view';
import { pageOf } from './list-view';
import type { View, ViewSource } from './live-window';
import { single, staleIfError } from './stale-if-error';
import { inboxSources, markDirtyOn, tablesOf, visibleReleases } from './topic-tables';
import type { WindowVisibility } from './window';

/** What views are made from. */
export interface ViewDeps extends FactsDeps, Pick<TreeDeps, 'knownOf'> {
  readonly tables: Tables;
  readonly trees: Trees;
  readonly ledgers: Ledgers;
  readonly clock: Clock;
  readonly contain: FaultIsolation;
  readonly journal: Journal;
  readonly history: ScaleHistory;
  readonly releases: Releases;
  readonly flux: Flux;
  readonly engine: () => EngineMode;
  readonly chartEngine: () => EngineMode;
  readonly system: SystemRows;
  /** Of what rests on the core kinds, on a place, and on the rows of tables. */
  readonly freshness: (place: Place | undefined, tables: readonly BacklogSource[]) => Freshness;
  /** Calls back when freshness may have changed. */
  readonly onFreshness: (listener: () => void) => Release;
}

const activityList: ListShape<ActivityRow> = {
  namespaceOf: (row) => row.ns,
  text: (row) => `${row.ns ?? ''}/${row.name} ${row.actor} ${row.action} ${row.message}`,
  filter: (row) => row.action,
  sorts: { at: (row) => row.at, actor: (row) => row.actor, action: (row) => row.action },
  defaultSort: 'at',
};

/** What the table of releases rests on. */
const RELEASE_OBJECTS = [...Object.values(RELEASE_TYPES), KINDS.releaseDecision, FLUX_KINDS['helmrelease-v2']].map((type) => ({
  ...type,
  name: '',
}));
const SOURCE_OBJECTS = FLUX_SOURCE_NAMES.map((name) => ({ ...FLUX_KINDS[name], name: '' }));

/** How a topic's view is computed and what makes it dirty; undefined when what it names does not exist. */
export function toViewSource(topic: Topic, seen: WindowVisibility, deps: ViewDeps): ViewSource | undefined {
  const { visibility } = seen;
  const source = (
    compute: () => View | undefined,
    watches: readonly ((onDirty: () => void) => Release)[],
    restsOn: { readonly place?: () => Place; readonly tables?: readonly BacklogSource[] } = {},
  ): ViewSource => ({
    ...staleIfError(formatTopic(topic), { compute, freshness: () => deps.freshness(restsOn.place?.(), restsOn.tables ?? []) }, deps),
    watch: (onDirty) => {
      const ends = [...watches, deps.onFreshness].map((watch) => watch(onDirty));
      return () => {
        for (const end of ends) end();
      };
    },
  });
  const { tables } = deps;
  const shown = { tables: tablesOf(topic, tables) };
  const list = <Row extends Keyed>(table: RowTable<Row>, query: Parameters<typeof pageOf>[1], shape: ListShape<Row>, place?: () => Place) =>
    source(() => pageOf(table.rows().values(), query, visibility, shape), [(onDirty) => table.onRows(onDirty)], {
      ...shown,
      ...(place && { place }),
    });
  const detail = (table: RowTable<Keyed>, { type, key, row = key, place, make, broken }: Page) => {
    const compute = () => {
      const object = deps.view.get(type, key);
      const subject = { what: 'page', kind: type.kind, key, version: object?.metadata.resourceVersion } as const;
      return deps.contain.attempt(subject, make, (why) => object && broken(object, why));
    };
    // What says that there is such a page is its first answer: made again for whoever opens it, it would take twice the turn.
    let first = compute();
    if (first === undefined) return undefined;
    const answer = () => {
      const made = first ?? compute();
      first = undefined;
      return single(made);
    };
    return source(answer, [(onDirty) => table.onTouch((touched) => touched === row && onDirty())], { place });
  };
  const placeOf = (application: ObjectKey) => () => deps.tracked.placeOf(application);
  /** A part of the tree of an application; there is none where there is no application. */
  const part = ({ ns, name }: { readonly ns: string; readonly name: string }, make: (seen: DescribedTree) => View | undefined) => {
    const key = toObjectKey({ namespace: ns, name });
    if (deps.view.get(KINDS.application, key) === undefined) return undefined;
    const compute = () => {
      const seen = deps.trees.see(key);
      return seen && make(seen);
    };
    return source(compute, [(onDirty) => tables.applications.onTouch((touched) => touched === key && onDirty())], { place: placeOf(key) });
  };

  switch (topic.kind) {
    case 'applications':
      return list(tables.applications, topic.query, applicationList);
    case 'rollouts':
      return list(tables.rollouts, topic.query, rolloutList);
    case 'releases':
      return source(
        () => pageOf(visibleReleases(tables, seen), topic.query, 'all', releaseList),
        markDirtyOn([tables.releases, tables.fluxReleases]),
        { ...shown, place: () => ({ objects: RELEASE_OBJECTS }) },
      );
    case 'flux-sources':
      return list(tables.fluxSources, topic.query, fluxSourceList, () => ({ objects: SOURCE_OBJECTS }));
    case 'trackers':
      return list(tables.trackers, topic.query, trackerList);
    case 'strays':
      return list(tables.strays, topic.query, strayList);
    case 'activity': {
      // The newest come first unless asked otherwise.
      const query = topic.query.sort === undefined ? { ...topic.query, sort: 'at', desc: !topic.query.desc } : topic.query;
      return source(() => pageOf(deps.journal.rows(), query, visibility, activityList), [(onDirty) => deps.journal.onAdd(onDirty)]);
    }
    case 'inbox':
      return source(() => pageInbox(toInbox(inboxSources(tables), seen), topic.query ?? {}), markDirtyOn(shown.tables), shown);
    case 'application': {
      const key = toObjectKey({ namespace: topic.ns, name: topic.name });
      const make = () => {
        const facts = gatherFacts(key, deps);
        return facts && toApplicationDetail(facts, deps.trees.see(key)?.lines.counts(), deps);
      };
      return detail(tables.applications, { type: KINDS.application, key, place: placeOf(key), make, broken: brokenApplicationDetail });
    }
    case 'tree':
      return part(topic, ({ lines }) => lines.page(topic.query));
    case 'tree-location':
      return part(topic, ({ lines }) => single(lines.location(topic.id, topic.query)));
    case 'tree-facets':
      return part(topic, ({ lines }) => single(lines.facets()));
    case 'graph':
      return part(topic, (seen) => toGraph(seen, topic.open, deps));
    case 'ledger':
    case 'ledger-page': {
      const key = toObjectKey({ namespace: topic.ns, name: topic.name });
      if (deps.view.get(KINDS.application, key) === undefined) return undefined;
      const compute = () => (topic.kind === 'ledger' ? single(deps.ledgers.head(key)) : deps.ledgers.page(key, topic.query));
      return source(compute, [(onDirty) => deps.ledgers.watch(key, onDirty)], { place: () => deps.ledgers.placeOf(key) });
    }
    case 'rollout': {
      const key = toObjectKey({ namespace: topic.ns, name: topic.name });
      const make = () => {
        const rollout = deps.seeRollout(key);
        return rollout && toRolloutDetail(rollout, deps);
      };
      const broken = (object: KubeObject, why: string) => brokenRolloutDetail(object, why, deps.engine());
      return detail(tables.rollouts, { type: KINDS.rolloutOrchestrator, key, place: placeOf(key), make, broken });
    }
    case 'release': {
      const type = RELEASE_TYPES[topic.of];
      const key = toObjectKey({ namespace: topic.ns, name: topic.name });
      const page = `${topic.ns}/${topic.of}/${topic.name}`;
      const make = () => {
        const seen = deps.releases.see(page);
        return seen && toReleaseDetail(seen, { journal: deps.journal, engine: deps.chartEngine(), releases: deps.releases });
      };
      const place = () => ({ namespace: topic.ns, objects: [{ ...type, namespace: topic.ns, name: topic.name }] });
      return detail(tables.releases, { type, key, row: page, place, make, broken: brokenReleaseDetail });
    }
    case 'flux': {
      const { of, ns, name } = topic;
      if (deps.flux.objectOf(of, topic) === undefined) return undefined; // of a kind that nobody serves no store is opened
      const make = () => {
        const object = deps.flux.objectOf(of, topic);
        return object && deps.flux.detail(of, object);
      };
      const [type, key] = [FLUX_KINDS[of], toObjectKey({ namespace: ns, name })];
      const place = () => ({ namespace: ns, objects: [{ ...type, namespace: ns, name }] });
      const broken = (object: KubeObject, why: string) => deps.flux.broken(of, object, why);
      return detail(of === FLUX_RELEASE ? tables.fluxReleases : tables.fluxSources, {
        type,
        key,
        row: `${ns}/${of}/${name}`,
        place,
        make,
        broken,
      });
    }
    case 'tracker': {
      const make = () => {
        const tracker = deps.view.get(KINDS.resourceTracker, topic.name);
        return tracker && toTrackerDetail(tracker, deps);
      };
      const place = () => ({ objects: deps.tracked.entriesOf(topic.name) });
      return detail(tables.trackers, { type: KINDS.resourceTracker, key: topic.name, place, make, broken: brokenTrackerDetail });
    }
    case 'facets': {
      const rows = () =>
        topic.of === 'releases'
          ? visibleReleases(tables, seen)
          : tables[topic.of === 'flux-sources' ? 'fluxSources' : topic.of].rows().values();
      return source(
        () => single(toFacets(topic.of, rows(), topic.of === 'releases' ? 'all' : visibility)),
        markDirtyOn(shown.tables),
        shown,
      );
    }
    case 'engine':
      return source(() => single(deps.system.engine()), [(onDirty) => deps.system.onTick(onDirty)]);
    case 'status':
      return source(() => single(deps.system.status(toInbox(inboxSources(tables), seen), visibility)), markDirtyOn(shown.tables), shown);
  }
}

/** The page of one object, and what stands in for it when it cannot be made. */
interface Page {
  readonly type: TypeRef;
  readonly key: ObjectKey;
  /** The key of its row, where that is another. */
  readonly row?: string;
  readonly place: () => Place;
  readonly make: () => Keyed | undefined;
  readonly broken: (object: KubeObject, why: string) => Keyed;
}
