import type { Places, Store, StoreChange } from '@/server/kube';
import type { Release } from '@/server/platform';

/** The namespaces in which there are objects of these stores, told when one comes or goes. */
export class HomePlaces implements Places, Disposable {
  readonly #counts = new Map<string, number>();
  readonly #handlers = new Set<() => void>();
  readonly #subscriptions: readonly Release[];

  constructor(homes: readonly Store[]) {
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
    const namespace = (after ?? before)?.metadata.namespace;
    if (namespace === undefined || (before === undefined) === (after === undefined)) return;
    const count = (this.#counts.get(namespace) ?? 0) + (after === undefined ? -1 : 1);
    if (count > 0) this.#counts.set(namespace, count);
    else this.#counts.delete(namespace);
    const isNews = after === undefined ? count === 0 : count === 1;
    if (isNews) for (const handler of this.#handlers) handler();
  }
}
