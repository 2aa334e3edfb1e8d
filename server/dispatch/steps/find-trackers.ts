import { isAlreadyExists } from '@/server/kube';
import { DispatchError } from '../dispatch-error';
import { ANNOTATION, LABEL, TRACKER_TYPE } from '../labels';
import { extractAppName } from '../names';
import type { DispatchedRevision, TrackingOptions } from '../options';
import type { ResourceTracker } from '../tracker/record';
import type { DispatchContext, TrackerHint } from './dispatch-context';

/** The tracker that is taken over from; undefined without one, and where one that is gone is ignored. */
export async function loadPrevious(
  { store, options, signal }: DispatchContext,
  previous: TrackerHint | undefined,
  current: string,
): Promise<ResourceTracker | undefined> {
  if (previous === undefined || previous.name === current) return undefined;
  const ignore = options.tracking.missingPrevious === 'ignore';
  try {
    const live = previous.name === '' ? undefined : await store.load(previous.name, { signal });
    if (live !== undefined || ignore) return live;
  } catch (cause) {
    if (ignore) throw new DispatchError('failed to get previous resource tracker', { stage: 'previous', cause });
  }
  throw new DispatchError(`given resource tracker "${previous.name}" doesn't exist`, { stage: 'previous' });
}

/** A revision's own tracker, and whether it was made just now. */
export interface CurrentTracker {
  readonly tracker: ResourceTracker;
  readonly isNew: boolean;
}

/** The revision's own tracker, made where there is none; another application's is refused under strict names. */
export async function ensureCurrent(dispatching: DispatchContext, name: string, revision: DispatchedRevision): Promise<CurrentTracker> {
  const { store, options, signal } = dispatching;
  const application = options.tracking.application ?? { name: extractAppName(name, revision.namespace), namespace: revision.namespace };
  // What the copies lack is made without asking first: where somebody was quicker, the server says so.
  const isLacking = options.tools.cache?.lacks?.({ ...TRACKER_TYPE, name }) === true;
  const made = isLacking ? await createCurrent(dispatching, { name, mayExist: true }, application) : undefined;
  if (made !== undefined) return { tracker: made, isNew: true };
  let found: ResourceTracker | undefined;
  try {
    found = await store.load(name, { signal });
  } catch (cause) {
    throw new DispatchError('cannot get resource tracker', { stage: 'tracker', cause });
  }
  const tracker = found ?? (await createCurrent(dispatching, { name, mayExist: false }, application));
  if (tracker === undefined) throw new DispatchError('cannot create resource tracker', { stage: 'tracker' });
  const owner = options.tracking.strictNames ? foreignOwner(tracker, application) : undefined;
  if (owner === undefined) return { tracker, isNew: found === undefined };
  const sentence = `resource tracker "${name}" belongs to application ${owner}; application ${application.namespace}/${application.name} needs it too`;
  throw new DispatchError(sentence, { stage: 'tracker' });
}

async function createCurrent(
  { store, signal }: DispatchContext,
  { name, mayExist }: { readonly name: string; readonly mayExist: boolean },
  application: NonNullable<TrackingOptions['application']>,
): Promise<ResourceTracker | undefined> {
  const labels = {
    [LABEL.appName]: application.name,
    [LABEL.appNamespace]: application.namespace,
    ...(application.uid ? { [LABEL.appUid]: application.uid } : {}),
  };
  try {
    return await store.create({ name, labels, applicationGeneration: application.generation ?? 0 }, signal);
  } catch (cause) {
    if (mayExist && isAlreadyExists(cause)) return undefined;
    throw new DispatchError('cannot create resource tracker', { stage: 'tracker', cause });
  }
}

/** Trackers of the application besides current and previous, as older code left them behind. */
export async function findStrays(
  { store, signal }: DispatchContext,
  name: string,
  revision: DispatchedRevision,
  previous: ResourceTracker | undefined,
): Promise<readonly ResourceTracker[]> {
  const app = extractAppName(name, revision.namespace);
  const found = new Map<string, ResourceTracker>();
  for (const label of [LABEL.appNamespace, LABEL.appNamespaceMisspelt]) {
    for (const tracker of await store.list({ [LABEL.appName]: app, [label]: revision.namespace }, signal)) found.set(tracker.name, tracker);
  }
  const isStray = (tracker: ResourceTracker) =>
    tracker.name !== name && tracker.name !== previous?.name && tracker.annotations[ANNOTATION.lifeLong] === undefined;
  return [...found.values()].filter(isStray);
}

function foreignOwner(tracker: ResourceTracker, application: { readonly name: string; readonly namespace: string }): string | undefined {
  const name = tracker.labels[LABEL.appName];
  const namespace = tracker.labels[LABEL.appNamespace] ?? tracker.labels[LABEL.appNamespaceMisspelt];
  if (name === undefined || namespace === undefined) return undefined;
  return name === application.name && namespace === application.namespace ? undefined : `${namespace}/${name}`;
}
