import { DEEPEST_APPLICATION } from '@/lib/kube/depth';
import { isFields, readField, readFields } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { describeObject, groupOf, toAddress, toObjectId, toObjectKey } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { ResourceTracker, TrackerEntry } from '@/server/dispatch';
import { LABEL, outcomeByPolicy, revisionNameOf } from '@/server/dispatch';
import type { RunPlan } from '../decide/model';
import type { Observation } from '../observe/observe';
import { render } from '../render/render';
import type { Revision } from '../revision';
import { parseApplication } from '../spec/parse';
import type { Policies } from '../spec/policies';
import { manifestPolicy } from '../spec/policies';
import { secretsReferencedByRevision } from '../values/referenced-secrets';
import type { PermittedState } from './permitted';
import { isPermitted, permittedState } from './permitted';
import type { Written } from './verbs-needed';
import { verbsNeeded } from './verbs-needed';

/** What a change of an application has done on somebody's behalf that was not done before, by the right that each needs. */
export interface RightsNeeded {
  /** `Application web in shop`. */
  readonly application: string;
  readonly namespace: string;
  /** What is written where it was not, or otherwise than before; the contents of applications among it included. */
  readonly written: readonly Written[];
  /** What is on record and goes now; kinds without a namespace may carry one here. */
  readonly going: readonly ObjectAddress[];
}

/**
 * What a plan needs that the one which was permitted last did not: each verb on each object. A change of a policy counts as one of the objects
 * that are done otherwise by it. Undefined where nothing has changed since. Pure, and by what is asked for alone, whatever lives in the cluster: what
 * is as wanted at this moment is put back by the same right at another.
 */
export function rightsNeeded(
  plan: Pick<RunPlan, 'application' | 'revision' | 'rendered' | 'served'>,
  { revisions, trackers, inline }: Observation,
): RightsNeeded | undefined {
  const { application, revision, rendered, served } = plan;
  const newest = asMoved(revisions.at(-1), inline);
  if (revision.stored !== undefined && isPermitted(newest, application)) return undefined;
  const before = permittedState(newest, application);
  const past: Wanted = {
    contents: before === undefined ? new Map() : contentsOf(before.manifests, before.policies),
    policies: before?.policies,
    isUnread: before === undefined && newest !== undefined,
  };
  const now = { contents: contentsOf(rendered.manifests, application.policies), policies: application.policies, isUnread: false };
  const { name, namespace } = application;
  const moved = startsRollout(application, before) ? rendered.workloads[application.rollout?.component ?? ''] : undefined;
  const scaled = moved && keyOf({ ...moved, namespace });
  return {
    application: describeObject({ kind: 'Application', namespace, name }),
    namespace,
    written: [
      ...writtenNow(now, past, { isNew: revision.stored === undefined, scaled }),
      ...servedNow(served, now, past),
      ...keptNow(newest, inline),
    ],
    going: [...goingNow(trackers, now, past), ...unprotected(now, past), ...goneInside(now, past)],
  };
}

/** A manifest, and the policies of the application that it lies in. */
interface Content {
  readonly manifest: KubeObject;
  readonly policies: Policies;
  /** The key of the application among the manifests that it lies in; empty for what lies in none of them. */
  readonly outer: string;
}

/** Every manifest of an application with what the applications among them hold, by where it lies; and what its own policies say. */
interface Wanted {
  readonly contents: ReadonlyMap<string, Content>;
  readonly policies: Policies | undefined;
  /** True where there was something that can be read no more: any rule may have held anything then. */
  readonly isUnread: boolean;
}

function writtenNow(
  now: Wanted,
  before: Wanted,
  { isNew, scaled }: { readonly isNew: boolean; readonly scaled: string | undefined },
): readonly Written[] {
  return [...now.contents].flatMap(([key, { manifest, policies }]) => {
    const past = before.contents.get(key);
    const isSame = past !== undefined && deepEqual(toComparable(manifest), toComparable(past.manifest));
    return verbsNeeded({ manifest, policies, isNew, isSame: isSame && key !== scaled, past });
  });
}

/** What revisions keep that are served beside this one is as it was permitted; the policies by which it is kept are those of now. */
function servedNow(served: RunPlan['served'], { policies }: Wanted, past: Wanted): readonly Written[] {
  const contents = (by: Policies | undefined) =>
    by === undefined ? [] : served.flatMap(({ rendered }) => [...contentsOf(rendered.manifests, by)]);
  const before = new Map(contents(past.policies));
  return contents(policies).flatMap(([key, content]) => verbsNeeded({ ...content, isNew: false, isSame: true, past: before.get(key) }));
}

/** A revision that was made while they held values, as one that is made now. */
function asMoved(newest: Revision | undefined, inline: Observation['inline']): Revision | undefined {
  const recorded = newest && readField(newest.object, 'spec', 'application');
  if (newest === undefined || inline === undefined || !isFields(recorded)) return newest;
  try {
    const { object } = inline.move({ ...KINDS.application, metadata: readFields(recorded, 'metadata'), spec: recorded.spec });
    return { ...newest, object: { ...newest.object, spec: { ...readFields(newest.object, 'spec'), application: object } } };
  } catch {
    return newest; // it holds what cannot be moved, and is compared as it is
  }
}

