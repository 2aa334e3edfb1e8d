import type { KubeObject } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import { readTracker } from '@/server/dispatch';
import { kindKey } from '../cluster-view';

/** Copies are frozen, so what one lists is read once. */
const READ = new WeakMap<KubeObject, ReadonlySet<string>>();

/** What a tracker lists, as `group/kind namespace/name`; nothing for one that cannot be read. */
export function listsOf(tracker: KubeObject): ReadonlySet<string> {
  const known = READ.get(tracker);
  if (known !== undefined) return known;
  const listed = new Set(entriesOf(tracker).map((entry) => `${kindKey(entry)} ${toObjectKey(entry)}`));
  READ.set(tracker, listed);
  return listed;
}

function entriesOf(tracker: KubeObject) {
  try {
    return readTracker(tracker).entries;
  } catch {
    return []; // shown as unreadable on its own page
  }
}
