import type { KubeObject, ObjectAddress, TypeRef } from '@/lib/kube/object';
import { describeObject, groupOf, toObjectId } from '@/lib/kube/object';
import type { Owner } from '@/lib/kube/sensitive';
import type { Instant } from '@/lib/std/instant';
import type { LiveState, ResourceTracker, TrackerEntry } from '@/server/dispatch';
import { constructResourceTrackerName, planGarbage, readOwnPrerequisites } from '@/server/dispatch';
import { currentTracker, isLeftAlone, isStateKeep } from '../decide/applied';
import { decide } from '../decide/decide';
import type { RunPlan } from '../decide/model';
import type { Observation } from '../observe/observe';
import { observeAs } from '../observe/observe';
import { readAndResolve } from '../values/resolve-values';
import type { ChangePlan, PlannedObject } from './change-plan';
import { toChangePlan } from './change-plan';
import type { PlacedManifest } from './evaluate-manifest';
import { evaluateManifest } from './evaluate-manifest';

/** What a plan is made from besides the observation: the cluster as whoever will execute it reads it. */
export interface PlanReader {
  /** What is known of objects; one that cannot be read is unknown, never absent. */
  states(addresses: readonly ObjectAddress[]): Promise<(at: ObjectAddress) => LiveState>;
  /** The Secret that holds values of an application; undefined where there is none. */
  values(at: Owner): Promise<KubeObject | undefined>;
  /** Whether a kind lives in namespaces; of one that is not served, at this version or at all, the sentence that says so. */
  isNamespaced(type: TypeRef): Promise<boolean | { readonly unserved: string }>;
  /** Lets others have their turn; awaited every few objects. */
  yieldToEventLoop(): Promise<void>;
}

/** An application as it would be, and when. */
export interface Change {
  readonly object: KubeObject;
  readonly now: Instant;
}

/** How many objects are judged in one turn: about ten milliseconds of work. */
const AT_ONCE = 64;

/**
 * What a change of an application makes, changes, hands over, keeps, holds, refuses and deletes. Preview and engine ask this one function; it
 * is pure over what the reader gives, and whoever reads does so as the server.
 */
export async function planChange(observation: Observation, change: Change, reader: PlanReader): Promise<ChangePlan> {
  const seen = observeAs(observation, change.object);
  const decision = decide(seen, change.now);
  switch (decision.kind) {
    case 'refuse':
      return toChangePlan(seen.object, { revision: undefined, objects: [], refused: decision.sentence });
    case 'finalize':
      return toChangePlan(seen.object, {
        revision: undefined,
        objects: [],
        refused: `${describeObject({ kind: 'Application', ...seen.object.metadata })} is being deleted`,
      });
    case 'run':
      return planOfRun(decision.plan, seen, reader);
  }
}

async function planOfRun(plan: RunPlan, seen: Observation, reader: PlanReader): Promise<ChangePlan> {
  const { revision } = plan;
  const revisionOf = { name: revision.name, isNew: revision.stored === undefined };
  if (plan.dispatch) return toChangePlan(seen.object, { revision: revisionOf, ...(await evaluateAll(plan, seen, reader)) });
  const refused = plan.collect.kind === 'wait' ? plan.collect.why : undefined;
  // What a rejected revision shares with the stable one is as that has it; nothing goes meanwhile.
  const objects = plan.restore === undefined ? [] : (await evaluateAll({ ...plan, ...plan.restore, olds: [] }, seen, reader)).objects;
  return toChangePlan(seen.object, { revision: revisionOf, objects, refused });
}

async function evaluateAll(asked: RunPlan, seen: Observation, reader: PlanReader): Promise<Pick<ChangePlan, 'objects' | 'refused'>> {
  const { application, revision, olds } = asked;
  const resolved = await readAndResolve(asked.rendered, application, reader.values);
  if (resolved.kind === 'missing') return { objects: [], refused: resolved.why };
  const plan = { ...asked, rendered: resolved.rendered };
  const manifests = await place(plan, reader);
  const namespaces = [...new Set(manifests.flatMap(({ at }) => at.namespace ?? []))].map((name) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    name,
  }));
  const stateOf = await reader.states([...namespaces, ...manifests.map(({ at }) => at), ...olds.flatMap(({ entries }) => entries)]);
  const current = currentTracker(plan, seen.trackers);
  const context = {
    plan: { ...plan, isApplied: isStateKeep(plan), isLeft: isLeftAlone(plan, current) },
    claims: { trackers: seen.trackers, trackerNamed: seen.trackerNamed, recordedBy: seen.recordedBy },
    accepted: plan.accepted.map(({ uid }) => uid),
    stateOf,
  };
  const objects: PlannedObject[] = [];
  for (const [index, one] of manifests.entries()) {
    if (index % AT_ONCE === AT_ONCE - 1) await reader.yieldToEventLoop();
    objects.push(evaluateManifest(one, context));
  }
  await reader.yieldToEventLoop();
  const name = constructResourceTrackerName(revision.name, application.namespace);
  const next = { name, uid: current?.uid ?? '', entries: mergeEntries(current, objects) };
  const garbage = planGarbage(olds, next, {
    live: stateOf,
    components: application.spec.components.map((component) => component.name),
    application,
    policy: application.policies.garbage,
    countGone: true,
  });
  const going = garbage.items.filter(({ verdict }) => verdict !== 'handed-over' && verdict !== 'new');
  const rest = going.map(
    (item): PlannedObject => ({
      id: item.id,
      at: addressOf(item.entry),
      uid: item.uid,
      verdict: item.verdict,
      why: item.why,
      garbage: item,
    }),
  );
  return { objects: [...objects, ...rest], refused: garbage.refused };
}

async function place({ rendered }: RunPlan, reader: PlanReader): Promise<readonly PlacedManifest[]> {
  const kinds = new Map<string, boolean | { readonly unserved: string }>();
  const prerequisites = readOwnPrerequisites(rendered.manifests);
  const placed: PlacedManifest[] = [];
  for (const manifest of rendered.manifests) {
    const { apiVersion, kind, metadata } = manifest;
    const key = `${apiVersion} ${kind}`;
    const told = kinds.get(key) ?? (await reader.isNamespaced({ apiVersion, kind }));
    kinds.set(key, told);
    const namespaced = typeof told === 'boolean' ? told : (prerequisites.kinds.get(`${groupOf(apiVersion)}/${kind}`) ?? told);
    const { name = '', namespace } = metadata;
    const at = { apiVersion, kind, name, ...(namespace === undefined || namespaced === false ? {} : { namespace }) };
    placed.push({ manifest, at, unserved: typeof namespaced === 'boolean' ? undefined : namespaced.unserved });
  }
  return placed;
}

/** What the revision's tracker will list: what it lists already, and every manifest. */
function mergeEntries(current: ResourceTracker | undefined, objects: readonly PlannedObject[]): readonly TrackerEntry[] {
  const held = current?.entries ?? [];
  const listed = new Set(held.map((entry) => toObjectId(entry)));
  const ahead = objects.filter(({ id }) => !listed.has(id));
  return [...held, ...ahead.map(({ at }): TrackerEntry => ({ ...at, cluster: 'local', component: '', deleted: false, skipGC: false }))];
}

function addressOf({ apiVersion, kind, name, namespace }: TrackerEntry): ObjectAddress {
  return { apiVersion, kind, name, ...(namespace ? { namespace } : {}) };
}
