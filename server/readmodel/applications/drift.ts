import { messageOf } from '@/lib/contract/app-error';
import type { DriftedObject, DriftRepair, DriftView } from '@/lib/contract/drift-rows';
import type { EngineMode } from '@/lib/contract/system-rows';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { describeObject, toObjectId, toObjectKey } from '@/lib/kube/object';
import { pausedBy, SUSPENDED } from '@/lib/kube/paused-by';
import { notAppliedReason } from '@/server/application';
import type { DesiredObject, DriftField, ManifestPolicy, NotCompared, TrackerEntry } from '@/server/dispatch';
import { ENGINE_MERGE_OPTIONS, findDrift } from '@/server/dispatch';
import type { FaultIsolation } from '@/server/platform';
import type { ClusterView } from '../cluster-view';
import { toLiveState } from '../live-state';
import type { DescribeRollout } from '../rollouts/describe';
import type { DesiredSet, Wanted } from './desired';
import { createPolicyReader, findDesired, findServed } from './desired';
import { differInStatusOnly } from './status-only';
import type { TrackedObjects } from './tracked';

/** Objects and fields that are sent along; a row is pushed whole when anything in it changes. */
const MAX_OBJECTS = 100;
const MAX_FIELDS = 8;

/** How one recorded object stands to what is wanted of it. */
type Compared =
  | { readonly kind: 'same' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'differs'; readonly fields: readonly DriftField[] };

/** What the screens ask of drift. */
export interface DriftSource {
  /** What an application has otherwise than its newest revision wants it, and those that are served beside it, from the copies. */
  of(application: KubeObject): DriftView;
  /** What is wanted of one object of an application, or why nothing is. */
  desiredOf(application: KubeObject, at: ObjectAddress): DesiredObject | NotCompared;
}

/** What drift is compared by. */
export interface DriftDeps {
  readonly view: ClusterView;
  readonly tracked: TrackedObjects;
  /** Whether our engine drives applications, or only observes. */
  readonly engine: () => EngineMode;
  readonly seeRollout: DescribeRollout;
  readonly contain: FaultIsolation;
}

const SAME: Compared = { kind: 'same' };
const GONE: Compared = { kind: 'gone' };
const UNKNOWN: Compared = { kind: 'unknown' };

interface Held {
  readonly live: KubeObject;
  readonly source: object;
  readonly tracker: string;
  readonly policies: DesiredSet['policies'];
  readonly compared: Compared;
}

/** Compares what applications want with the copies of the cluster; an object is compared again once more than its status changed, whoever looks. */
export function createDrift(deps: DriftDeps): DriftSource {
  const policiesOf = createPolicyReader();
  const known = new WeakMap<TrackerEntry, Held>();

  const compareContained = (live: KubeObject, manifest: KubeObject | undefined, wanted: DesiredSet): Compared =>
    deps.contain.attempt(
      { what: 'drift', kind: live.kind, key: toObjectKey(live.metadata), version: live.metadata.resourceVersion },
      () => compareOnce(live, manifest, wanted),
      () => UNKNOWN,
    );

  const compare = (entry: TrackerEntry, wanted: DesiredSet): Compared => {
    const state = toLiveState(deps.view, entry);
    if (state.kind !== 'present') {
      known.delete(entry);
      return state.kind === 'absent' ? GONE : UNKNOWN;
    }
    const live = state.object;
    const manifest = entry.raw === undefined ? undefined : wanted.manifestOf(entry);
    const source = wanted.sourceOf(entry);
    const held = known.get(entry);
    const isHeld = held?.source === source && held.tracker === wanted.tracker.uid && held.policies === wanted.policies;
    if (isHeld && held.live === live) return held.compared;
    const compared =
      isHeld && manifest !== undefined && !('status' in manifest) && differInStatusOnly(held.live, live)
        ? held.compared
        : compareContained(live, manifest ?? wanted.manifestOf(entry), wanted);
    known.set(entry, { live, source, tracker: wanted.tracker.uid, policies: wanted.policies, compared });
    return compared;
  };

  // One that another controller drives has no set of ours to be compared with.
  const findDriven = (application: KubeObject): Wanted => {
    const { mode, why } = deps.engine();
    if (mode === 'observe') return { kind: 'unknown', revision: null, why: `${why}.`, isOfOthers: true };
    return findDesired(application, policiesOf(application), deps);
  };

  return {
    of(application) {
      const wanted = findDriven(application);
      const repair = repairOf(application, wanted);
      if (wanted.kind !== 'wanted') return { ...nothing(), state: wanted.kind, why: wanted.why, revision: wanted.revision, repair };
      try {
        return summarise([wanted, ...findServed(application, wanted, deps)], repair, compare);
      } catch (error) {
        return { ...nothing(), state: 'unknown', why: messageOf(error), revision: wanted.revision, repair };
      }
    },
    desiredOf(application, at) {
      const wanted = findDriven(application);
      if (wanted.kind !== 'wanted') return desiredOfTry(application, wanted, at) ?? { uncompared: wanted.why };
      const beside = findServed(application, wanted, deps).find((one) => listed(one, at) !== undefined);
      return wantedAmong(beside ?? wanted, at, repairOf(application, wanted));
    },
  };
}

const listed = ({ entries }: DesiredSet, at: ObjectAddress) => entries.find((one) => toObjectId(one) === toObjectId(at));

