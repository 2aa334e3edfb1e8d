import { groupOf } from '@/lib/kube/object';
import { backOffMs } from '@/lib/std/back-off';
import type { Informers, Store, StoreChange, StoreUse } from '@/server/kube';
import type { Clock, Release } from '@/server/platform';
import type { KindMapper } from '../cluster/kind-mapper';
import type { GroupKind } from '../identifier';
import { KindMap } from '../identifier-map';

export interface KindStoresConfig {
  readonly informers: Informers;
  readonly mapper: KindMapper;
  readonly clock: Clock;
  /** Hears every change of an object. */
  readonly onChange: (of: GroupKind, change: StoreChange) => void;
  /** Hears that what is known of a whole kind may be different now. */
  readonly onKind: (of: GroupKind) => void;
  /** Hears that nobody uses a kind any more, while its copy is there still. */
  readonly onUnused: (of: GroupKind) => void;
}

/** A kind that somebody uses: its copy, or why there is none. */
interface Held {
  readonly of: GroupKind;
  uses: number;
  open: { readonly use: StoreUse; readonly ends: readonly Release[] } | undefined;
  failure: unknown;
  asking: Release | undefined;
}

const PACE = { firstMs: 1000, longestMs: 30_000 };

/** The shared copies that statuses are made from: one per kind, while anybody uses the kind. A kind that cannot be mapped is asked for again, from 1 s to 30 s. */
export class KindStores {
  readonly #config: KindStoresConfig;
  readonly #held = new KindMap<Held>();

  constructor(config: KindStoresConfig) {
    this.#config = config;
  }

  /** Counts a use; where the caller knows the version its copy is opened at once. */
  retain(of: GroupKind, apiVersion?: string): void {
    const held = this.#held.get(of) ?? {
      of: { group: of.group, kind: of.kind },
      uses: 0,
      open: undefined,
      failure: undefined,
      asking: undefined,
    };
    this.#held.set(of, held);
    if (held.uses++ > 0) return;
    if (apiVersion !== undefined && groupOf(apiVersion) === of.group) this.#open(held, apiVersion);
    else this.#ask(held);
  }

  release(of: GroupKind): void {
    const held = this.#held.get(of);
    if (held !== undefined && --held.uses === 0) this.#close(held);
  }

  storeOf = (of: GroupKind): Store | undefined => this.#held.get(of)?.open?.use.store;

  /** Why a kind could not be mapped; undefined while it is, or is being asked for. */
  failureOf(of: GroupKind): unknown {
    return this.#held.get(of)?.failure;
  }

  close(): void {
    for (const held of this.#held.values()) {
      held.uses = 0;
      this.#close(held);
    }
  }

  #close(held: Held): void {
    held.asking?.();
    held.asking = undefined;
    held.failure = undefined;
    const { open } = held;
    if (open !== undefined) this.#config.onUnused(held.of);
    held.open = undefined;
    for (const end of open?.ends ?? []) end();
    open?.use.release();
  }

  #open(held: Held, apiVersion: string): void {
    const { informers, onChange, onKind } = this.#config;
    const { of } = held;
    const use = informers.open({ apiVersion, kind: of.kind });
    const ends = [use.store.subscribe((change) => onChange(of, change)), use.store.onHealth(() => onKind(of))];
    held.failure = undefined;
    held.open = { use, ends };
    use.store.synced().then(
      () => held.open?.use === use && onKind(of),
      () => undefined, // it was closed while the copy was filling
    );
  }

  /** Finds out where a kind is served and opens its copy there. */
  #ask(held: Held, failures = 0): void {
    const letGo = this.#config.clock.hold();
    this.#map(held.of)
      .then(
        (apiVersion) => this.#found(held, apiVersion),
        (error: unknown) => this.#failed(held, error, failures),
      )
      .finally(letGo);
  }

  #found(held: Held, apiVersion: string): void {
    if (held.uses === 0 || held.open !== undefined) return;
    this.#open(held, apiVersion);
    this.#config.onKind(held.of);
  }

  #failed(held: Held, error: unknown, failures: number): void {
    if (held.uses === 0) return;
    held.failure = error;
    this.#config.onKind(held.of);
    held.asking ??= this.#config.clock.schedule(backOffMs(PACE, failures), () => {
      held.asking = undefined;
      this.#ask(held, failures + 1);
    });
  }

  async #map(of: GroupKind): Promise<string> {
    const { version } = await this.#config.mapper.map(of);
    return of.group === '' ? version : `${of.group}/${version}`;
  }
}
