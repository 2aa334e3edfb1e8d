import type { DriftView } from '@/lib/contract/drift-rows';
import type { Activity } from '@/lib/contract/health';
import { readList, readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { Suspension } from '@/lib/kube/paused-by';
import { readSuspension } from '@/lib/kube/paused-by';
import { formatSuspension } from '@/lib/words/format-act';
import type { AwaitedDecision } from '@/server/application';
import { awaitedDecision } from '@/server/application';
import { evaluateApplication } from '@/server/status';
import { capitalise } from '../capitalise';
import type { ClusterView } from '../cluster-view';
import type { Health } from '../live-state';
import { statusOfEntry } from '../live-state';
import type { DescribedRollout, DescribeRollout } from '../rollouts/describe';
import type { DriftSource } from './drift';
import { countedRevisions, isCounted, sentenceOfRollout } from './ledger';
import type { TrackedObjects } from './tracked';

/** An object that a tracker lists: as it is in the cluster now, or absent. */
export interface TrackedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly component: string | undefined;
  readonly tracker: string;
  readonly revision: string | undefined;
  readonly object: KubeObject | undefined;
  readonly status: Health;
}

/** What the rows of an application rest on, gathered once. */
export interface ApplicationFacts {
  readonly application: KubeObject;
  readonly rollout: DescribedRollout | undefined;
  readonly trackers: readonly KubeObject[];
  readonly objects: readonly TrackedObject[];
  readonly status: Health;
  readonly activity: Activity;
  /** Why it waits for a person: deletions are held, the plan moved, or an annotation holds it; undefined while it does not. */
  readonly waits: string | undefined;
  /** What a person does for it where it waits for one. */
  readonly awaited: AwaitedDecision['verb'] | undefined;
  /** What holds it as a whole; undefined while nothing does. */
  readonly suspended: Suspension | undefined;
  readonly revision: string | undefined;
  readonly drift: DriftView;
}

/** What facts are gathered from. */
export interface FactsDeps {
  readonly view: ClusterView;
  readonly tracked: TrackedObjects;
  readonly healthOf: (object: KubeObject) => Health;
  readonly drift: DriftSource;
  readonly seeRollout: DescribeRollout;
}

/** Gathers what is known of one application; undefined when there is none of that name. */
export function gatherFacts(key: ObjectKey, deps: FactsDeps): ApplicationFacts | undefined {
  const application = deps.view.get(KINDS.application, key);
  if (application === undefined) return undefined;
  const rollout = deps.seeRollout(key);
  const trackers = deps.tracked.trackersOf(key);
  const objects = trackers.flatMap((tracker) => objectsOf(tracker, deps));
  const status = statusOf(application, { objects, rollout, healthOf: deps.healthOf });
  const suspended = readSuspension(application);
  const held = suspended === undefined ? '' : `${formatSuspension(suspended)}: nothing is rendered, dispatched or deleted; `;
  const awaited = awaitedDecision(application);
  const waits =
    awaited !== undefined || suspended !== undefined
      ? capitalise(`${held}${awaited?.why ?? status.message}`, [application.metadata.name])
      : undefined;
  const waiting = waits !== undefined ? 'held' : application.metadata.deletionTimestamp ? 'deleting' : (rollout?.told.activity ?? 'idle');
  return {
    application,
    rollout,
    trackers,
    objects,
    status: { ...status, message: capitalise(`${held}${status.message}`, [application.metadata.name]) },
    activity: suspended === undefined ? waiting : 'suspended',
    waits,
    awaited: suspended === undefined ? awaited?.verb : 'change', // nothing of it goes on before it is resumed
    suspended,
    revision: readString(application, 'status', 'latestRevision', 'name'),
    drift: deps.drift.of(application),
  };
}

/** The status of an application in hand as its page tells it; undefined for any other object, and for one that is another by now. */
export function statusOfApplication(object: KubeObject, deps: FactsDeps): Health | undefined {
  if (object.kind !== KINDS.application.kind || object.apiVersion !== KINDS.application.apiVersion) return undefined;
  const key = toObjectKey(object.metadata);
  if (deps.view.get(KINDS.application, key)?.metadata.uid !== object.metadata.uid) return undefined;
  const objects = deps.tracked.trackersOf(key).flatMap((tracker) => objectsOf(tracker, deps));
  return { ...deps.healthOf(object), ...statusOf(object, { objects, rollout: deps.seeRollout(key), healthOf: deps.healthOf }) };
}

function objectsOf(tracker: KubeObject, deps: FactsDeps): readonly TrackedObject[] {
  const { view, tracked } = deps;
  const revision = tracked.revisionOf(tracker);
  return tracked.entriesOf(tracker.metadata.name ?? '').map((entry) => {
    const object = view.get(entry, toObjectKey(entry));
    return {
      apiVersion: entry.apiVersion,
      kind: entry.kind,
      namespace: entry.namespace || undefined,
      name: entry.name,
      component: object?.metadata.labels?.['app.oam.dev/component'],
      tracker: tracker.metadata.name ?? '',
      revision,
      object,
      status: statusOfEntry(entry, deps),
    };
  });
}

/** As the API and a wait judge it. Trackers share objects; each counts as it is. */
function statusOf(application: KubeObject, { objects, rollout, healthOf }: Running): Health {
  const revisions = countedRevisions(
    application,
    rollout?.told,
    objects.map(({ revision }) => revision),
  );
  const counted = objects.filter(({ revision }) => isCounted(revision, revisions));
  const own = healthOf(application);
  const { status, message } = evaluateApplication(
    application,
    { status: own.health, message: sentenceOfRollout(application, rollout) ?? own.message },
    counted.map((one) => ({ kind: one.kind, name: one.name, status: one.status.health, message: one.status.message })),
  );
  return { health: status, message: status === 'Current' ? 'everything is ready' : message };
}

interface Running extends Pick<FactsDeps, 'healthOf'> {
  readonly objects: readonly TrackedObject[];
  readonly rollout: DescribedRollout | undefined;
}

/** Image of each component that has one, as the spec is written now. */
export function imagesOf(application: KubeObject): readonly string[] {
  return readList(application, 'spec', 'components').flatMap((component) => readString(component, 'properties', 'image') ?? []);
}

/** Replicas that the scaler trait of a component asks for. */
export function replicasOf(component: unknown): number | undefined {
  const scaler = readList(component, 'traits').find((trait) => readString(trait, 'type') === 'scaler');
  return readNumber(scaler, 'properties', 'replicas');
}
