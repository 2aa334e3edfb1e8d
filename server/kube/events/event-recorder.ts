import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { toKubeTime } from '@/lib/std/instant';
import type { Cluster } from '../cluster';
import { isNotFound } from '../errors';
import type { EventContent, KeptEvent } from './event-correlator';
import { ObjectEvents } from './event-correlator';

/** What Events are written through. */
export type EventSink = Pick<Cluster, 'create' | 'patch'>;

export interface RecordedEvent extends EventContent {
  /** How long the same that was told last is only counted when it is told again; a minute when absent. */
  readonly quietMs?: number;
}

const QUIET_MS = 60_000;
/** What the API server takes of a message. */
const LONGEST = 1024;
/** Objects whose Events are remembered; of more, those that were told of longest ago are forgotten. */
const MAX_OBJECTS = 4096;

interface Remembered {
  readonly events: ObjectEvents;
  /** Ends when what was told before is written: the same told twice at once is one Event. */
  tail: Promise<void>;
}

/** Tells about objects by Events, as client-go's recorder does: what is told again is counted on the Event that is there (event-correlator.ts). */
export class EventRecorder {
  readonly #component: string;
  readonly #clock: { now(): Instant };
  readonly #objects = new Map<string, Remembered>();

  constructor(component: string, clock: { now(): Instant }) {
    this.#component = component;
    this.#clock = clock;
  }

  /** Tells about an object. Rejects where the Event cannot be written; it is then written with the next one. */
  record(sink: EventSink, about: KubeObject, { quietMs = QUIET_MS, ...told }: RecordedEvent): Promise<void> {
    const { kind, metadata } = about;
    const key = `${kind}/${metadata.namespace ?? ''}/${metadata.name ?? ''}/${metadata.uid ?? ''}`;
    const now = this.#clock.now();
    const remembered = this.#objects.get(key) ?? { events: new ObjectEvents(now), tail: Promise.resolve() };
    this.#objects.delete(key);
    this.#objects.set(key, remembered);
    const [oldest] = this.#objects.keys();
    if (this.#objects.size > MAX_OBJECTS && oldest !== undefined) this.#objects.delete(oldest);
    const content = { ...told, message: told.message.length > LONGEST ? `${told.message.slice(0, LONGEST - 1)}…` : told.message };
    const written = remembered.tail.then(async () => {
      const wanted = remembered.events.take(content, now, quietMs);
      if (wanted !== undefined) await this.#write(sink, about, wanted);
    });
    remembered.tail = written.catch(() => undefined); // whoever told it hears of the failure
    return written;
  }

  async #write(sink: EventSink, about: KubeObject, kept: KeptEvent): Promise<void> {
    // Events of cluster-scoped objects live in the default namespace.
    const namespace = about.metadata.namespace ?? 'default';
    if (kept.name !== undefined && (await this.#count(sink, namespace, kept))) return;
    const { name = '', uid, resourceVersion } = about.metadata;
    const created = await sink.create({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { generateName: `${name}.`, namespace },
      involvedObject: { apiVersion: about.apiVersion, kind: about.kind, name, namespace: about.metadata.namespace, uid, resourceVersion },
      ...kept.content,
      source: { component: this.#component },
      count: kept.count,
      firstTimestamp: toKubeTime(kept.first),
      lastTimestamp: toKubeTime(kept.last),
    });
    kept.name = created.metadata.name;
    kept.writtenAt = kept.last;
  }

  /** Brings an Event up to date; false where it has expired. */
  async #count(sink: EventSink, namespace: string, kept: KeptEvent): Promise<boolean> {
    const { content, count, last, name = '' } = kept;
    const body = { message: content.message, count, lastTimestamp: toKubeTime(last) };
    try {
      await sink.patch({ apiVersion: 'v1', kind: 'Event', namespace, name }, { type: 'merge', body });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return false;
    }
    kept.writtenAt = last;
    return true;
  }
}
