interface Due<Item> {
  readonly at: number;
  readonly order: number;
  readonly item: Item;
}

/** A binary heap of items by due time; equal times come out in the order they went in. */
export class DueHeap<Item> {
  #order = 0;
  readonly #entries: Due<Item>[] = [];

  get size(): number {
    return this.#entries.length;
  }

  push(at: number, item: Item): void {
    const entry = { at, order: this.#order++, item };
    let hole = this.#entries.push(entry) - 1;
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      if (isBefore(this.#at(parent), entry)) break;
      this.#entries[hole] = this.#at(parent);
      hole = parent;
    }
    this.#entries[hole] = entry;
  }

  /** Due time of the first item; undefined when empty. */
  nextAt(): number | undefined {
    return this.#entries[0]?.at;
  }

  /** Takes out the first item when it is due at that time. */
  popDue(now: number): Item | undefined {
    const first = this.#entries[0];
    if (first === undefined || first.at > now) return undefined;
    const last = this.#entries.pop();
    if (last !== undefined && this.#entries.length > 0) this.#sink(last);
    return first.item;
  }

  clear(): void {
    this.#entries.length = 0;
  }

  #sink(entry: Due<Item>): void {
    let hole = 0;
    for (;;) {
      let child = 2 * hole + 1;
      if (child >= this.#entries.length) break;
      if (child + 1 < this.#entries.length && isBefore(this.#at(child + 1), this.#at(child))) child++;
      if (isBefore(entry, this.#at(child))) break;
      this.#entries[hole] = this.#at(child);
      hole = child;
    }
    this.#entries[hole] = entry;
  }

  #at(index: number): Due<Item> {
    const entry = this.#entries[index];
    if (entry === undefined) throw new RangeError(`the heap has ${this.#entries.length} entries, none at ${index}`);
    return entry;
  }
}

function isBefore(left: Due<unknown>, right: Due<unknown>): boolean {
  return left.at < right.at || (left.at === right.at && left.order < right.order);
}
