import type { Freshness, Keyed } from '@/lib/contract/live';
import type { ActivityRow, StandingView } from '@/lib/contract/system-rows';
import type { Topic } from '@/lib/contract/topic';
import { KINDS } from '@/lib/kube/kinds';
import type { ObjectKey } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { Release } from '@/server/platform';
import { toApplicationDetail } from './applications/application-detail';
import type { FactsDeps } from './applications/application-facts';
import { gatherFacts } from './applications/application-facts';
import { applicationList } from './applications/application-row';
import type { TreeDeps } from './applications/tree';
import type { BacklogSource, Place } from './freshness';
import type { ListShape } from './list-view';
import { pageOf } from './list-view';
import type { View, ViewSource } from './live-window';
import { toRolloutDetail } from './rollouts/rollout-detail';
import { rolloutList } from './rollouts/rollout-row';
import type { ScaleHistory } from './rollouts/scale-history';
import type { RowTable } from './row-table';
import { toInbox } from './system/inbox';
import type { Journal } from './system/journal';
import type { SystemRows } from './system/system-rows';
import type { Tables } from './tables';
import { strayList } from './trackers/stray-row';
import { toTrackerDetail, trackerList } from './trackers/tracker-row';
import type { Visibility } from './window';

/** What views are made from. */
export interface ViewDeps extends FactsDeps, Pick<TreeDeps, 'knownOf'> {
  readonly tables: Tables;
  readonly journal: Journal;
  readonly history: ScaleHistory;
  readonly standing: () => StandingView;
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

/** How a topic's view is computed and what makes it dirty; undefined when what it names does not exist. */
export function toViewSource(topic: Topic, visibility: Visibility, deps: ViewDeps): ViewSource | undefined {
  const source = (
    compute: () => View | undefined,
    watches: readonly ((onDirty: () => void) => Release)[],
    restsOn: { readonly place?: () => Place; readonly tables?: readonly BacklogSource[] } = {},
  ): ViewSource => ({
    compute,
    freshness: () => deps.freshness(restsOn.place?.(), restsOn.tables ?? []),
    watch: (onDirty) => {
      const releases = [...watches, deps.onFreshness].map((watch) => watch(onDirty));
      return () => {
        for (const release of releases) release();
      };
    },
  });
  const { tables } = deps;
  const list = <Row extends Keyed>(table: RowTable<Row>, query: Parameters<typeof pageOf>[1], shape: ListShape<Row>) =>
    source(() => pageOf(table.rows().values(), query, visibility, shape), [(onDirty) => table.onRows(onDirty)], { tables: [table] });
  const detail = (table: RowTable<Keyed>, key: string, place: () => Place, compute: () => Keyed | undefined) =>
    compute() === undefined ? undefined : source(() => single(compute()), [(onDirty) => table.onTouch((touched) => touched === key && onDirty())], { place });
  const placeOf = (application: ObjectKey) => () => deps.tracked.placeOf(application);

  switch (topic.kind) {
    case 'applications':
      return list(tables.applications, topic.query, applicationList);
    case 'rollouts':
      return list(tables.rollouts, topic.query, rolloutList);
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
      return source(() => toInbox(inboxSources(tables), visibility), ...ofInbox(tables));
    case 'application': {
      const key = toObjectKey({ namespace: topic.ns, name: topic.name });
      return detail(tables.applications, key, placeOf(key), () => {
        const facts = gatherFacts(key, deps);
        return facts && toApplicationDetail(facts, deps);
      });
    }
    case 'rollout': {
      const key = toObjectKey({ namespace: topic.ns, name: topic.name });
      return detail(tables.rollouts, key, placeOf(key), () => {
        const rollout = deps.seeRollout(key);
        return rollout && toRolloutDetail(rollout, deps);
      });
    }
    case 'tracker':
      return detail(
        tables.trackers,
        topic.name,
        () => ({ objects: deps.tracked.entriesOf(topic.name) }),
        () => {
          const tracker = deps.view.get(KINDS.resourceTracker, topic.name);
          return tracker && toTrackerDetail(tracker, deps);
        },
      );
    case 'engine':
      return source(() => single(deps.system.engine()), [(onDirty) => deps.system.onTick(onDirty)]);
    case 'status':
      return source(() => single(deps.system.status(toInbox(inboxSources(tables), visibility), visibility)), ...ofInbox(tables));
  }
}

function inboxSources({ applications, rollouts, trackers }: Tables) {
  return { applications: applications.rows().values(), rollouts: rollouts.rows().values(), trackers: trackers.rows().values() };
}

/** What makes the inbox dirty, and what it rests on. */
function ofInbox({ applications, rollouts, trackers }: Tables) {
  const tables = [applications, rollouts, trackers];
  return [tables.map((table) => (onDirty: () => void) => table.onRows(onDirty)), { tables }] as const;
}

function single(row: Keyed | undefined): View | undefined {
  return row === undefined ? undefined : { order: [row.key], rows: new Map([[row.key, row]]), total: 1 };
}
