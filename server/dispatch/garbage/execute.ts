import type { ObjectAddress, OwnerReference } from '@/lib/kube/object';
import { controllerOf, describeObject } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import { getServed, isNotFound, retryOnConflict } from '@/server/kube';
import { DispatchError } from '../dispatch-error';
import { withDispatchFieldManager } from '../field-manager';
import type { KubeClient } from '../kube-client';
import { LABEL, TRACKER_TYPE } from '../labels';
import { isTrackerOwner } from '../owners';
import { isPrerequisite } from '../prerequisites';
import type { ResourceTracker, TrackerEntry } from '../tracker/record';
import { carriesLabelsOf, evaluatedBy, explainElsewhere } from './evaluate';
import type { GarbageItem, GarbagePlan, LiveState } from './model';

export interface ExecuteOptions {
  readonly signal?: AbortSignal | undefined;
  /** Hears of each object that went, in order. */
  readonly onDeleted?: (item: GarbageItem) => Promise<void>;
  /** Whose labels released objects lose. */
  readonly application?: { readonly name: string; readonly namespace: string };
  readonly onTrackerDeleted?: (tracker: Collected) => Promise<void>;
  /** Trackers take with them what they own, as in the original, so what is kept must lose them as owners first. */
  readonly cascade?: boolean;
}

/** A tracker that is collected; with a uid and a version only as it was when the plan was made. */
type Collected = Pick<ResourceTracker, 'name'> & { readonly uid?: string; readonly resourceVersion?: string | undefined };

/**
 * Carries out a plan, and nothing beyond it.
 *
 * 1. An object is read just before its delete, by whatever version its kind is served, and the delete carries uid and resourceVersion as
 *    preconditions.
 * 2. An object of another uid than planned, or with another controller or other labels than then, stays, and the collection stops; so does one that
 *    has asked to stay since.
 * 3. Trackers go last, without their dependents unless asked for: what only a cascade would take stays.
 * 4. What others live in or are instances of goes after them.
 *    What was planned without a look at it goes in recorded order, as it is recorded.
 * 5. A tracker whose record has changed since stays, and so does one that lists what waits for the application to go stays with it.
 */
export async function executeGarbage(
  client: KubeClient,
  plan: GarbagePlan,
  trackers: readonly Collected[],
  options: ExecuteOptions = {},
): Promise<void> {
  if (plan.refused !== undefined) throw new DispatchError(`the collection is refused: ${plan.refused}`, { stage: 'collect' });
  const isLast = (item: GarbageItem) => Number(!item.unread && isPrerequisite(item.entry));
  for (const item of [...plan.items].sort((left, right) => isLast(left) - isLast(right))) {
    if (item.verdict === 'deleted' && (await deleteItem(client, item, options.signal))) await options.onDeleted?.(item);
    if (item.verdict === 'kept' && !item.retained && options.cascade) await disown(client, item, trackers, options.signal);
    if (item.released && options.application !== undefined)
      await release(withDispatchFieldManager(client), item, options.application, options.signal);
  }
  for (const tracker of emptyTrackers(plan, trackers)) {
    if (await deleteTracker(client, tracker, options)) await options.onTrackerDeleted?.(tracker);
  }
}

/** The trackers that a plan leaves nothing in. */
export function emptyTrackers<Tracker extends { readonly name: string }>(
  plan: GarbagePlan,
  trackers: readonly Tracker[],
): readonly Tracker[] {
  const retaining = new Set(plan.items.flatMap((item) => (item.retained ? item.tracker : [])));
  return trackers.filter(({ name }) => !retaining.has(name));
}

/** Takes the labels of the application off an object that it leaves behind. An object that is another by now is left alone. */
async function release(
  client: KubeClient,
  { entry }: GarbageItem,
  application: { readonly name: string; readonly namespace: string },
  signal?: AbortSignal,
) {
  const at = addressOf(entry);
  const request = signal ? { signal } : {};
  const releaseAsRead = async () => {
    const live = await getServed(client, at, request);
    if (live === undefined || (entry.uid !== undefined && live.metadata.uid !== entry.uid) || !carriesLabelsOf(live, application)) return;
    const labels = { [LABEL.appName]: null, [LABEL.appNamespace]: null };
    const body = { metadata: { labels, resourceVersion: live.metadata.resourceVersion } };
    await client.patch({ ...at, apiVersion: live.apiVersion }, { type: 'merge', body }, request);
  };
  try {
    await retryOnConflict(releaseAsRead);
  } catch (cause) {
    if (!isNotFound(cause)) throw new DispatchError(`cannot release ${describeObject(at)}`, { stage: 'collect', cause, object: at });
  }
}

async function deleteItem(client: KubeClient, item: GarbageItem, signal: AbortSignal | undefined): Promise<boolean> {
  const at = addressOf(item.entry);
  try {
    return await (item.unread ? deleteUnread : retryDelete)(client, at, item, signal ? { signal } : {});
  } catch (cause) {
    if (isNotFound(cause)) return false;
    throw new DispatchError(item.unread ? describeRecorded(item.entry) : `cannot delete ${describeObject(at)}`, {
      stage: 'collect',
      cause,
      object: at,
    });
  }
}

interface Request {
  readonly signal?: AbortSignal;
}