/** What a revision that is applied wants of one object, or why nothing. */
function wantedAmong(wanted: DesiredSet, at: ObjectAddress, repair: DriftRepair): DesiredObject | NotCompared {
  const entry = listed(wanted, at);
  if (entry === undefined) return { uncompared: `${wanted.revision} does not include ${describeObject(at)}` };
  const manifest = manifestOrNone(() => wanted.manifestOf(entry));
  if (manifest === undefined) return { uncompared: `${wanted.revision} cannot be rendered` };
  return { revision: wanted.revision, isApplied: true, manifest, tracker: wanted.tracker, policy: policyFor(wanted, manifest), repair };
}

/** What the policies say of one object; a policy that applies all of them once leaves it whole. */
function policyFor({ appliedOnce, policyOf }: DesiredSet, manifest: KubeObject): ManifestPolicy {
  return appliedOnce ? { ...policyOf(manifest), keep: ['*'] } : policyOf(manifest);
}

/** What a revision that could not be applied wants of an object; undefined where there is none, or where it wants nothing of this one. */
function desiredOfTry(application: KubeObject, wanted: Exclude<Wanted, DesiredSet>, at: ObjectAddress): DesiredObject | undefined {
  const { failedTry } = wanted;
  const manifest = failedTry && manifestOrNone(() => failedTry.manifestAt(at));
  if (failedTry === undefined || manifest === undefined) return undefined;
  const { revision, tracker, policyOf } = failedTry;
  return { revision, isApplied: false, manifest, tracker, policy: policyOf(manifest), repair: repairOf(application, wanted) };
}

const nothing = () => ({ compared: 0, drifted: 0, left: 0, unknown: 0, objects: [] });

/** What cannot be rendered cannot be compared; the application's row says why. */
function manifestOrNone(render: () => KubeObject | undefined): KubeObject | undefined {
  try {
    return render();
  } catch {
    return undefined; // counted as not compared
  }
}

function compareOnce(live: KubeObject, manifest: KubeObject | undefined, wanted: DesiredSet): Compared {
  // Of another version than the one that is wanted nobody can tell which fields are the same.
  if (manifest === undefined || manifest.apiVersion !== live.apiVersion) return UNKNOWN;
  const policy = policyFor(wanted, manifest);
  const fields = findDrift({ manifest, live, tracker: wanted.tracker, policy, options: ENGINE_MERGE_OPTIONS });
  if (fields.length === 0) return SAME;
  return { kind: 'differs', fields: wanted.appliedOnce ? fields.map((field) => ({ ...field, kept: field.kept ?? 'apply-once' })) : fields };
}

function summarise(
  [wanted, ...served]: readonly [DesiredSet, ...DesiredSet[]],
  repair: DriftRepair,
  compareIn: (entry: TrackerEntry, wanted: DesiredSet) => Compared,
): DriftView {
  const drifted: DriftedObject[] = [];
  const left: DriftedObject[] = [];
  let unknown = 0;
  const all = [wanted, ...served].flatMap((set) => set.entries.map((entry) => [entry, set] as const));
  for (const [entry, set] of all) {
    const compared = compareIn(entry, set);
    if (compared.kind === 'unknown') unknown++;
    if (compared.kind === 'same' || compared.kind === 'unknown') continue;
    const fields = compared.kind === 'gone' ? [] : compared.fields;
    const isLeft = compared.kind === 'gone' ? wanted.appliedOnce : fields.every(({ kept }) => kept !== null);
    (isLeft ? left : drifted).push(toObject(entry, compared.kind === 'gone' ? 'gone' : isLeft ? 'left' : 'differs', fields));
  }
  return {
    state: 'compared',
    why: '',
    revision: wanted.revision,
    ...(served.length === 0 ? {} : { beside: served.map(({ revision }) => revision) }),
    compared: all.length - unknown,
    drifted: drifted.length,
    left: left.length,
    unknown,
    repair,
    objects: [...drifted, ...left].slice(0, MAX_OBJECTS),
  };
}

function toObject(entry: TrackerEntry, state: DriftedObject['state'], fields: readonly DriftField[]): DriftedObject {
  const { apiVersion, kind, namespace, name, component } = entry;
  return {
    id: toObjectId(entry),
    apiVersion,
    kind,
    ns: namespace ?? null,
    name,
    component: component || null,
    state,
    fields: fields.slice(0, MAX_FIELDS).map(({ path, kind: how, kept }) => ({ path, kind: how, kept })),
    fieldCount: fields.length,
  };
}

/** Whether what drifted is put back, and if not, why. */
function repairOf(application: KubeObject, wanted: Wanted): DriftRepair {
  if (wanted.kind === 'unknown' && wanted.isOfOthers) return { when: 'never', why: wanted.why };
  if (application.metadata.deletionTimestamp !== undefined) return { when: 'never', why: 'The application is being deleted.' };
  const annotation = pausedBy(application);
  if (annotation === SUSPENDED) return { when: 'waits', why: 'The application is suspended: nothing is applied until it is resumed.' };
  if (annotation !== undefined)
    return { when: 'waits', why: `The annotation ${annotation} pauses the application: nothing is applied until it is removed.` };
  const refused = notAppliedReason(application);
  if (refused !== undefined) {
    const tried = refused.isRetried ? 'The last attempt failed and is retried with back-off' : 'Nothing is being applied';
    return { when: 'waits', why: `${tried}: ${refused.message}`, failing: refused.isRetried };
  }
  if (wanted.kind === 'wanted' && wanted.appliedOnce) return { when: 'never', why: 'The policy apply-once leaves what others change.' };
  return {
    when: 'soon',
    why: 'The engine watches every change and reverts it within seconds, or within 5 minutes if it keeps coming back; everything is reconciled again every 10 minutes.',
  };
}
