// A burst over all topics leaves one delta of each behind for a moment; several of one topic mean that nobody reads.
const MAX_OF_TOPIC = 4;
const MOST = 64;

/** What was sent to one browser and has not left yet. */
export class UnsentDeltas {
  readonly #ofTopic = new Map<string, number>();
  #inAll = 0;

  /** Counts something of a topic to send; false when too much waits already, of it or of all topics. */
  count(topic: string): boolean {
    const waiting = this.#ofTopic.get(topic) ?? 0;
    if (waiting >= MAX_OF_TOPIC || this.#inAll >= MOST) return false;
    this.#ofTopic.set(topic, waiting + 1);
    this.#inAll++;
    return true;
  }

  /** Everything has left. */
  clear(): void {
    this.#ofTopic.clear();
    this.#inAll = 0;
  }
}
