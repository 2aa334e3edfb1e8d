import { messageOf } from '@/lib/contract/app-error';
import { readString } from '@/lib/kube/fields';
import { toObjectKey } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { Instant } from '@/lib/std/instant';
import type { Informers, StoreUse } from '@/server/kube';
import type { Clock, Release } from '@/server/platform';
import type { Awaitable } from '../awaitable';
import { mapAwaitable } from '../awaitable';
import type { Reading, RuleLocation } from './rule-location';
import { describeRuleLocation } from './rule-location';

/** How often files are read again. */
const READ_AGAIN_MS = 10_000;

/** What is said of one source: what it holds, and why it does not hold what is written now. */
export interface RuleSourceState {
  readonly setting: string;
  readonly place: string;
  readonly keys: readonly string[];
  /** When what is in force was read; undefined until then. */
  readonly readAt: Instant | undefined;
  /** What is wrong with what stands there now, a sentence each; the last good content is kept. */
  readonly fault: { readonly since: Instant; readonly sentences: readonly string[] } | undefined;
}

/** One place of a team's rules. Keeps the last good content and knows what is wrong with the present one. */
export class RuleSource<Entry> {
  entries: readonly Entry[] = [];
  #readAt: Instant | undefined;
  #fault: RuleSourceState['fault'];
  #turn = 0;
  readonly #setting: string;
  readonly #place: RuleLocation;
  readonly #reading: Reading<Entry>;
  readonly #clock: Clock;

  constructor(of: { readonly setting: string; readonly place: RuleLocation; readonly reading: Reading<Entry> }, clock: Clock) {
    this.#setting = of.setting;
    this.#place = of.place;
    this.#reading = of.reading;
    this.#clock = clock;
  }

  facts(): RuleSourceState {
    const keys = this.entries.map(this.#reading.keyOf).sort();
    return { setting: this.#setting, place: describeRuleLocation(this.#place), keys, readAt: this.#readAt, fault: this.#fault };
  }

  /** Reads a path for the first time; a mistake in it is thrown. What lies in the cluster is read once that is followed. */
  async begin(): Promise<void> {
    if (this.#place.kind === 'path') await this.#consider(await this.#reading.ofPath(this.#place.path));
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
            (entries) => this.#consider(entries),
            (error: unknown) => this.#refuse(messageOf(error)),
          )
          .then((hasChanged) => hasChanged && !ended && hear())
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

  #followConfigMap(
    { namespace, name }: Extract<RuleLocation, { kind: 'config-map' }>,
    informers: Pick<Informers, 'open'>,
    hear: () => void,
  ): Release {
    const use: StoreUse = informers.open({ apiVersion: 'v1', kind: 'ConfigMap', namespace });
    const key = toObjectKey({ namespace, name });
    const read = () => {
      const health = use.store.health();
      const found = use.store.get(key);
      const missing = health.state.kind === 'retrying' ? health.state.reason : health.synced ? 'there is no such ConfigMap' : undefined;
      if (found !== undefined) this.#take(found.data, hear);
      else if (missing !== undefined && this.#refuse(`${describeRuleLocation(this.#place)}: ${missing}`)) hear();
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

  #take(data: unknown, hear: () => void): void {
    const texts = Object.fromEntries(Object.keys(data ?? {}).map((name) => [name, readString(data, name) ?? '']));
    const notify = (hasChanged: boolean) => {
      if (hasChanged) hear();
    };
    try {
      mapAwaitable(this.#consider(this.#reading.ofConfigMap(texts, describeRuleLocation(this.#place))), notify);
    } catch (error) {
      notify(this.#refuse(messageOf(error)));
    }
  }

  /** Takes in what was read, at once where nothing has to be looked at; whether anything is different from before. */
  #consider(entries: readonly Entry[]): Awaitable<boolean> {
    const turn = ++this.#turn;
    const looked = this.#reading.explainWrong?.(entries);
    if (looked === undefined) return this.#accept(entries, []);
    return looked.then((wrong) => turn === this.#turn && this.#acceptRight(entries, wrong)); // otherwise it was read again meanwhile
  }

  /** An entry that cannot be used leaves the last good one of its key in force; where there is none it says so itself. */
  #acceptRight(entries: readonly Entry[], wrong: ReadonlyMap<Entry, string>): boolean {
    const held = this.#held();
    const right = entries.map((entry) => (wrong.has(entry) ? (held.get(this.#reading.keyOf(entry)) ?? entry) : entry));
    return this.#accept(right, [...wrong.values()]);
  }

  #held(): ReadonlyMap<string, Entry> {
    return new Map(this.entries.map((entry) => [this.#reading.keyOf(entry), entry]));
  }

  /** Whether anything is different from before. What is the same keeps its identity, and with it what is remembered of it. */
  #accept(entries: readonly Entry[], wrong: readonly string[]): boolean {
    const isTold = this.#notify(wrong);
    this.#readAt ??= this.#clock.now();
    if (deepEqual(entries, this.entries)) return isTold;
    const held = this.#held();
    this.entries = entries.map((entry) => {
      const before = held.get(this.#reading.keyOf(entry));
      return before !== undefined && deepEqual(before, entry) ? before : entry;
    });
    this.#readAt = this.#clock.now();
    return true;
  }

  #refuse(text: string): boolean {
    this.#turn++; // what is still being looked at is older
    return this.#notify(text.split('\n'));
  }

  /** Notes what is wrong now; true when something else was before. */
  #notify(sentences: readonly string[]): boolean {
    if (deepEqual(sentences, this.#fault?.sentences ?? [])) return false;
    this.#fault = sentences.length === 0 ? undefined : { since: this.#clock.now(), sentences };
    return true;
  }
}
