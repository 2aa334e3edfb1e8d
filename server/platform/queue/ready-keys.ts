/**
 * Keys that are ready, first in first out.
 *
 * A set keeps the order but begins each walk at its oldest hole, so taking the first key of many again and again would
 * cost more the more have gone. One walk is kept going instead: it meets what is added meanwhile and never turns back.
 */
export class ReadyKeys<Key> {
  readonly #keys = new Set<Key>();
  #walk: Iterator<Key> | undefined;
  #first: { readonly key: Key } | undefined;

  get size(): number {
    return this.#keys.size;
  }

  add(key: Key): void {
    this.#keys.add(key);
  }

  delete(key: Key): void {
    this.#keys.delete(key);
    if (this.#first?.key === key) this.#first = undefined;
  }

  clear(): void {
    this.#keys.clear();
    this.#first = undefined;
  }

  /** The key that has been here longest; it stays. */
  first(): { readonly key: Key } | undefined {
    if (this.#keys.size === 0) {
      this.#walk = undefined;
      return undefined;
    }
    this.#first ??= this.#next();
    return this.#first;
  }

  #next(): { readonly key: Key } | undefined {
    this.#walk ??= this.#keys.values();
    const step = this.#walk.next();
    return step.done ? undefined : { key: step.value };
  }
}