/** Values that stand inline are put into Secrets on behalf of whoever wrote them there; those that a revision has already are. */
function keptNow(newest: Revision | undefined, inline: Observation['inline']): readonly Written[] {
  const kept = new Set(newest && secretsReferencedByRevision(newest.object));
  return (inline?.secrets ?? []).flatMap((object) => (kept.has(toObjectKey(object.metadata)) ? [] : [{ object, verbs: ['create'] }]));
}

/** What is on record, is wanted no more, and goes or may go from now on; how it goes counts too, since an object can take others along. */
function goingNow(trackers: readonly ResourceTracker[], now: Wanted, past: Wanted): readonly ObjectAddress[] {
  const outcome = createOutcome(now);
  const outcomeBefore = createOutcome(past);
  const going = trackers.flatMap(({ entries }) =>
    entries.filter((entry) => {
      if (entry.skipGC) return false;
      const [next, before] = [outcome(entry), outcomeBefore(entry)];
      return next !== 'wanted' && next !== before && (GOES.includes(next) || before === 'never');
    }),
  );
  // Records of several revisions may tell otherwise of one object: it needs the right where one of them lets it go.
  return [...new Map(going.map((entry) => [toObjectId(entry), entry])).values()].map(({ apiVersion, kind, namespace, name }) =>
    namespace ? { apiVersion, kind, namespace, name } : { apiVersion, kind, name },
  );
}

const GOES: readonly unknown[] = ['goes', 'orphan', 'cascading'];

function createOutcome({ contents, policies, isUnread }: Wanted): (entry: TrackerEntry) => ReturnType<typeof outcomeByPolicy> | 'wanted' {
  if (isUnread) return () => 'never';
  if (policies === undefined) return () => 'wanted'; // before the first revision nothing was to go
  const own = [...contents.values()].filter(({ outer }) => outer === ''); // what lies in another application is on the record of that one
  const wanted = new Set(own.flatMap(({ manifest }) => [toObjectId(toAddress(manifest)), bareKeyOf(manifest)]));
  return (entry) => (wanted.has(toObjectId(entry)) ? 'wanted' : outcomeByPolicy(policies.garbage, entry));
}

/** What a rule would never have let go, and now goes with the application at the latest. */
function unprotected(now: Wanted, past: Wanted): readonly ObjectAddress[] {
  return [...now.contents].flatMap(([key, content]) => {
    const held = past.contents.get(key);
    const isHeld = held === undefined ? past.isUnread : neverGoes(held);
    return isHeld && !neverGoes(content) ? [toAddress(content.manifest)] : [];
  });
}

const neverGoes = ({ manifest, policies }: Content) => manifestPolicy(policies, manifest, 'onUpdate').skipGC === true;

/** What an application in this one has no longer: the server takes it away there. */
function goneInside(now: Wanted, past: Wanted): readonly ObjectAddress[] {
  return [...past.contents].flatMap(([key, { manifest, outer }]) =>
    now.contents.has(outer) && !now.contents.has(key) ? [toAddress(manifest)] : [],
  );
}

/** A rollout scales and marks the workload of its component, also where nothing else of it changes. */
function startsRollout({ rollout }: RunPlan['application'], before: PermittedState | undefined): boolean {
  return rollout !== undefined && before !== undefined && before.rollout !== rollout.component;
}

// These tell the revision, so they always differ. Every other label counts: some give rights, by aggregation for instance.
const REVISION_LABELS: readonly string[] = [LABEL.appRevision, LABEL.appRevisionHash];

function toComparable(manifest: KubeObject): KubeObject {
  const labels = Object.fromEntries(Object.entries(manifest.metadata.labels ?? {}).filter(([name]) => !REVISION_LABELS.includes(name)));
  return { ...manifest, metadata: { ...manifest.metadata, labels } };
}

function contentsOf(manifests: readonly KubeObject[], policies: Policies): ReadonlyMap<string, Content> {
  return new Map(manifests.flatMap((manifest) => withContents({ manifest, policies, outer: '' }, 0)));
}

/** An application in an application is written by the server, so whoever wants it answers for what is in it too. */
function withContents(content: Content, depth: number): readonly (readonly [string, Content])[] {
  const { manifest, outer } = content;
  const key = `${outer}${keyOf(toAddress(manifest))}`;
  const isApplication = manifest.kind === KINDS.application.kind && groupOf(manifest.apiVersion) === groupOf(KINDS.application.apiVersion);
  if (!isApplication || depth >= DEEPEST_APPLICATION) return [[key, content]];
  try {
    const inner = parseApplication(manifest);
    const { policies } = inner;
    const { manifests } = render(inner, revisionNameOf(inner.name, 1), { revisionHash: '' });
    return [[key, content], ...manifests.flatMap((one) => withContents({ manifest: one, policies, outer: key }, depth + 1))];
  } catch {
    return [[key, content]]; // what cannot be rendered here is refused by the engine too, when it is its turn
  }
}

// Quoted, since a name that no API server takes may hold any sign.
const keyOf = (address: Parameters<typeof toObjectId>[0]) => JSON.stringify(toObjectId(address));

// Manifests always carry a namespace, records of kinds that have none do not.
const bareKeyOf = (manifest: KubeObject) => toObjectId({ ...toAddress(manifest), namespace: undefined });
