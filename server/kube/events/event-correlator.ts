import type { Instant } from '@/lib/std/instant';
import { TokenBucket } from '@/server/platform';

/** What is told about an object. */
export interface EventContent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** One Event of an object as it is kept: how often it was told, and where it stands once it is written. */
export interface KeptEvent {
  readonly content: EventContent;
  readonly first: Instant;
  last: Instant;
  count: number;
  /** Name of the Event in the cluster; undefined while it is not written. */
  name: string | undefined;
  writtenAt: Instant | undefined;
}

// The figures of client-go's EventCorrelator.
const MAX_MESSAGES = 10;
const GATHERED_MS = 10 * 60_000;
const BURST = 25;
const REFILL_MS = 5 * 60_000;
/** Of more, the oldest are forgotten, and would be written anew. */
const MAX_KEPT = 64;

/**
 * What is told about one object by one component, as client-go gathers it.
 *
 * 1. The same type, reason and message is one Event whose count grows.
 * 2. From the tenth message of one type and reason within ten minutes on, they are one Event that says so.
 * 3. Of one object 25 writes may come at once, and then one in five minutes; what comes between is counted.
 * 4. Beyond client-go: what was told last, and is told again before `quietMs` are over, is counted and not written.
 */
export class ObjectEvents {
  readonly #kept = new Map<string, KeptEvent>();
  readonly #groups = new Map<string, { readonly messages: Set<string>; at: Instant }>();
  readonly #bucket: TokenBucket;
  #told: KeptEvent | undefined;

  constructor(now: Instant) {
    this.#bucket = new TokenBucket({ burst: BURST, everyMs: REFILL_MS }, now);
  }

  /** Takes an event in; answers what is to be written, undefined for nothing. */
  take(content: EventContent, now: Instant, quietMs: number): KeptEvent | undefined {
    const kept = this.#keep(content, now);
    const isRepeated = this.#told === kept;
    this.#told = kept;
    if (isRepeated && kept.writtenAt !== undefined && now - kept.writtenAt < quietMs) return undefined;
    return this.#bucket.take(now) ? kept : undefined;
  }

  /** True once so many messages of one type and reason came that they are told as one. */
  #isGathered(content: EventContent, now: Instant): boolean {
    const group = `${content.type}/${content.reason}`;
    const held = this.#groups.get(group);
    const { messages } = held !== undefined && now - held.at <= GATHERED_MS ? held : { messages: new Set<string>() };
    if (messages.size < MAX_MESSAGES) messages.add(content.message);
    this.#groups.delete(group);
    this.#groups.set(group, { messages, at: now });
    dropOldest(this.#groups);
    return messages.size >= MAX_MESSAGES;
  }

  /** Gathered ones are one Event whatever its message is now; the others have one for each. */
  #keep({ type, reason, message }: EventContent, now: Instant): KeptEvent {
    const isGathered = this.#isGathered({ type, reason, message }, now);
    const content = { type, reason, message: isGathered ? `(combined from similar events): ${message}` : message };
    const key = `${type}/${reason}/${isGathered ? '' : message}`;
    const held = this.#kept.get(key);
    const kept: KeptEvent =
      held === undefined
        ? { content, first: now, last: now, count: 0, name: undefined, writtenAt: undefined }
        : Object.assign(held, { content });
    kept.count++;
    kept.last = now;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    dropOldest(this.#kept);
    return kept;
  }
}

function dropOldest(map: Map<string, unknown>): void {
  const [oldest] = map.keys();
  if (map.size > MAX_KEPT && oldest !== undefined) map.delete(oldest);
}
