import { messageOf } from '@/lib/contract/app-error';
import type { LedgerEntry, TrackerDetail, TrackerRow } from '@/lib/contract/tracker-rows';
import { KINDS, LABELS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { controllerOf, toObjectId, toObjectKey } from '@/lib/kube/object';
import type { TrackerEntry } from '@/server/dispatch';
import { explainTampering, readTracker, revisionNumberOf } from '@/server/dispatch';
import type { FactsDeps } from '../applications/application-facts';
import { ownRevisions } from '../applications/desired';
import { stateOfRevision } from '../applications/revision-state';
import { capitalise } from '../capitalise';
import { kindKey } from '../cluster-view';
import { statusOfEntry } from '../live-state';
import type { ListShape } from '../views/list-view';
import { metadataOf } from '../views/metadata';
import { planWaiting } from './waiting';

/** The line of the table of trackers. */
export function toTrackerRow(tracker: KubeObject, deps: FactsDeps): TrackerRow {
  const name = tracker.metadata.name ?? '';
  const ns = tracker.metadata.labels?.[LABELS.appNamespace] ?? null;
  const fault = faultOf(tracker);
  const entries = deps.tracked.entriesOf(name);
  const owned = entries.filter((entry) => ownerTracker(deps.view.get(entry, toObjectKey(entry))) === name).length;
  return {
    key: name,
    name,
    application: tracker.metadata.labels?.[LABELS.appName] ?? null,
    ns,
    revision: deps.tracked.revisionOf(tracker) ?? null,
    state: fault === undefined ? stateOf(tracker, deps) : 'unreadable',
    objects: entries.length,
    owned,
    waiting: fault === undefined && tracker.metadata.deletionTimestamp === undefined ? countWaiting(tracker, deps) : 0,
    createdAt: tracker.metadata.creationTimestamp ?? null,
    message: fault === undefined ? '' : capitalise(fault, [name]),
    ...metadataOf(tracker),
  };
}

/** Objects that it owns and that the newest tracker of the application does not list. */
function countWaiting(tracker: KubeObject, deps: FactsDeps): number {
  const { view, tracked } = deps;
  const name = tracker.metadata.name ?? '';
  const application = toObjectKey({
    namespace: tracker.metadata.labels?.[LABELS.appNamespace],
    name: tracker.metadata.labels?.[LABELS.appName],
  });
  const numberOf = (one: KubeObject) => revisionNumberOf(tracked.revisionOf(one) ?? '') ?? 0;
  const newest = tracked.trackersOf(application).reduce((held, one) => (numberOf(one) > numberOf(held) ? one : held), tracker);
  if (newest === tracker) return 0;
  const kept = new Set(tracked.entriesOf(newest.metadata.name ?? '').map((entry) => `${kindKey(entry)}|${toObjectKey(entry)}`));
  return tracked.entriesOf(name).filter((entry) => {
    const key = toObjectKey(entry);
    return !kept.has(`${kindKey(entry)}|${key}`) && ownerTracker(view.get(entry, key)) === name;
  }).length;
}

function faultOf(tracker: KubeObject): string | undefined {
  try {
    return explainTampering(readTracker(tracker));
  } catch (error) {
    return messageOf(error);
  }
}

function stateOf(tracker: KubeObject, { view, tracked, seeRollout }: FactsDeps): TrackerRow['state'] {
  if (tracker.metadata.deletionTimestamp) return 'terminating';
  const name = tracker.metadata.labels?.[LABELS.appName];
  const namespace = tracker.metadata.labels?.[LABELS.appNamespace];
  const key = toObjectKey({ namespace, name });
  const application = name === undefined ? undefined : view.get(KINDS.application, key);
  if (application === undefined) return 'stray';
  const revision = tracked.revisionOf(tracker) ?? '';
  const newest = ownRevisions(application, view).at(-1)?.name;
  const state = stateOfRevision(revision, { application, rollout: seeRollout(key), newest, hasTracker: true });
  return state === 'superseded' ? 'previous' : state;
}

/** Name of the tracker that owns an object now, if one does. */
export function ownerTracker(object: KubeObject | undefined): string | undefined {
  if (object === undefined) return undefined;
  const owner = controllerOf(object) ?? object.metadata.ownerReferences?.[0];
  if (owner?.kind === 'ResourceTracker') return owner.name;
  return object.metadata.ownerReferences?.find((reference) => reference.kind === 'ResourceTracker')?.name;
}

/** The page of one tracker: its ledger, who owns each object now, and what it owns without listing it. */
export function toTrackerDetail(tracker: KubeObject, deps: FactsDeps): TrackerDetail {
  const row = toTrackerRow(tracker, deps);
  const entries = deps.tracked.entriesOf(row.name);
  const listed = new Set(entries.map((entry) => `${kindKey(entry)}|${toObjectKey(entry)}`));
  const uid = tracker.metadata.uid ?? '';
  const verdicts = verdictsOf(row, deps);
  const siblings =
    row.application === null ? [] : deps.tracked.trackersOf(toObjectKey({ namespace: row.ns ?? undefined, name: row.application }));
  return {
    key: row.key,
    name: row.name,
    application: row.application,
    ns: row.ns,
    revision: row.revision,
    state: row.state,
    message: row.message,
    entries: entries.map((entry) => toLedgerEntry(entry, row.name, deps, verdicts)),
    unlisted: deps.view
      .ownedBy(uid)
      .filter((object) => !listed.has(`${kindKey(object)}|${toObjectKey(object.metadata)}`))
      .map((object) => ({
        apiVersion: object.apiVersion,
        kind: object.kind,
        ns: object.metadata.namespace ?? null,
        name: object.metadata.name ?? '',
      })),
    siblings: siblings
      .filter((other) => other.metadata.name !== row.name)
      .map((other) => ({
        name: other.metadata.name ?? '',
        revision: deps.tracked.revisionOf(other) ?? null,
        state: toTrackerRow(other, deps).state,
      }))
      .sort((a, b) => (revisionNumberOf(b.revision ?? '') ?? 0) - (revisionNumberOf(a.revision ?? '') ?? 0)),
    createdAt: row.createdAt,
  };
}

type Verdicts = ReadonlyMap<string, NonNullable<LedgerEntry['verdict']>>;

/** What the waiting collection does with each object of a tracker, by kind and key. */
function verdictsOf({ application, ns, name }: TrackerRow, deps: FactsDeps): Verdicts {
  const plan = application === null ? undefined : planWaiting(toObjectKey({ namespace: ns ?? undefined, name: application }), deps);
  const items = plan?.from.includes(name) ? plan.items.filter(({ tracker }) => tracker === name) : [];
  return new Map(items.map(({ entry, verdict }) => [`${kindKey(entry)}|${toObjectKey(entry)}`, verdict]));
}

function toLedgerEntry(entry: TrackerEntry, tracker: string, deps: FactsDeps, verdicts: Verdicts): LedgerEntry {
  const object = deps.view.get(entry, toObjectKey(entry));
  const owner = ownerTracker(object);
  const verdict = verdicts.get(`${kindKey(entry)}|${toObjectKey(entry)}`) ?? null;
  return {
    id: toObjectId(entry),
    apiVersion: entry.apiVersion,
    kind: entry.kind,
    ns: entry.namespace || null,
    name: entry.name,
    component: object?.metadata.labels?.[LABELS.component] ?? null,
    exists: object !== undefined,
    ownedBy: owner ?? null,
    ownedByThis: owner === tracker,
    verdict,
    fate: verdict,
    ...statusOfEntry(entry, deps),
  };
}

export const trackerList: ListShape<TrackerRow> = {
  namespaceOf: (row) => row.ns,
  text: (row) => `${row.name} ${row.application ?? ''}`,
  marks: (row) => row,
  filter: (row) => row.state,
  sorts: {
    name: (row) => row.name,
    application: (row) => `${row.ns}/${row.application}`,
    state: (row) => row.state,
    objects: (row) => row.objects,
    owned: (row) => row.owned,
    waiting: (row) => row.waiting,
    created: (row) => row.createdAt ?? '',
  },
  defaultSort: 'application',
};
