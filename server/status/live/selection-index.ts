import type { KubeObject } from '@/lib/kube/object';
import type { LabelIndexKey } from '../cluster/label-index-key';
import { labelIndexKeyOf, valueIn } from '../cluster/label-index-key';
import type { LabelSelector } from '../cluster/label-selector';
import type { GroupKind } from '../identifier';
import { CollectionMap } from '../identifier-map';

/** One list that the status of a root was made from. */
export interface Selection {
  readonly of: GroupKind;
  readonly namespace: string;
  readonly selector: LabelSelector;
}

/** Who selects by one set of label names: by the values wanted, the roots with their selectors. */
interface Drawer<Root> {
  readonly names: readonly string[];
  readonly byValue: Map<string, Map<Root, LabelSelector[]>>;
}

/** Selectors that name no label with its value are asked about every object. */
const ALL: LabelIndexKey = { names: [], name: '[]', value: '[]' };

/** Knows whose children an object is, by the selectors that were used and not by owner references. A change asks only selectors that want its labels. */
export class SelectionIndex<Root> {
  readonly #byRoot = new Map<Root, readonly Selection[]>();
  readonly #collections = new CollectionMap<Map<string, Drawer<Root>>>();

  /** Replaces what a root selects. */
  set(root: Root, selections: readonly Selection[]): void {
    const held = this.#byRoot.get(root) ?? [];
    if (isSame(held, selections)) return;
    for (const selection of held) this.#remove(root, selection);
    if (selections.length === 0) this.#byRoot.delete(root);
    else this.#byRoot.set(root, selections);
    for (const selection of selections) this.#add(root, selection);
  }

  /** The roots that select an object in one of its states. */
  rootsOf(of: GroupKind, namespace: string, states: readonly KubeObject[]): readonly Root[] {
    const found = new Set<Root>();
    for (const { names, byValue } of this.#collections.get(of, namespace)?.values() ?? []) {
      for (const state of states) {
        for (const [root, selectors] of byValue.get(valueIn(names, state) ?? '') ?? []) {
          if (selectors.some((selector) => selector.matches(state.metadata.labels))) found.add(root);
        }
      }
    }
    return [...found];
  }

  #add(root: Root, { of, namespace, selector }: Selection): void {
    const { names, name, value } = labelIndexKeyOf(selector) ?? ALL;
    const drawers = this.#collections.get(of, namespace) ?? new Map<string, Drawer<Root>>();
    this.#collections.set(of, namespace, drawers);
    const drawer = drawers.get(name) ?? { names, byValue: new Map<string, Map<Root, LabelSelector[]>>() };
    drawers.set(name, drawer);
    const roots = drawer.byValue.get(value) ?? new Map<Root, LabelSelector[]>();
    drawer.byValue.set(value, roots);
    roots.set(root, [...(roots.get(root) ?? []), selector]);
  }

  #remove(root: Root, { of, namespace, selector }: Selection): void {
    const { name, value } = labelIndexKeyOf(selector) ?? ALL;
    const drawers = this.#collections.get(of, namespace);
    const drawer = drawers?.get(name);
    const roots = drawer?.byValue.get(value);
    roots?.delete(root);
    if (roots?.size === 0) drawer?.byValue.delete(value);
    if (drawer?.byValue.size === 0) drawers?.delete(name);
    // Namespaces come and go for as long as the process runs.
    if (drawers?.size === 0) this.#collections.delete(of, namespace);
  }
}

/** An owner is read again and again, and its selector hardly ever changes. */
function isSame(held: readonly Selection[], wanted: readonly Selection[]): boolean {
  if (held.length !== wanted.length) return false;
  return held.every(({ of, namespace, selector }, at) => {
    const other = wanted[at];
    return other?.of === of && other.namespace === namespace && other.selector.text === selector.text;
  });
}
