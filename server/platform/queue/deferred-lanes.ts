/** Keys deferred, lane by lane, each lane in the order its keys came. */
export class DeferredLanes<Key> {
  readonly #lanes = new Map<number, Set<Key>>();
  readonly #laneOf = new Map<Key, number>();

  get size(): number {
    return this.#laneOf.size;
  }

  has(key: Key): boolean {
    return this.#laneOf.has(key);
  }

  add(key: Key, lane: number): void {
    this.delete(key);
    const keys = this.#lanes.get(lane) ?? new Set();
    this.#lanes.set(lane, keys.add(key));
    this.#laneOf.set(key, lane);
  }

  delete(key: Key): void {
    const lane = this.#laneOf.get(key);
    if (lane === undefined) return;
    this.#laneOf.delete(key);
    const keys = this.#lanes.get(lane);
    keys?.delete(key);
    if (keys?.size === 0) this.#lanes.delete(lane);
  }

  clear(): void {
    this.#lanes.clear();
    this.#laneOf.clear();
  }

  /** Takes out every lane whose first key passes; asks once for each lane, however many keys wait. */
  takeLanes(passes: (key: Key) => boolean): readonly Key[] {
    const taken: Key[] = [];
    for (const [lane, keys] of this.#lanes) {
      const [first] = keys;
      if (first === undefined || !passes(first)) continue;
      this.#lanes.delete(lane);
      for (const key of keys) {
        this.#laneOf.delete(key);
        taken.push(key);
      }
    }
    return taken;
  }
}
