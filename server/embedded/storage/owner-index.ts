import type { KubeObject } from '@/lib/kube/object';

/** Finds objects by their uid and by the uid of an owner. */
export class OwnerIndex {
  readonly #byUid = new Map<string, KubeObject>();
  readonly #owned = new Map<string, Map<string, KubeObject>>();

  byUid(uid: string): KubeObject | undefined {
    return this.#byUid.get(uid);
  }

  ownedBy(uid: string): readonly KubeObject[] {
    return [...(this.#owned.get(uid)?.values() ?? [])];
  }

  change(before: KubeObject | undefined, after: KubeObject | undefined): void {
    const uid = after?.metadata.uid ?? before?.metadata.uid ?? '';
    if (before && before.metadata.ownerReferences !== after?.metadata.ownerReferences) {
      for (const owner of before.metadata.ownerReferences ?? []) this.#disown(owner.uid, uid);
    }
    for (const owner of after?.metadata.ownerReferences ?? []) {
      const owned = this.#owned.get(owner.uid) ?? new Map<string, KubeObject>();
      if (after) this.#owned.set(owner.uid, owned.set(uid, after));
    }
    if (after) this.#byUid.set(uid, after);
    else this.#byUid.delete(uid);
  }

  #disown(owner: string, uid: string): void {
    const owned = this.#owned.get(owner);
    owned?.delete(uid);
    if (owned?.size === 0) this.#owned.delete(owner);
  }
}
