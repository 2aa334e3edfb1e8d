import type { KubeObject } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { TrackerEntry } from '@/server/dispatch';
import { readTracker } from '@/server/dispatch';
import { kindKey } from '../cluster-view';

/** Copies are frozen, so what one lists is read once. */
const READ = new WeakMap<KubeObject, ReadonlySet<string>>();

/** What a tracker lists, as `group/kind namespace/name`; nothing for one that cannot be read. */
export function listsOf(tracker: KubeObject): ReadonlySet<string> {
  const known = READ.get(tracker);
  if (known !== undefined) return known;
  const listed = new Set(readEntries(tracker).map((entry) => `${kindKey(entry)} ${toObjectKey(entry)}`));
  READ.set(tracker, listed);
  return listed;
}

/** The entries of a tracker's record; none for one that cannot be read. */
export function readEntries(tracker: KubeObject): readonly TrackerEntry[] {
  try {
    return readTracker(tracker).entries;
  } catch {
    return []; // the tracker's own row says that it cannot be read, and why
  }
}
