import { messageOf } from '@/lib/contract/app-error';
import { KINDS, SECRET } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress, ObjectKey } from '@/lib/kube/object';
import { toAddress, toObjectId, toObjectKey } from '@/lib/kube/object';
import type { Policies, Revision } from '@/server/application';
import {
  isAppliedOnce,
  isRevisionOf,
  manifestPolicy,
  notAppliedMessage,
  notAppliedReason,
  parseApplication,
  readRevision,
  render,
  resolveValues,
  servedPolicy,
  servedRevisions,
  snapshotOf,
  wasApplied,
} from '@/server/application';
import type { ManifestPolicy, ResourceTracker, TrackerEntry } from '@/server/dispatch';
import { constructResourceTrackerName, revisionNumberOf } from '@/server/dispatch';
import { readRolloutFacts } from '@/server/rollout';
import type { ClusterView } from '../cluster-view';
import type { DescribeRollout } from '../rollouts/describe';
import type { TrackedObjects } from './tracked';

/** What the newest revision of an application wants of its objects. */
export interface DesiredSet {
  readonly kind: 'wanted';
  readonly revision: string;
  readonly tracker: Pick<ResourceTracker, 'name' | 'uid'>;
  readonly entries: readonly TrackerEntry[];
  /** How it wants them treated; undefined when the application cannot be read. */
  readonly policies: Policies | undefined;
  /** True when what is applied is left alone as a whole. */
  readonly appliedOnce: boolean;
  readonly policyOf: (manifest: KubeObject) => ManifestPolicy;
  /** The manifest of a recorded object, and what it was taken from: the same source says the same. */
  readonly manifestOf: (entry: TrackerEntry) => KubeObject | undefined;
  readonly sourceOf: (entry: TrackerEntry) => object;
}

/** A revision that could not be applied: what it wants is rendered, since its record may lack it. */
export interface FailedRevision extends Pick<DesiredSet, 'tracker' | 'policyOf'> {
  readonly revision: string;
  readonly manifestAt: (at: ObjectAddress) => KubeObject | undefined;
}

interface NothingDesired {
  readonly kind: 'applying' | 'unknown';
  readonly revision: string | null;
  readonly why: string;
  readonly isOfOthers?: true;
  /** There while the last try to apply the newest revision failed. */
  readonly failedTry?: FailedRevision;
}

export type Wanted = DesiredSet | NothingDesired;

interface WantedDeps {
  readonly view: ClusterView;
  readonly tracked: TrackedObjects;
  readonly seeRollout: DescribeRollout;
}

const MAX_SHARED = 256;

/** Reads policies once per version of an application; equal ones are one object, for most applications have the same. */
export function createPolicyReader(): (application: KubeObject) => Policies | undefined {
  const known = new WeakMap<KubeObject, Policies | null>();
  const shared = new Map<string, Policies>();
  const share = (policies: Policies): Policies => {
    const text = JSON.stringify(policies);
    const held = shared.get(text);
    if (held !== undefined) return held;
    if (shared.size >= MAX_SHARED) shared.clear();
    shared.set(text, policies);
    return policies;
  };
  return (application) => {
    const held = known.get(application);
    if (held !== undefined) return held ?? undefined;
    const read = readPolicies(application);
    const policies = read === undefined ? undefined : share(read);
    known.set(application, policies ?? null);
    return policies;
  };
}

function readPolicies(application: KubeObject): Policies | undefined {
  try {
    return parseApplication(application).policies;
  } catch {
    return undefined; // the application's own condition says what is wrong with it
  }
}

/** Revisions of this very application, oldest first: those of a former one of its name are not its own. */
export function ownRevisions(application: KubeObject, view: ClusterView): readonly Revision[] {
  const named = view.ofApplication(KINDS.applicationRevision, toObjectKey(application.metadata));
  const own = named.filter((one) => isRevisionOf(one, application)).flatMap((one) => readRevision(one) ?? []);
  return own.sort((a, b) => a.number - b.number);
}

