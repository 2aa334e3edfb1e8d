import { messageOf } from '@/lib/contract/app-error';
import { readString } from '@/lib/kube/fields';
import { toObjectKey } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { Instant } from '@/lib/std/instant';
import type { Informers, StoreUse } from '@/server/kube';
import type { Clock, Release } from '@/server/platform';
import type { Place, Reading } from './places';
import { describePlace } from './places';

/** How often files are read again. */
const READ_AGAIN_MS = 10_000;

/** What is said of one source: what it holds, and why it does not hold what is written now. */
export interface SourceFacts {
  readonly setting: string;
  readonly place: string;
  readonly keys: readonly string[];
  /** When what is in force was read; undefined until then. */
  readonly readAt: Instant | undefined;
  /** What is wrong with what stands there now, a sentence each; the last good content is kept. */
  readonly fault: { readonly since: Instant; readonly sentences: readonly string[] } | undefined;
}

/** One place of a team's rules. Keeps the last good content and knows what is wrong with the present one. */
export class Source<Entry> {
  entries: readonly Entry[] = [];
  #readAt: Instant | undefined;
  #fault: SourceFacts['fault'];
  readonly #setting: string;
  readonly #place: Place;
  readonly #reading: Reading<Entry>;
  readonly #clock: Clock;

  constructor(of: { readonly setting: string; readonly place: Place; readonly reading: Reading<Entry> }, clock: Clock) {
    this.#setting = of.setting;
    this.#place = of.place;
    this.#reading = of.reading;
    this.#clock = clock;
  }

  facts(): SourceFacts {
    const keys = this.entries.map(this.#reading.keyOf).sort();
    return { setting: this.#setting, place: describePlace(this.#place), keys, readAt: this.#readAt, fault: this.#fault };
  }

  /** Reads a path for the first time; a mistake in it is thrown. What lies in the cluster is read once that is followed. */
  async begin(): Promise<void> {
    if (this.#place.kind === 'path') this.#accept(await this.#reading.ofPath(this.#place.path));
  }

  /** Follows what changes there from now on; `hear` is called after each change. */
  follow(informers: Pick<Informers, 'open'>, hear: () => void): Release {
    return this.#place.kind === 'path' ? this.#followPath(this.#place.path, hear) : this.#followConfigMap(this.#place, informers, hear);
  }

  #followPath(path: string, hear: () => void): Release {
    let ended = false;
    let timer: Release = () => undefined;
    const again = () => {
      timer = this.#clock.schedule(READ_AGAIN_MS, () => {
        void this.#reading
          .ofPath(path)
          .then(
            (entries) => this.#accept(entries) && hear(),
            (error: unknown) => this.#refuse(messageOf(error)) && hear(),
          )
          .finally(() => {
            if (!ended) again();
          });
      });
    };
    again();
    return () => {
      ended = true;
      timer();
    };
  }

  #followConfigMap({ namespace, name }: Extract<Place, { kind: 'config-map' }>, informers: Pick<Informers, 'open'>, hear: () => void): Release {
    const use: StoreUse = informers.open({ apiVersion: 'v1', kind: 'ConfigMap', namespace });
    const key = toObjectKey({ namespace, name });
    const read = () => {
      const health = use.store.health();
      const found = use.store.get(key);
      const missing = health.state.kind === 'retrying' ? health.state.reason : health.synced ? 'there is no such ConfigMap' : undefined;
      const changed = found === undefined ? missing !== undefined && this.#refuse(`${describePlace(this.#place)}: ${missing}`) : this.#take(found.data);
      if (changed) hear();
    };
    const releases = [
      use.store.subscribe(({ key: changed }) => {
        if (changed === key) read();
      }),
      use.store.onHealth(read),
    ];
    read();
    return () => {
      for (const release of releases) release();
      use.release();
    };
  }

  #take(data: unknown): boolean {
    const texts = Object.fromEntries(Object.keys(data ?? {}).map((name) => [name, readString(data, name) ?? '']));
    try {
      return this.#accept(this.#reading.ofConfigMap(texts, describePlace(this.#place)));
    } catch (error) {
      return this.#refuse(messageOf(error));
    }
  }

  /** Whether anything is different from before. What is the same keeps its identity, and with it what is remembered of it. */
  #accept(entries: readonly Entry[]): boolean {
    const mended = this.#fault !== undefined;
    this.#fault = undefined;
    this.#readAt ??= this.#clock.now();
    if (deepEqual(entries, this.entries)) return mended;
    const held = new Map(this.entries.map((entry) => [this.#reading.keyOf(entry), entry]));
    this.entries = entries.map((entry) => {
      const before = held.get(this.#reading.keyOf(entry));
      return before !== undefined && deepEqual(before, entry) ? before : entry;
    });
    this.#readAt = this.#clock.now();
    return true;
  }

  #refuse(text: string): boolean {
    const sentences = text.split('\n');
    if (deepEqual(sentences, this.#fault?.sentences)) return false;
    this.#fault = { since: this.#clock.now(), sentences };
    return true;
  }
}
