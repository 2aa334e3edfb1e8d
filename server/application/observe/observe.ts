import { messageOf } from '@/lib/contract/app-error';
import type { StageDecisionSpec } from '@/lib/contract/stage-decision';
import { STAGE_DECISION_API_VERSION, stageDecisionSpec } from '@/lib/contract/stage-decision';
import { readField, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { ResourceTracker } from '@/server/dispatch';
import { constructResourceTrackerName, explainTampering, LABEL, readTracker } from '@/server/dispatch';
import type { Store } from '@/server/kube';
import { allFaultsMessage } from '../faults/all-faults';
import type { Revision } from '../revision';
import { highestNumber, isRevisionOf, readRevision } from '../revision';
import type { ParsedApplication } from '../spec/model';
import { parseApplication } from '../spec/parse';
import type { ExtractedValues } from '../values/extract-values';
import type { ObservedRollout } from './observed-rollout';
import { readObservedRollout } from './observed-rollout';

/** The kinds that the engine watches and a plan reads. */
export const WATCHED = {
  applications: KINDS.application,
  revisions: KINDS.applicationRevision,
  trackers: KINDS.resourceTracker,
  rollouts: KINDS.rolloutOrchestrator,
  decisions: KINDS.stageDecision,
  deployments: KINDS.deployment,
} as const;

/** The watched kinds an application is judged by. */
export interface ApplicationStores {
  readonly applications: Store;
  readonly revisions: Store;
  readonly trackers: Store;
  readonly rollouts: Store;
  readonly decisions: Store;
  readonly deployments: Store;
}

/** A StageDecision that can bear on what an application collects. */
export interface ObservedDecision {
  readonly object: KubeObject;
  readonly spec: StageDecisionSpec;
  readonly phase: string;
}

/** Values that stand in an application as somebody wrote it past the console. */
export interface InlineValues {
  /** As it is written. */
  readonly written: ParsedApplication;
  /** What is to hold its values. */
  readonly secrets: readonly KubeObject[];
  /** Where they stand, for sentences. */
  readonly places: readonly string[];
  /** Moves the values of another state of it in the same way, so that the two can be compared. */
  readonly move: (application: KubeObject) => ExtractedValues;
}

/** Labels and annotations of one person that do not reach the objects, and why. */
export interface WithheldLabels {
  /** Who changed them; undefined where nobody is noted. */
  readonly user: string | undefined;
  readonly message: string;
}

/** An application at one moment, with everything its next step depends on. */
export interface Observation {
  readonly object: KubeObject;
  readonly application: ParsedApplication | { readonly fault: string };
  /** Revisions of this very application, oldest first. */
  readonly revisions: readonly Revision[];
  /** The highest number that is taken by a revision or a tracker, whoever left it. */
  readonly highestNumber: number;
  readonly trackers: readonly ResourceTracker[];
  /** Sentences about trackers that cannot be relied on. */
  readonly trackerFaults: readonly string[];
  /** Any tracker by name, other applications' included. */
  readonly trackerNamed: (name: string) => ResourceTracker | undefined;
  /** The application, of all, whose record lists an object of this uid, as its key. */
  readonly recordedBy: (uid: string) => ObjectKey | undefined;
  readonly rollout: ObservedRollout | undefined;
  readonly decisions: readonly ObservedDecision[];
  /** The last revision that was dispatched and completed. */
  readonly latest: string | undefined;
  readonly workloads: readonly KubeObject[];
  /** Which labels and annotations do not reach its objects, by who changed them; absent where all do. */
  readonly withheld?: readonly WithheldLabels[];
  /** Where values stand inline in it: the application is seen without them. Absent where none does. */
  readonly inline?: InlineValues;
}

/** What is left of an application that does not exist. */
export interface DeletedApplication {
  readonly decisions: readonly ObservedDecision[];
  readonly trackers: readonly KubeObject[];
}

/** Stores are shared by name with everybody who watches: a name of an index says whose it is. */
export const BY_APPLICATION = 'application-engine/application';
export const BY_SERVICE = 'rollout-service';

/** Declares the indexes that `observe` looks things up by. */
export function addIndexes(stores: ApplicationStores): void {
  const byLabels = (object: KubeObject) => applicationsOf(object);
  stores.revisions.addIndex(BY_APPLICATION, (object) => {
    const name = object.metadata.labels?.[LABEL.appName];
    return name === undefined ? [] : [toObjectKey({ namespace: object.metadata.namespace, name })];
  });
  stores.trackers.addIndex(BY_APPLICATION, byLabels);
  stores.decisions.addIndex(BY_APPLICATION, (object) => {
    const { namespace } = object.metadata;
    const names = [readString(object, 'spec', 'applicationRef', 'name'), readString(object, 'spec', 'rolloutRef', 'name')];
    return names.flatMap((name) => (name === undefined ? [] : [toObjectKey({ namespace, name })]));
  });
  stores.deployments.addIndex(BY_SERVICE, (object) => {
    const name = object.metadata.labels?.[LABEL.rolloutService];
    return name === undefined ? [] : [toObjectKey({ namespace: object.metadata.namespace, name })];
  });
}

/** The applications an object's labels name, as keys. */
export function applicationsOf(object: KubeObject | undefined): readonly ObjectKey[] {
  const labels = object?.metadata.labels ?? {};
  const name = labels[LABEL.appName];
  const namespace = labels[LABEL.appNamespace] ?? labels[LABEL.appNamespaceMisspelt];
  return name === undefined || namespace === undefined ? [] : [toObjectKey({ namespace, name })];
}

/** Reads everything about one application from the watched copies; null when it is gone. */
export function observe(stores: ApplicationStores, key: ObjectKey): Observation | null {
  const object = stores.applications.get(key);
  return object === undefined ? null : observeGiven(stores, object);
}

/** Reads what is left of an application that is gone. */
export function observeGone(stores: ApplicationStores, key: ObjectKey): DeletedApplication {
  return {
    decisions: stores.decisions.byIndex(BY_APPLICATION, key).flatMap(readDecision),
    trackers: stores.trackers.byIndex(BY_APPLICATION, key),
  };
}

/** The same application as it would be with another spec. */
export function observeAs(observation: Observation, object: KubeObject): Observation {
  return observation.object === object ? observation : { ...observation, object, application: parsed(object) };
}

/** Reads everything about an application that is as given, stored or not. */
export function observeGiven(stores: ApplicationStores, object: KubeObject): Observation {
  const key = toObjectKey(object.metadata);
  const revisions = stores.revisions.byIndex(BY_APPLICATION, key).flatMap((one) => readRevision(one) ?? []);
  const latest = readString(object, 'status', 'latestRevision', 'name');
  const own = revisions.filter((one) => isRevisionOf(one.object, object));
  const { trackers, faults } = readTrackers([
    ...stores.trackers.byIndex(BY_APPLICATION, key),
    ...unlabelled(stores, object.metadata.namespace ?? '', [...own.map(({ name }) => name), ...(latest === undefined ? [] : [latest])]),
  ]);
  const rollout = stores.rollouts.get(key);
  const workloads = stores.deployments.byIndex(BY_SERVICE, key);
  return {
    object,
    application: parsed(object),
    revisions: [...own].sort((left, right) => left.number - right.number),
    highestNumber: highestNumber(object, revisions, trackers),
    trackers,
    trackerFaults: faults,
    trackerNamed: (name) => {
      const found = stores.trackers.get(name);
      return found && readTrackers([found]).trackers[0];
    },
    recordedBy: (uid) => recordedBy(stores, uid),
    rollout: rollout && readObservedRollout(rollout, workloads),
    decisions: stores.decisions.byIndex(BY_APPLICATION, key).flatMap(readDecision),
    latest,
    workloads,
  };
}

const UIDS = new WeakMap<ResourceTracker, ReadonlySet<string>>();

/** Looked for only where nothing on an object tells whose it is; what a tracker lists is gathered once as long as it stays the same. */
function recordedBy({ trackers }: ApplicationStores, uid: string): ObjectKey | undefined {
  for (const object of trackers.list()) {
    const [application] = applicationsOf(object);
    const [tracker] = application === undefined ? [] : readTrackers([object]).trackers;
    if (tracker !== undefined && uidsIn(tracker).has(uid)) return application;
  }
  return undefined;
}

function uidsIn(tracker: ResourceTracker): ReadonlySet<string> {
  const known = UIDS.get(tracker) ?? new Set(tracker.entries.flatMap(({ uid, deleted }) => (uid === undefined || deleted ? [] : uid)));
  UIDS.set(tracker, known);
  return known;
}

/** Trackers of the application's revisions that somebody took the labels off. */
function unlabelled({ trackers }: ApplicationStores, namespace: string, revisions: readonly string[]): readonly KubeObject[] {
  return [...new Set(revisions)].flatMap((name) => {
    const tracker = trackers.get(constructResourceTrackerName(name, namespace));
    return tracker === undefined || applicationsOf(tracker).length > 0 ? [] : tracker;
  });
}

function parsed(object: KubeObject): Observation['application'] {
  try {
    return parseApplication(object);
  } catch (error) {
    return { fault: allFaultsMessage(error, object) };
  }
}

function readTrackers(objects: readonly KubeObject[]) {
  const trackers: ResourceTracker[] = [];
  const faults: string[] = [];
  for (const object of objects) {
    try {
      const tracker = readTracker(object);
      trackers.push(tracker);
      const fault = explainTampering(tracker);
      if (fault !== undefined) faults.push(fault);
    } catch (error) {
      faults.push(messageOf(error));
    }
  }
  return { trackers, faults };
}

/** Reads a StageDecision; nothing for one that cannot be read. */
export function readDecision(object: KubeObject): ObservedDecision[] {
  const spec = stageDecisionSpec.safeParse(readField(object, 'spec'));
  if (object.apiVersion !== STAGE_DECISION_API_VERSION || !spec.success) return [];
  return [{ object, spec: spec.data, phase: readString(object, 'status', 'phase') ?? 'Pending' }];
}