/** What an application's newest revision wants, as its tracker records it; what no record may hold is rendered again. */
export function findDesired(application: KubeObject, policies: Policies | undefined, { view, tracked, seeRollout }: WantedDeps): Wanted {
  const { namespace = '' } = application.metadata;
  const own = ownRevisions(application, view);
  // After an abort what is shared is the stable revision's again, and what only the rejected one had is wanted by nobody.
  const back = seeRollout(toObjectKey(application.metadata))?.told.abort?.stable[0];
  const newest = (back && own.find(({ number }) => number === revisionNumberOf(back))) || own.at(-1);
  if (newest === undefined) return { kind: 'unknown', revision: null, why: 'the application has no revision yet' };
  const trackerName = constructResourceTrackerName(newest.name, namespace);
  const tracker = view.get(KINDS.resourceTracker, trackerName);
  const rendered = lazily(() => renderById(newest.object, application, (key) => view.get(SECRET, key)));
  const recordedBy = { name: trackerName, uid: tracker?.metadata.uid ?? '' };
  if (tracker === undefined || !wasApplied(application, newest.name)) {
    const why = notAppliedMessage(application, newest.name);
    if (notAppliedReason(application)?.isRetried !== true) return { kind: 'applying', revision: newest.name, why };
    const policyOf = (manifest: KubeObject) => (policies === undefined ? {} : manifestPolicy(policies, manifest, 'onUpdate'));
    const manifestAt = (at: ObjectAddress) => rendered().get(toObjectId(at));
    return {
      kind: 'applying',
      revision: newest.name,
      why,
      failedTry: { revision: newest.name, tracker: recordedBy, policyOf, manifestAt },
    };
  }
  return {
    ...desiredOfRevision(newest, application, view),
    tracker: recordedBy,
    entries: tracked.entriesOf(trackerName).filter((entry) => entry.cluster === 'local' && !entry.deleted),
    policies,
    appliedOnce: policies !== undefined && isAppliedOnce(policies),
    policyOf: (manifest) => (policies === undefined ? {} : manifestPolicy(policies, manifest, 'onStateKeep')),
  };
}

/** What revisions want that the rollout serves beside the one that is applied: what nothing else decides about stays as they have it. */
export function findServed(application: KubeObject, applied: DesiredSet, { view, tracked }: WantedDeps): readonly DesiredSet[] {
  const key = toObjectKey(application.metadata);
  const { policies } = applied;
  const rollout = view.get(KINDS.rolloutOrchestrator, key);
  if (rollout === undefined || policies?.rollout === undefined) return [];
  const facts = readRolloutFacts(rollout);
  const others = ownRevisions(application, view).flatMap((revision) => {
    const tracker = view.get(KINDS.resourceTracker, constructResourceTrackerName(revision.name, application.metadata.namespace ?? ''));
    const { name = '', uid = '', deletionTimestamp } = tracker?.metadata ?? {};
    if (tracker === undefined || deletionTimestamp !== undefined || revision.name === applied.revision) return [];
    return [{ revision, name, uid, entries: tracked.entriesOf(name) }];
  });
  if (others.length === 0) return [];
  const served = servedRevisions(facts, { trackers: others, applied: new Set(applied.entries.map(toObjectId)), to: facts.target });
  return served.flatMap(({ tracker, workload, ids }) =>
    others.flatMap(({ revision, name, uid, entries }) => {
      if (name !== tracker) return [];
      const policyOf = (manifest: KubeObject) => servedPolicy(policies, manifest, workload);
      const own = entries.filter((entry) => ids.has(toObjectId(entry)));
      return [{ ...applied, ...desiredOfRevision(revision, application, view), tracker: { name, uid }, entries: own, policyOf }];
    }),
  );
}

function desiredOfRevision(
  revision: Revision,
  application: KubeObject,
  view: ClusterView,
): Pick<DesiredSet, 'kind' | 'revision' | 'manifestOf' | 'sourceOf'> {
  const rendered = lazily(() => renderById(revision.object, application, (key) => view.get(SECRET, key)));
  return {
    kind: 'wanted',
    revision: revision.name,
    manifestOf: (entry) => (entry.raw as KubeObject | undefined) ?? rendered().get(toObjectId(entry)), // records hold manifests of ours
    sourceOf: (entry) => entry.raw ?? revision.object,
  };
}

function renderById(
  revision: KubeObject,
  application: KubeObject,
  secretAt: (key: ObjectKey) => KubeObject | undefined,
): ReadonlyMap<string, KubeObject> {
  const read = readRevision(revision);
  if (read === undefined) return new Map();
  try {
    const snapshot = snapshotOf(read, application);
    const resolved = resolveValues(render(snapshot, read.name, { revisionHash: read.hash }), snapshot, (at) => secretAt(toObjectKey(at)));
    if (resolved.kind === 'missing') throw new Error(resolved.why);
    const { manifests } = resolved.rendered;
    // The record of an object whose kind has no namespaces has none, whatever its manifest says.
    const everywhere = manifests.map((manifest) => [toObjectId({ ...toAddress(manifest), namespace: undefined }), manifest] as const);
    return new Map([...everywhere, ...manifests.map((manifest) => [toObjectId(toAddress(manifest)), manifest] as const)]);
  } catch (error) {
    throw new Error(`${read.name} cannot be rendered: ${messageOf(error)}`, { cause: error });
  }
}

function lazily<Value>(make: () => Value): () => Value {
  let held: { readonly value: Value } | undefined;
  return () => {
    held ??= { value: make() };
    return held.value;
  };
}
