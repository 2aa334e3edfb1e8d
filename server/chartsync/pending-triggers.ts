import { isIdleTrigger } from './decisions/cancellations';
import type { Trigger } from './ports';

/** What asked for the next look at each resource, by its uid. The last one tells; but what tries again what was cancelled is not lost to what does not. */
export class PendingTriggers {
  readonly #by = new Map<string, Trigger>();

  ask(uid: string, by: Trigger): void {
    const before = this.#by.get(uid);
    const stays = before === 'decision' || (before !== undefined && !isIdleTrigger(before) && isIdleTrigger(by));
    if (!stays) this.#by.set(uid, by);
  }

  /** What the look that begins now is for; undefined where nothing was told to ask for it. */
  take(uid: string): Trigger | undefined {
    const by = this.#by.get(uid);
    this.#by.delete(uid);
    return by;
  }

  forget(uid: string): void {
    this.#by.delete(uid);
  }
}