// Its status may change between the read and the delete; it is read anew then, and judged anew.
const retryDelete: typeof deletePlanned = (...asked) => retryOnConflict(() => deletePlanned(...asked));

async function deletePlanned(client: KubeClient, at: ObjectAddress, item: GarbageItem, request: Request): Promise<boolean> {
  const live = await getServed(client, at, request);
  if (live === undefined) return false;
  const { uid, resourceVersion, deletionTimestamp } = live.metadata;
  if (uid !== item.uid)
    throw new DispatchError(`it was planned as uid ${item.uid ?? 'unknown'}, found ${uid ?? 'none'}`, { stage: 'collect' });
  if (deletionTimestamp !== undefined) return false;
  const controller = controllerOf(live);
  if (controller !== undefined && controller.uid !== item.controller)
    throw new DispatchError(`${controller.kind} ${controller.name} controls it since it was planned`, { stage: 'collect' });
  if (item.evaluatedBy !== undefined && !deepEqual(evaluatedBy(live), item.evaluatedBy))
    throw new DispatchError('its labels, or what it asks for, changed since it was planned', { stage: 'collect' });
  const preconditions = { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
  await client.delete(
    { ...at, apiVersion: live.apiVersion },
    { preconditions, propagationPolicy: item.propagation ?? 'Background', ...request },
  );
  return true;
}

/** The original's delete: whatever lives there now, with its pods where it is a Job, which the API's default for batch/v1 would leave behind. */
async function deleteUnread(client: KubeClient, at: ObjectAddress, { entry }: GarbageItem, request: Request): Promise<boolean> {
  // Here its namesake would be deleted.
  const elsewhere = explainElsewhere(entry);
  if (elsewhere !== undefined) throw new Error(elsewhere.why);
  await client.delete(at, { ...(entry.kind === 'Job' ? { propagationPolicy: 'Background' } : {}), ...request });
  return true;
}

/** Takes the tracker off the owners of an object that stays, so that it does not go with it. */
async function disown(
  client: KubeClient,
  { entry, tracker: name }: GarbageItem,
  trackers: readonly Collected[],
  signal?: AbortSignal,
): Promise<void> {
  const uid = trackers.find((tracker) => tracker.name === name)?.uid;
  const request = signal ? { signal } : {};
  try {
    const live = await client.get(addressOf(entry), request);
    const isOther = (owner: OwnerReference) => !isTrackerOwner(owner) || (owner.uid !== uid && owner.name !== name);
    await client.update(
      { ...live, metadata: { ...live.metadata, ownerReferences: live.metadata.ownerReferences?.filter(isOther) ?? [] } },
      request,
    );
  } catch (cause) {
    if (!isNotFound(cause)) throw new DispatchError(describeRecorded(entry), { stage: 'collect', cause, object: entry });
  }
}

/** As the original words it. */
function describeRecorded({ apiVersion, kind, name, namespace }: TrackerEntry): string {
  return `cannot delete resource {"${apiVersion}" "${kind}" "${name}" "${namespace ?? ''}" ""}`;
}

async function deleteTracker(
  client: KubeClient,
  { name, uid, resourceVersion }: Collected,
  { cascade, signal }: ExecuteOptions,
): Promise<boolean> {
  const preconditions = { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
  try {
    await client.delete(
      { ...TRACKER_TYPE, name },
      { ...(cascade ? {} : { preconditions, propagationPolicy: 'Orphan' }), ...(signal ? { signal } : {}) },
    );
    return true;
  } catch (cause) {
    if (isNotFound(cause)) return false;
    throw new DispatchError(`cannot delete resource tracker "${name}"`, { stage: 'collect', cause });
  }
}

/** Reads what the trackers list, so that a plan can be made. A read that fails is `unknown`, never absent. */
export async function readLive(
  client: KubeClient,
  entries: readonly TrackerEntry[],
  signal?: AbortSignal,
): Promise<(entry: TrackerEntry) => LiveState> {
  const found = new Map<string, LiveState>();
  for (const entry of entries) {
    const at = addressOf(entry);
    const key = JSON.stringify(at);
    if (!found.has(key)) found.set(key, await readOne(client, entry, at, signal));
  }
  return (entry) => found.get(JSON.stringify(addressOf(entry))) ?? { kind: 'unknown', why: 'it was not read' };
}

async function readOne(client: KubeClient, entry: TrackerEntry, at: ObjectAddress, signal: AbortSignal | undefined): Promise<LiveState> {
  return explainElsewhere(entry) ?? readState(client, at, signal);
}

/** What the server says of one object, by whatever version its kind is served. A kind that is served at none took its objects with it. */
export async function readState(
  client: Pick<KubeClient, 'get' | 'discovery'>,
  at: ObjectAddress,
  signal?: AbortSignal,
): Promise<LiveState> {
  try {
    const object = await getServed(client, at, signal ? { signal } : {});
    return object === undefined ? { kind: 'absent' } : { kind: 'present', object };
  } catch (error) {
    return { kind: 'unknown', why: `${describeObject(at)} cannot be read: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function addressOf({ apiVersion, kind, name, namespace }: TrackerEntry): ObjectAddress {
  return { apiVersion, kind, name, ...(namespace ? { namespace } : {}) };
}
