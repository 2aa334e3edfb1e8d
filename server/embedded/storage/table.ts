import type { KubeObject, ObjectKey } from '@/lib/kube/object';

/** The objects of one kind, found by key and listed in the order of their keys. */
export class Table {
  readonly #objects = new Map<ObjectKey, KubeObject>();
  readonly #keys: ObjectKey[] = [];

  get size(): number {
    return this.#keys.length;
  }

  get(key: ObjectKey): KubeObject | undefined {
    return this.#objects.get(key);
  }

  set(key: ObjectKey, object: KubeObject): void {
    if (!this.#objects.has(key)) this.#keys.splice(this.#placeOf(key), 0, key);
    this.#objects.set(key, object);
  }

  delete(key: ObjectKey): void {
    if (this.#objects.delete(key)) this.#keys.splice(this.#placeOf(key), 1);
  }

  /** Objects of one namespace, or all of them. */
  list(namespace?: string): readonly KubeObject[] {
    // "0" is the character after "/", so the keys of a namespace lie between the two.
    const keys = namespace === undefined ? this.#keys : this.#keys.slice(this.#placeOf(`${namespace}/`), this.#placeOf(`${namespace}0`));
    const objects: KubeObject[] = [];
    for (const key of keys) {
      const object = this.#objects.get(key);
      if (object) objects.push(object);
    }
    return objects;
  }

  #placeOf(key: ObjectKey): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#keys[middle] ?? '') < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
