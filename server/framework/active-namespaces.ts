import type { KubeObject } from '@/lib/kube/object';
import type { NamespaceSource, Store, StoreChange } from '@/server/kube';
import type { Release } from '@/server/platform';

/** The namespaces in which there are objects of these stores, or into which those reach, told when one comes or goes. */
export class ActiveNamespaces implements NamespaceSource, Disposable {
  readonly #counts = new Map<string, number>();
  readonly #handlers = new Set<() => void>();
  readonly #subscriptions: readonly Release[];

  readonly #placeOf: (object: KubeObject) => string | undefined;

  constructor(homes: readonly Store[], placeOf = (object: KubeObject) => object.metadata.namespace) {
    this.#placeOf = placeOf;
    this.#subscriptions = homes.map((store) => store.subscribe((change) => this.#hear(change), { replay: true }));
  }

  values(): readonly string[] {
    return [...this.#counts.keys()];
  }

  has(namespace: string): boolean {
    return this.#counts.has(namespace);
  }

  subscribe(onChange: () => void): Release {
    const own = () => onChange(); // the same function twice is two subscriptions
    this.#handlers.add(own);
    return () => void this.#handlers.delete(own);
  }

  [Symbol.dispose](): void {
    for (const release of this.#subscriptions) release();
    this.#handlers.clear();
  }

  #hear({ before, after }: StoreChange): void {
    const [was, is] = [before && this.#placeOf(before), after && this.#placeOf(after)];
    if (was === is) return;
    const hasChanged = [this.#count(was, -1), this.#count(is, 1)].includes(true);
    if (hasChanged) for (const handler of this.#handlers) handler();
  }

  /** True for the first that reaches into a namespace, and for the last. */
  #count(namespace: string | undefined, by: 1 | -1): boolean {
    if (namespace === undefined) return false;
    const count = (this.#counts.get(namespace) ?? 0) + by;
    if (count > 0) this.#counts.set(namespace, count);
    else this.#counts.delete(namespace);
    return by === 1 ? count === 1 : count === 0;
  }
}
