import type { KubeObject } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import { DispatchError } from '../dispatch-error';
import type { DispatchTools } from '../options';
import { isPlacedInNamespace, readOwnPrerequisites } from '../prerequisites';
import type { EntryOptions } from '../tracker/entry';
import { toEntry } from '../tracker/entry';
import type { ResourceTracker, TrackerEntry } from '../tracker/record';
import { explainTampering, identityOf } from '../tracker/record';
import { keptFrom, recreatedFrom } from '../tracker/recreated';
import type { Answer } from './apply-manifests';
import type { DispatchContext } from './dispatch-context';

/** Lists the manifests before they exist; what is listed already keeps its uid. */
export async function recordBeforeApply(
  dispatching: DispatchContext,
  current: ResourceTracker,
  manifests: readonly KubeObject[],
): Promise<ResourceTracker> {
  const { client, options, store, signal } = dispatching;
  const ahead: TrackerEntry[] = [];
  const prerequisites = readOwnPrerequisites(manifests);
  for (const manifest of manifests) {
    await options.tools.yieldToEventLoop?.();
    const entry = toEntry(manifest, manifest, recordHow(dispatching, manifest));
    const misplaced = entry.namespace !== undefined && !(await isPlacedInNamespace(client, manifest, prerequisites, signal));
    ahead.push(misplaced ? withoutNamespace(entry) : entry);
  }
  const merge = (tracker: ResourceTracker) => {
    const listed = new Set(tracker.entries.map((entry) => identityOf(entry, 'apiVersion')));
    return [...tracker.entries, ...ahead.filter((entry) => !listed.has(identityOf(entry, 'apiVersion')))];
  };
  await options.tools.yieldToEventLoop?.();
  if (merge(current).length === current.entries.length) return current;
  const fresh = await refreshed(dispatching, current);
  await options.tools.yieldToEventLoop?.();
  const entries = merge(fresh);
  await options.tools.yieldToEventLoop?.();
  return store.write(fresh, entries, signal);
}

/** Writes what the server answered into the record, which only grows; nothing where it says the same already. */
export async function recordResults(
  dispatching: DispatchContext,
  current: ResourceTracker,
  answers: readonly Answer[],
): Promise<ResourceTracker> {
  const { store, options, signal } = dispatching;
  const idOf = (entry: TrackerEntry) => identityOf(entry, 'apiVersion');
  const found = new Map<string, TrackerEntry>();
  const created = new Set<string>();
  for (const { object, manifest, verb } of answers) {
    await options.tools.yieldToEventLoop?.();
    const entry = toEntry(object, manifest, recordHow(dispatching, manifest));
    found.set(idOf(entry), entry);
    if (verb === 'created') created.add(idOf(entry));
  }
  const anew = (entry: TrackerEntry) => {
    const now = found.get(idOf(entry));
    if (now === undefined) return entry;
    return created.has(idOf(entry)) ? recreatedFrom(entry, now) : keptFrom(entry, now);
  };
  const merge = (tracker: ResourceTracker) => {
    const listed = new Set(tracker.entries.map(idOf));
    const kept = tracker.form === 'managed' ? tracker.entries.map(anew) : tracker.entries;
    return [...kept, ...[...found.values()].filter((entry) => !listed.has(idOf(entry)))];
  };
  await options.tools.yieldToEventLoop?.();
  if (options.writing.skipUnchanged && (await isSameRecord(current.entries, merge(current), options.tools.yieldToEventLoop)))
    return current;
  const fresh = await refreshed(dispatching, current);
  await options.tools.yieldToEventLoop?.();
  const entries = merge(fresh);
  await options.tools.yieldToEventLoop?.();
  return { ...(await store.write(fresh, entries, signal)), entries };
}

/** True when both records list the same, manifests included. */
async function isSameRecord(
  left: readonly TrackerEntry[],
  right: readonly TrackerEntry[],
  yieldToEventLoop: DispatchTools['yieldToEventLoop'],
): Promise<boolean> {
  if (left.length !== right.length) return false;
  for (const [at, entry] of left.entries()) {
    await yieldToEventLoop?.();
    if (!deepEqual(entry, right[at])) return false;
  }
  return true;
}

/** Throws unless the server's record is the one that was read, or lists more; asked before a write that rests on a watched copy. */
export async function assertRecordUnchanged({ store, signal }: DispatchContext, tracker: ResourceTracker): Promise<void> {
  const live = await store.load(tracker.name, { signal, fresh: true });
  const listed = new Set(live?.entries.map((entry) => identityOf(entry, 'apiVersion')));
  if (live?.uid === tracker.uid && tracker.entries.every((entry) => listed.has(identityOf(entry, 'apiVersion')))) return;
  const sentence = `resource tracker "${tracker.name}" is ${live?.uid === tracker.uid ? 'shorter' : 'not there any more'}, and its watch is behind`;
  throw new DispatchError(sentence, { stage: 'tracker' });
}

/** A record may only grow, so what came from a watched copy is read again before it is written; what the server just answered is not. */
async function refreshed({ store, options, signal }: DispatchContext, tracker: ResourceTracker): Promise<ResourceTracker> {
  if (options.tools.cache === undefined) return tracker;
  const fresh = store.isAnswer(tracker) ? tracker : await store.load(tracker.name, { signal, fresh: true });
  const edited = fresh && explainTampering(fresh);
  // Writing would give an edited record the digest of a sound one.
  if (edited !== undefined) throw new DispatchError(edited, { stage: 'record' });
  return fresh ?? tracker;
}

function recordHow({ options }: DispatchContext, manifest: KubeObject): EntryOptions {
  const { readOnly = false, skipGC = false } = options.writing.policyOf?.(manifest) ?? {};
  return { skipGC: readOnly || skipGC, bare: options.tracking.recordReferences ?? false };
}

function withoutNamespace({ namespace: _dropped, ...entry }: TrackerEntry): TrackerEntry {
  return entry;
}
