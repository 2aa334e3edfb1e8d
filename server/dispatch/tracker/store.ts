import type { KubeObject } from '@/lib/kube/object';
import { getServed, listAll, retryOnConflict } from '@/server/kube';
import type { Clock, Random } from '@/server/platform';
import { DispatchError } from '../dispatch-error';
import type { CacheReader, KubeClient } from '../kube-client';
import { ANNOTATION, TRACKER_TYPE } from '../labels';
import type { DispatchTools, TrackingOptions } from '../options';
import type { ResourceTracker, TrackerEntry } from './record';
import { digestRecord, readTracker, toLegacyStatus, toManagedSpec } from './record';
import { withRecreatedNote } from './recreated';

/** Pauses before attempts two to four of a record write; each varies by a tenth. */
const RETRY_WAITS_MS = [10, 50, 250] as const;

export interface TrackerStoreDeps {
  readonly client: KubeClient;
  /** What makes new trackers, which list nothing yet; the client itself when absent. */
  readonly maker?: Pick<KubeClient, 'create'>;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly random: Random;
  readonly cache?: CacheReader | undefined;
  readonly recordConflict?: TrackingOptions['recordConflict'];
  /** Packing a record of thousands and reading the answer are a turn each. */
  readonly yieldToEventLoop?: DispatchTools['yieldToEventLoop'];
}

interface LoadOptions {
  readonly signal?: AbortSignal | undefined;
  /** Ask the server even where a watched copy is at hand. */
  readonly fresh?: boolean;
}

/** Who a new tracker belongs to. */
export interface NewTracker {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly applicationGeneration: number;
}

/** Reads and writes trackers, hiding which of the two forms the cluster serves. */
export class TrackerStore {
  readonly #deps: TrackerStoreDeps;
  /** What the server itself answered, by what was read from it. */
  readonly #answers = new WeakMap<ResourceTracker, KubeObject>();

  constructor(deps: TrackerStoreDeps) {
    this.#deps = deps;
  }

  /** The tracker of a name; undefined when there is none. */
  async load(name: string, { signal, fresh }: LoadOptions = {}): Promise<ResourceTracker | undefined> {
    const at = { ...TRACKER_TYPE, name };
    const cached = fresh ? undefined : this.#deps.cache?.read(at);
    if (cached !== undefined) return readTracker(cached);
    const found = await getServed(this.#deps.client, at, signal ? { signal } : {});
    return found && this.#heard(found);
  }

  /** True for a tracker as the server answered it here. Whoever changed it since is met by a conflict, so it need not be read before it is written. */
  isAnswer(tracker: ResourceTracker): boolean {
    return this.#deps.recordConflict === 'fail' && tracker.resourceVersion !== undefined && this.#answers.has(tracker);
  }

  /** Creates an empty tracker. A cluster with the 2021 CRD prunes the spec, and the answer tells. */
  async create(tracker: NewTracker, signal?: AbortSignal): Promise<ResourceTracker> {
    const spec = toManagedSpec({ type: 'versioned', applicationGeneration: tracker.applicationGeneration, entries: [] });
    const object: KubeObject = {
      ...TRACKER_TYPE,
      metadata: { name: tracker.name, labels: tracker.labels, annotations: { [ANNOTATION.recordDigest]: digestRecord([]) } },
      spec,
    };
    const { client, maker = client } = this.#deps;
    return this.#heard(await maker.create(object, signal ? { signal } : {}));
  }

  /** Trackers that carry all the labels. */
  async list(labels: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<ResourceTracker[]> {
    const labelSelector = Object.entries(labels)
      .map(([key, value]) => `${key}=${value}`)
      .join(',');
    const { items } = await listAll(this.#deps.client, TRACKER_TYPE, { labelSelector, ...(signal ? { signal } : {}) });
    return items.map(readTracker);
  }

  /**
   * Replaces the record of a tracker, four attempts in all on conflict. Additions of other writers are overwritten, unless conflicts are
   * to fail: then nothing is written over a record that differs from the one that was read, and nobody waits.
   */
  async write(tracker: ResourceTracker, entries: readonly TrackerEntry[], signal?: AbortSignal): Promise<ResourceTracker> {
    const { recordConflict, clock, random } = this.#deps;
    const tries = recordConflict === 'fail' ? 1 : RETRY_WAITS_MS.length + 1;
    const wait = (made: number) => clock.sleep((RETRY_WAITS_MS[made - 1] ?? 0) * (1 + 0.1 * random()), signal);
    try {
      return await retryOnConflict(() => this.#writeOnce(tracker, entries, signal), { tries, wait });
    } catch (cause) {
      throw new DispatchError('cannot update resource tracker status', { stage: 'record', cause });
    }
  }

  async #writeOnce(tracker: ResourceTracker, entries: readonly TrackerEntry[], signal: AbortSignal | undefined): Promise<ResourceTracker> {
    const { client } = this.#deps;
    const options = signal ? { signal } : {};
    const answered = this.isAnswer(tracker) ? this.#answers.get(tracker) : undefined;
    const found = answered ?? (await client.get({ ...TRACKER_TYPE, name: tracker.name }, options));
    const { resourceVersion } = tracker;
    const live =
      this.#deps.recordConflict === 'fail' && resourceVersion !== undefined
        ? { ...found, metadata: { ...found.metadata, resourceVersion } }
        : found;
    if (tracker.form === 'legacy') {
      return this.#heard(await client.update({ ...live, status: toLegacyStatus(entries) }, { ...options, subresource: 'status' }));
    }
    const annotations = {
      ...withRecreatedNote(live.metadata.annotations ?? {}, entries),
      [ANNOTATION.recordDigest]: digestRecord(entries),
    };
    const metadata = { ...live.metadata, annotations };
    await this.#deps.yieldToEventLoop?.();
    const spec = toManagedSpec({ ...tracker, entries });
    await this.#deps.yieldToEventLoop?.();
    const written = await client.update({ ...live, metadata, spec }, options);
    await this.#deps.yieldToEventLoop?.();
    return this.#heard(written);
  }

  #heard(object: KubeObject): ResourceTracker {
    const tracker = readTracker(object);
    this.#answers.set(tracker, object);
    return tracker;
  }
}
