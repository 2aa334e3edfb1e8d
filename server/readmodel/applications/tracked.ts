import { KINDS, LABELS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectKey, TypeRef } from '@/lib/kube/object';
import { parseObjectKey, toObjectKey } from '@/lib/kube/object';
import type { TrackerEntry } from '@/server/dispatch';
import type { ClusterView, ViewChange } from '../cluster-view';
import { applicationKeys, kindKey } from '../cluster-view';
import type { Place } from '../freshness';
import { readEntries } from '../trackers/listed-objects';

/** The objects that trackers list, per application, and the way back from an object to its applications. */
export class TrackedObjects {
  readonly #view: ClusterView;
  readonly #listings = new Listings();
  readonly #byTracker = new Map<string, { readonly application: ObjectKey | undefined; readonly entries: readonly TrackerEntry[] }>();

  constructor(view: ClusterView) {
    this.#view = view;
  }

  /** Takes a change of a tracker in; kinds that it lists are opened. Answers the entries by which the old and the new record differ: all of both, or none. */
  observe(change: ViewChange): readonly TrackerEntry[] {
    const before = this.#byTracker.get(change.key);
    const application = change.after && applicationKeys(change.after)[0];
    const entries = change.after === undefined ? [] : readEntries(change.after);
    if (before !== undefined && change.after !== undefined && before.application === application && listsTheSame(before.entries, entries)) {
      this.#byTracker.set(change.key, { application, entries });
      return [];
    }
    const gone = this.#forget(change.key);
    if (change.after === undefined) return gone;
    this.#byTracker.set(change.key, { application, entries });
    const opened = new Set<string>();
    for (const entry of entries) {
      const kind = `${entry.apiVersion} ${entry.kind}`;
      if (!opened.has(kind)) this.#view.open(entry);
      opened.add(kind);
      if (application !== undefined) this.#listings.add(entry, application);
    }
    return [...gone, ...entries];
  }

  #forget(tracker: string): readonly TrackerEntry[] {
    const held = this.#byTracker.get(tracker);
    if (held === undefined) return [];
    this.#byTracker.delete(tracker);
    if (held.application !== undefined) for (const entry of held.entries) this.#listings.remove(entry, held.application);
    return held.entries;
  }

  /** What a tracker lists; nothing for one that cannot be read. */
  entriesOf(tracker: string): readonly TrackerEntry[] {
    return this.#byTracker.get(tracker)?.entries ?? [];
  }

  /** The application that a tracker is of, whether it can be read or not. */
  applicationOf(tracker: string): { readonly ns: string; readonly name: string } | undefined {
    const { application } = this.#byTracker.get(tracker) ?? {};
    if (application === undefined) return undefined;
    const { namespace = '', name } = parseObjectKey(application);
    return { ns: namespace, name };
  }

  /** What an application rests on: its namespace, and everything that its trackers list. */
  placeOf(application: ObjectKey): Place {
    const { namespace = '' } = parseObjectKey(application);
    return { namespace, objects: this.trackersOf(application).flatMap(({ metadata }) => this.entriesOf(metadata.name ?? '')) };
  }

  /** True while any tracker lists the object. */
  isListed(type: TypeRef, key: ObjectKey): boolean {
    for (const _application of this.#listings.applicationsOf(type, key)) return true;
    return false;
  }

  /** Applications that list an object of this kind which is not in our copy. */
  lacking(type: TypeRef): ReadonlySet<ObjectKey> {
    const found = new Set<ObjectKey>();
    for (const key of this.#listings.keysOf(type)) {
      if (this.#view.get(type, key) !== undefined) continue;
      for (const application of this.#listings.applicationsOf(type, key)) found.add(application);
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
      for (const key of this.#listings.applicationsOf(at, toObjectKey(one.metadata))) found.add(key);
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

/** A record is written twice, ahead of its objects and with what the server answered: of the same objects. */
function listsTheSame(before: readonly TrackerEntry[], after: readonly TrackerEntry[]): boolean {
  return (
    before.length === after.length &&
    before.every((entry, at) => {
      const other = after[at];
      return (
        other?.name === entry.name &&
        other.namespace === entry.namespace &&
        other.kind === entry.kind &&
        other.apiVersion === entry.apiVersion
      );
    })
  );
}

/** By kind and key of an object: the applications that list it, each with the number of listings, for two trackers may list the same. */
class Listings {
  readonly #byKind = new Map<string, Map<ObjectKey, Map<ObjectKey, number>>>();

  add(entry: TrackerEntry, application: ObjectKey): void {
    const kind = kindKey(entry);
    const keys = this.#byKind.get(kind) ?? new Map<ObjectKey, Map<ObjectKey, number>>();
    this.#byKind.set(kind, keys);
    const key = toObjectKey(entry);
    const counts = keys.get(key) ?? new Map<ObjectKey, number>();
    keys.set(key, counts.set(application, (counts.get(application) ?? 0) + 1));
  }

  remove(entry: TrackerEntry, application: ObjectKey): void {
    const keys = this.#byKind.get(kindKey(entry));
    const key = toObjectKey(entry);
    const counts = keys?.get(key);
    const count = counts?.get(application) ?? 0;
    if (count > 1) counts?.set(application, count - 1);
    else counts?.delete(application);
    if (counts?.size === 0) keys?.delete(key);
  }

  keysOf(type: TypeRef): Iterable<ObjectKey> {
    return this.#byKind.get(kindKey(type))?.keys() ?? [];
  }

  applicationsOf(type: TypeRef, key: ObjectKey): Iterable<ObjectKey> {
    return this.#byKind.get(kindKey(type))?.get(key)?.keys() ?? [];
  }
}
