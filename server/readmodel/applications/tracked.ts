import { KINDS, LABELS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectKey, TypeRef } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { TrackerEntry } from '@/server/dispatch';
import { readTracker } from '@/server/dispatch';
import type { ClusterView, ViewChange } from '../cluster-view';
import { applicationKeys, kindKey } from '../cluster-view';

/** The objects that trackers list, per application, and the way back from an object to its applications. */
export class TrackedObjects {
  readonly #view: ClusterView;
  /** By kind and key: the applications whose trackers list that object. */
  readonly #listedBy = new Map<string, Set<ObjectKey>>();
  readonly #byTracker = new Map<string, { readonly application: ObjectKey | undefined; readonly entries: readonly TrackerEntry[] }>();

  constructor(view: ClusterView) {
    this.#view = view;
  }

  /** Takes a change of a tracker in; kinds that it lists are opened. */
  observe(change: ViewChange): void {
    this.#forget(change.key);
    if (change.after === undefined) return;
    const application = applicationKeys(change.after)[0];
    const entries = readEntries(change.after);
    this.#byTracker.set(change.key, { application, entries });
    for (const entry of entries) {
      this.#view.open(entry);
      if (application === undefined) continue;
      const id = idOf(entry, toObjectKey(entry));
      const listed = this.#listedBy.get(id) ?? new Set();
      this.#listedBy.set(id, listed.add(application));
    }
  }

  #forget(tracker: string): void {
    const held = this.#byTracker.get(tracker);
    if (held === undefined) return;
    this.#byTracker.delete(tracker);
    for (const entry of held.entries) {
      const id = idOf(entry, toObjectKey(entry));
      const still = [...this.#byTracker.values()].some(
        (other) => other.application === held.application && other.entries.some((one) => idOf(one, toObjectKey(one)) === id),
      );
      if (!still && held.application !== undefined) this.#listedBy.get(id)?.delete(held.application);
    }
  }

  /** What a tracker lists; nothing for one that cannot be read. */
  entriesOf(tracker: string): readonly TrackerEntry[] {
    return this.#byTracker.get(tracker)?.entries ?? [];
  }

  /** Kinds of everything that the trackers of an application list. */
  kindsOf(application: ObjectKey): readonly TypeRef[] {
    const kinds = new Map<string, TypeRef>();
    for (const tracker of this.trackersOf(application)) for (const entry of this.entriesOf(tracker.metadata.name ?? '')) kinds.set(kindKey(entry), entry);
    return [...kinds.values()];
  }

  /** Applications that list an object of this kind which is not in our copy. */
  lacking(type: TypeRef): ReadonlySet<ObjectKey> {
    const prefix = `${kindKey(type)}|`;
    const found = new Set<ObjectKey>();
    for (const [id, applications] of this.#listedBy) {
      if (!id.startsWith(prefix) || this.#view.get(type, id.slice(prefix.length)) !== undefined) continue;
      for (const application of applications) found.add(application);
    }
    return found;
  }

  /** Trackers of an application, by name. */
  trackersOf(application: ObjectKey): readonly KubeObject[] {
    return this.#view.ofApplication(KINDS.resourceTracker, application);
  }

  /** Applications that an object, or an owner of it, belongs to. */
  applicationsOf(type: TypeRef, object: KubeObject): ReadonlySet<ObjectKey> {
    const found = new Set<ObjectKey>();
    for (const one of this.#view.lineage(object)) {
      for (const key of applicationKeys(one)) found.add(key);
      const at = one === object ? type : one;
      for (const key of this.#listedBy.get(idOf(at, toObjectKey(one.metadata))) ?? []) found.add(key);
    }
    return found;
  }

  /** The revision a tracker was made for, when its label or name says so. */
  revisionOf(tracker: KubeObject): string | undefined {
    const labelled = tracker.metadata.labels?.[LABELS.appRevision];
    if (labelled !== undefined) return labelled;
    const ns = tracker.metadata.labels?.[LABELS.appNamespace];
    const name = tracker.metadata.name ?? '';
    return ns !== undefined && name.endsWith(`-${ns}`) ? name.slice(0, -ns.length - 1) : undefined;
  }
}

function idOf(type: TypeRef, key: ObjectKey): string {
  return `${kindKey(type)}|${key}`;
}

function readEntries(tracker: KubeObject): readonly TrackerEntry[] {
  try {
    return readTracker(tracker).entries;
  } catch {
    return []; // the tracker's own row says that it cannot be read, and why
  }
}
