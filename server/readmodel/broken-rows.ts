import type { ApplicationDetail, ApplicationRow } from '@/lib/contract/application-rows';
import { releaseKindOf } from '@/lib/contract/release-kind';
import type { ReleaseDetail, ReleaseRow } from '@/lib/contract/release-rows';
import type { RolloutDetail, RolloutRow } from '@/lib/contract/rollout-rows';
import type { EngineMode } from '@/lib/contract/system-rows';
import { toOldEngineMode } from '@/lib/contract/system-rows';
import type { StrayRow, TrackerDetail, TrackerRow } from '@/lib/contract/tracker-rows';
import { LABELS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import { readSuspension } from '@/lib/kube/paused-by';
import { capitalise } from './capitalise';
import { metadataOf } from './views/metadata';

// What stands in for the row of an object that cannot be shown: its name, Unknown, and the sentence why. Nothing but metadata is read.

function identityOf({ metadata }: KubeObject) {
  const { namespace = '', name = '' } = metadata;
  return { key: toObjectKey(metadata), ns: namespace, name };
}

const NO_DRIFT = { compared: 0, drifted: 0, left: 0, unknown: 0, objects: [], revision: null };

/** The line of an application that cannot be shown. */
export function brokenApplicationRow(application: KubeObject, why: string): ApplicationRow {
  return {
    ...identityOf(application),
    health: 'Unknown',
    activity: 'idle',
    waits: null,
    message: capitalise(why),
    revision: null,
    target: null,
    stage: null,
    components: 0,
    objects: 0,
    drifted: 0,
    left: 0,
    images: [],
    updatedAt: application.metadata.creationTimestamp ?? null,
    ...metadataOf(application),
  };
}

/** The page of an application that cannot be shown. */
export function brokenApplicationDetail(application: KubeObject, why: string): ApplicationDetail {
  return {
    ...identityOf(application),
    uid: application.metadata.uid ?? '',
    generation: application.metadata.generation ?? 0,
    health: 'Unknown',
    activity: 'idle',
    message: capitalise(why),
    deleting: application.metadata.deletionTimestamp !== undefined,
    suspended: readSuspension(application) ?? null,
    rollout: null,
    notice: null,
    conditions: [],
    components: [],
    policies: [],
    revisions: [],
    objects: { total: 0, kinds: [], statuses: [], namespaces: [], oldestPoll: null },
    trackers: [],
    drift: { ...NO_DRIFT, state: 'unknown', why: capitalise(why), repair: { when: 'never', why: capitalise(why) } },
  };
}

/** The line of a rollout that cannot be shown. */
export function brokenRolloutRow(rollout: KubeObject, why: string): RolloutRow {
  return {
    ...identityOf(rollout),
    phase: 'Degraded',
    activity: 'held',
    health: 'Unknown',
    sentence: capitalise(why),
    strategy: '',
    from: null,
    to: '',
    stage: { index: 0, count: 0 },
    percent: 0,
    awaits: 'person',
    startedAt: rollout.metadata.creationTimestamp ?? null,
    ...metadataOf(rollout),
  };
}

/** The page of a rollout that cannot be shown: nobody decides about it here. */
export function brokenRolloutDetail(rollout: KubeObject, why: string, engine: EngineMode): RolloutDetail {
  const { stage: _stage, percent: _percent, awaits: _awaits, decider: _decider, ...row } = brokenRolloutRow(rollout, why);
  return {
    ...row,
    uid: rollout.metadata.uid ?? '',
    application: null,
    ratio: 0,
    engine,
    standing: toOldEngineMode(engine),
    wait: { sentence: row.sentence, clauses: [{ text: row.sentence, met: false }] },
    attempts: [],
    currentStage: 0,
    stageCount: 0,
    promoted: false,
    stageCountEstimated: true,
    deadline: null,
    revisions: [],
    trafficBy: 'pods',
    abort: null,
    actions: [],
    approvals: { required: 0, groups: [], requester: null, asker: null, requesterMayApprove: true, given: [], votes: [] },
    tighteningUndo: null,
    takeBack: null,
    loosening: null,
    decisions: [],
    timeline: [],
    garbage: null,
  };
}

const brokenKind = (object: KubeObject) => releaseKindOf(object) ?? 'helmrelease';

/** The line of a release that cannot be shown. */
export function brokenReleaseRow(object: KubeObject, why: string): ReleaseRow {
  const { ns, name } = identityOf(object);
  const kind = brokenKind(object);
  return {
    key: `${ns}/${kind}/${name}`,
    ns,
    kind,
    name,
    state: 'unknown',
    sentence: capitalise(why),
    release: { namespace: ns, name },
    chart: null,
    revision: null,
    commit: null,
    lastAct: null,
    drift: { state: 'unknown', sentence: capitalise(why) },
    waits: capitalise(why),
    nextCheckAt: null,
    flux: null,
    approval: null,
    ...metadataOf(object),
  };
}

/** The page of a release that cannot be shown. */
export function brokenReleaseDetail(object: KubeObject, why: string): ReleaseDetail {
  const row = brokenReleaseRow(object, why);
  return {
    ...row,
    kind: brokenKind(object),
    uid: object.metadata.uid ?? '',
    generation: object.metadata.generation ?? 0,
    apiVersion: object.apiVersion,
    engine: { mode: 'drive', why: null },
    onlyAttempted: false,
    stored: null,
    storedRevision: null,
    origin: { kind: 'git', url: null, ref: null, path: '' },
    actsAs: { account: null, named: false },
    upgrade: row.sentence,
    outdatedPlan: null,
    planMoved: null,
    hold: null,
    keptBy: null,
    webhook: null,
    gate: null,
    work: null,
    actions: [],
    decisions: [],
    conditions: [],
    reconciles: [],
    timeline: [],
  };
}

/** The line of a tracker that cannot be shown. */
export function brokenTrackerRow(tracker: KubeObject, why: string): TrackerRow {
  const { name = '', labels = {}, creationTimestamp } = tracker.metadata;
  return {
    key: name,
    name,
    application: labels[LABELS.appName] ?? null,
    ns: labels[LABELS.appNamespace] ?? null,
    revision: null,
    state: 'unreadable',
    objects: 0,
    owned: 0,
    waiting: 0,
    createdAt: creationTimestamp ?? null,
    message: capitalise(why),
    ...metadataOf(tracker),
  };
}

/** The page of a tracker that cannot be shown. */
export function brokenTrackerDetail(tracker: KubeObject, why: string): TrackerDetail {
  const { objects: _objects, owned: _owned, waiting: _waiting, ...row } = brokenTrackerRow(tracker, why);
  return { ...row, entries: [], unlisted: [], siblings: [] };
}

/** The line of a stray object that cannot be shown. */
export function brokenStrayRow({ apiVersion, kind, metadata }: KubeObject, key: string, why: string): StrayRow {
  const { namespace = null, name = '', labels = {}, creationTimestamp = null } = metadata;
  const application = { application: labels[LABELS.appName] ?? '', applicationNs: labels[LABELS.appNamespace] ?? namespace };
  return { key, apiVersion, kind, ns: namespace, name, ...application, state: 'there', createdAt: creationTimestamp, why, command: '' };
}
