import type { KubeObject } from '@/lib/kube/object';
import type { LabelSelector } from '../cluster/label-selector';
import type { GroupKind } from '../identifier';

/** One list that the status of a root was made from. */
export interface Selection {
  readonly of: GroupKind;
  readonly namespace: string;
  readonly selector: LabelSelector;
}

/** Knows whose children an object is, by the selectors that were used and not by owner references. */
export class SelectionIndex<Root> {
  readonly #byRoot = new Map<Root, readonly Selection[]>();
  readonly #byCollection = new Map<string, Map<Root, LabelSelector[]>>();

  /** Replaces what a root selects. */
  set(root: Root, selections: readonly Selection[]): void {
    for (const { of, namespace } of this.#byRoot.get(root) ?? []) this.#byCollection.get(toKey(of, namespace))?.delete(root);
    this.#byRoot.set(root, selections);
    for (const { of, namespace, selector } of selections) {
      const key = toKey(of, namespace);
      const roots = this.#byCollection.get(key) ?? new Map<Root, LabelSelector[]>();
      this.#byCollection.set(key, roots);
      roots.set(root, [...(roots.get(root) ?? []), selector]);
    }
  }

  /** The roots that select an object in one of its states. */
  rootsOf(of: GroupKind, namespace: string, states: readonly KubeObject[]): readonly Root[] {
    const found: Root[] = [];
    for (const [root, selectors] of this.#byCollection.get(toKey(of, namespace)) ?? []) {
      if (selectors.some((selector) => states.some((state) => selector.matches(state.metadata.labels)))) found.push(root);
    }
    return found;
  }
}

function toKey({ group, kind }: GroupKind, namespace: string): string {
  return JSON.stringify([group, kind, namespace]);
}
